/** Common forms of JSON Schemas. Types are derived from them as from literals. */

/** An object without other keys. */
export function closed<const P extends object>(
  properties: P,
): { readonly type: 'object'; readonly properties: P; readonly additionalProperties: false };
export function closed<const P extends object, const R extends readonly (keyof P)[]>(
  properties: P,
  required: R,
): {
  readonly type: 'object';
  readonly properties: P;
  readonly required: R;
  readonly additionalProperties: false;
};
export function closed(properties: object, required?: readonly PropertyKey[]): object {
  const needed = required === undefined ? {} : { required };
  return { type: 'object', properties, ...needed, additionalProperties: false };
}

/** A list with at least one item. */
export const some = <const I extends object>(items: I, maxItems: number) =>
  ({ type: 'array', items, minItems: 1, maxItems }) as const;
