/** Selectors of subscriptions: structured, not text (specification 2.4 and part 6). */
import { OrchestratorError, type Subscription } from '@tutti/manifests';
import { parseFieldPath } from './parse-selector.ts';
import { CONDITIONS_MAX, type Condition, matches } from './selector.ts';

export type SubscriptionSelector = NonNullable<Subscription['spec']['selector']>;

export interface CompiledSubscriptionSelector {
  /** The only kind that can match, for whoever sorts subscriptions by kind; undefined when any can. */
  readonly matchKind: string | undefined;
  /** True when kind, fields and labels of the event all match. */
  matches(event: object): boolean;
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
  return { matchKind: selector.matchKind, matches: (event) => matches(compiled, event) };
}

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

function labelConditions({ matchLabels = {} }: SubscriptionSelector): readonly Condition[] {
  return Object.entries(matchLabels).map(([name, value]) =>
    equals(['metadata', 'labels', name], value),
  );
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
