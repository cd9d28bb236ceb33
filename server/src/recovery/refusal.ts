/** Why data is not copied, restored or repaired. */
export class RecoveryRefusal extends Error {
  override readonly name = 'RecoveryRefusal';
  /** What can be done about it. */
  readonly next: string;

  constructor(message: string, next: string, options?: ErrorOptions) {
    super(message, options);
    this.next = next;
  }
}

export function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}
