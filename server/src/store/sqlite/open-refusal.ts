/** The database cannot be used, for a reason that its owner can do something about. */
export class OpenRefusal extends Error {
  override readonly name = 'OpenRefusal';
  /** A state that may pass: another process has the database, or still has to migrate it to this version. */
  readonly passing: 'in-use' | 'older' | null;

  constructor(message: string, passing: 'in-use' | 'older' | null = null) {
    super(message);
    this.passing = passing;
  }
}
