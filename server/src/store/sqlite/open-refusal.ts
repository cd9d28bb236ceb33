/** The database cannot be used, for a reason that its owner can do something about. */
export class OpenRefusal extends Error {
  override readonly name = 'OpenRefusal';
  /** Another process has it, which may end. */
  readonly isInUse: boolean;

  constructor(message: string, { isInUse = false }: { readonly isInUse?: boolean } = {}) {
    super(message);
    this.isInUse = isInUse;
  }
}
