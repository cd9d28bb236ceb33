/** Belongs into the default of a switch over all cases of a union: a forgotten case does not compile. */
export function assertNever(value: never): never {
  throw new Error(`Nobody expects ${JSON.stringify(value)}.`);
}
