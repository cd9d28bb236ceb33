/** The database cannot be used, for a reason that its owner can do something about. */
export class OpenRefusal extends Error {
  override readonly name = 'OpenRefusal';
}
