/** Selectors of subscriptions: structured, not text (specification 2.4 and part 6). */
import { OrchestratorError, type Subscription } from '@tutti/manifests';
import { parseFieldPath } from './parse-selector.ts';
import { CONDITIONS_MAX, type Condition, isScalar, matches, valueAt } from './selector.ts';

export type SubscriptionSelector = NonNullable<Subscription['spec']['selector']>;

export interface CompiledSubscriptionSelector {
  /** The only kind that can match, for whoever sorts subscriptions by kind; undefined when any can. */
  readonly matchKind: string | undefined;
  /** A value that each match has, beside the kind and the version, for whoever sorts subscriptions by such values; null for none. */
  readonly needs: NeededValue | null;
  /** True when kind, fields and labels of the event all match. */
  matches(event: object): boolean;
}

/** What stands at a path, as a text. */
export interface NeededValue {
  readonly path: readonly string[];
  readonly value: string;
}

/**
 * Compiles the selector of a subscription; none at all takes every event. Throws `Invalid` for a field name that cannot be
 * looked up and for too many conditions.
 */
export function compileSubscriptionSelector(
  selector: SubscriptionSelector = {},
): CompiledSubscriptionSelector {
  const conditions = [
    ...kindConditions(selector),
    ...fieldConditions(selector),
    ...labelConditions(selector),
  ];
  if (conditions.length > CONDITIONS_MAX) {
    throw new OrchestratorError('Invalid', `Selector with more than ${CONDITIONS_MAX} conditions.`);
  }
  const compiled = { conditions };
  return {
    matchKind: selector.matchKind,
    needs: neededValue(selector),
    matches: (event) => matches(compiled, event),
  };
}

/** The text that is compared at such a path; undefined where there is none. */
export function textAt(object: object, path: readonly string[]): string | undefined {
  const value = valueAt(object, path);
  return isScalar(value) ? String(value) : undefined;
}

/** Labels first, as they tell more subscriptions apart. */
function neededValue({
  matchFields = {},
  matchLabels = {},
}: SubscriptionSelector): NeededValue | null {
  const labels = Object.entries(matchLabels).map(([name, value]) => ({
    path: labelPath(name),
    value,
  }));
  const fields = Object.entries(matchFields)
    .filter(([key]) => !hasEmptyName(key))
    .map(([key, value]) => ({ path: parseFieldPath(key), value }));
  return [...labels, ...fields].find(({ path }) => !isKindOrVersion(path)) ?? null;
}

/** An event is looked for under its own version, and compared under the one that a subscription asked for. */
const isKindOrVersion = ([name, ...more]: readonly string[]): boolean =>
  more.length === 0 && (name === 'kind' || name === 'apiVersion');

function kindConditions({ matchKind }: SubscriptionSelector): readonly Condition[] {
  return matchKind === undefined ? [] : [equals(['kind'], matchKind)];
}

/** The specification's pattern of keys lets dots follow each other. No field has an empty name, so such a key finds nothing. */
const hasEmptyName = (key: string): boolean =>
  !/[[\]]/.test(key) && key.slice(1, -1).includes('..');
const NEVER: Condition = { test: 'oneOf', path: [], values: new Set(), negated: false };

function fieldConditions({ matchFields = {} }: SubscriptionSelector): readonly Condition[] {
  return Object.entries(matchFields).map(([key, value]) =>
    hasEmptyName(key) ? NEVER : equals(parseFieldPath(key), value),
  );
}

const labelPath = (name: string): readonly string[] => ['metadata', 'labels', name];

function labelConditions({ matchLabels = {} }: SubscriptionSelector): readonly Condition[] {
  return Object.entries(matchLabels).map(([name, value]) => equals(labelPath(name), value));
}

function equals(path: readonly string[], value: string): Condition {
  return { test: 'oneOf', path, values: new Set([value]), negated: false };
}

/** What a listing shows as `fieldselector`: `kind==K,a.b==v`, empty when there is no such condition. */
export function describeFieldSelector(selector: SubscriptionSelector = {}): string {
  const { matchKind, matchFields = {} } = selector;
  const fields = Object.entries(matchFields);
  return describe(matchKind === undefined ? fields : [['kind', matchKind], ...fields]);
}

/** What a listing shows as `labelselector`: `label==v,...`, empty when there is no such condition. */
export function describeLabelSelector(selector: SubscriptionSelector = {}): string {
  return describe(Object.entries(selector.matchLabels ?? {}));
}

function describe(conditions: readonly (readonly [string, string])[]): string {
  return conditions.map(([key, value]) => `${key}==${value}`).join(',');
}
