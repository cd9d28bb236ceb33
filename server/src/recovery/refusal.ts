/** Why data is not copied, restored or repaired. */
export class RecoveryRefusal extends Error {
  override readonly name = 'RecoveryRefusal';
  /** Advice to the user. */
  readonly next: string;
  /** The data differs from that which a server has written. */
  readonly isDamage: boolean;

  constructor(
    message: string,
    next: string,
    { isDamage = false, ...options }: ErrorOptions & { readonly isDamage?: boolean } = {},
  ) {
    super(message, options);
    this.next = next;
    this.isDamage = isDamage;
  }
}

export function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}
