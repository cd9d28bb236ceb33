/** Why data is not copied, restored or repaired. */
export class RecoveryRefusal extends Error {
  override readonly name = 'RecoveryRefusal';
  /** What can be done about it. */
  readonly next: string;
  /** The data is that of a newer version. */
  readonly isOfVersion: boolean;

  constructor(
    message: string,
    next: string,
    { isOfVersion = false, ...options }: ErrorOptions & { readonly isOfVersion?: boolean } = {},
  ) {
    super(message, options);
    this.next = next;
    this.isOfVersion = isOfVersion;
  }
}

export function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}
