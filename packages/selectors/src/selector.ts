/** Parsed selectors, and testing objects against them (specification 4.1, wire facts 7.1). */

/** Longest selector text, in characters. */
export const SELECTOR_LENGTH_MAX = 4096;
/** Most conditions in one selector. */
export const CONDITIONS_MAX = 100;

interface ConditionBase {
  /** Names from the outside in. */
  readonly path: readonly string[];
  /** True turns the test round, so that every negated form also takes objects that lack the key. */
  readonly negated: boolean;
}

export type Condition =
  | (ConditionBase & { readonly test: 'exists' })
  | (ConditionBase & {
      readonly test: 'oneOf' | 'containsAll';
      readonly values: ReadonlySet<string>;
    });

/** Conditions that must all hold; none at all takes every object. */
export interface Selector {
  readonly conditions: readonly Condition[];
}

/** True when every condition holds for the object. Values are compared by their text, as they stand in JSON. */
export function matches(selector: Selector, object: object): boolean {
  return selector.conditions.every((condition) =>
    holdsFor(condition, valueAt(object, condition.path)),
  );
}

/** True when the condition holds for an object that has this at its path; undefined for nothing. */
export function holdsFor(condition: Condition, value: unknown): boolean {
  return passes(condition, value) !== condition.negated;
}

function passes(condition: Condition, value: unknown): boolean {
  switch (condition.test) {
    case 'exists':
      return value !== undefined;
    case 'oneOf':
      return isScalar(value) && condition.values.has(String(value));
    case 'containsAll':
      return containsAll(value, condition.values);
  }
}

/** A scalar counts as a list of one. */
function containsAll(value: unknown, wanted: ReadonlySet<string>): boolean {
  const items: readonly unknown[] = Array.isArray(value) ? value : [value];
  const texts = new Set(items.filter(isScalar).map(String));
  return [...wanted].every((text) => texts.has(text));
}

/** Own entries of plain objects only: a key such as `constructor` must not reach what an object inherits. */
export function valueAt(object: unknown, path: readonly string[]): unknown {
  let value = object;
  for (const name of path) {
    if (!isRecord(value) || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return value;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isScalar(value: unknown): value is string | number | boolean | null {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value);
}
