/** Selectors of subscriptions: structured, not text (specification 2.4 and part 6). */
import { OrchestratorError, type Subscription } from '@tutti/manifests';
import { versionsAskedFor } from './asked-for.ts';
import { fieldPath, labelPath } from './event-path.ts';
import { CONDITIONS_MAX, type Condition, isScalar, valueAt } from './selector.ts';
import {
  describeExpression,
  expressionConditions,
  holdsForEvent,
  NEVER,
} from './subscription-expressions.ts';

export type SubscriptionSelector = NonNullable<Subscription['spec']['selector']>;

export interface CompiledSubscriptionSelector {
  /** The only kind that can match, to sort subscriptions by kind; undefined when any can. */
  readonly matchKind: string | undefined;
  /** A value that each match has, beside the kind and the version, to sort subscriptions by such values. Null for none. */
  readonly needs: NeededValue | null;
  /** The versions of an event that match, by which the one is chosen that a subscription gets. None when any does. */
  readonly versions: readonly string[];
  /** True when kind, fields, labels and expressions all match the event. */
  matches(event: object): boolean;
}

/** A path and the text that must be there. */
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
    ...expressionConditions(selector),
  ];
  if (conditions.length > CONDITIONS_MAX) {
    throw new OrchestratorError('Invalid', `Selector with more than ${CONDITIONS_MAX} conditions.`);
  }
  return {
    matchKind: selector.matchKind,
    needs: neededValue(selector),
    versions: versionsAskedFor(selector),
    matches: (event) => conditions.every((condition) => holdsForEvent(condition, event)),
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
  const fields = Object.entries(matchFields).flatMap(([key, value]) => {
    const path = fieldPath(key);
    return path === null ? [] : [{ path, value }];
  });
  return [...labels, ...fields].find(({ path }) => !isKindOrVersion(path)) ?? null;
}

/** An event is looked for under its own version, and compared under the one that a subscription asked for. */
const isKindOrVersion = ([name, ...more]: readonly string[]): boolean =>
  more.length === 0 && (name === 'kind' || name === 'apiVersion');

function kindConditions({ matchKind }: SubscriptionSelector): readonly Condition[] {
  return matchKind === undefined ? [] : [equals(['kind'], matchKind)];
}

function fieldConditions({ matchFields = {} }: SubscriptionSelector): readonly Condition[] {
  return Object.entries(matchFields).map(([key, value]) => {
    const path = fieldPath(key);
    return path === null ? NEVER : equals(path, value);
  });
}

function labelConditions({ matchLabels = {} }: SubscriptionSelector): readonly Condition[] {
  return Object.entries(matchLabels).map(([name, value]) => equals(labelPath(name), value));
}

function equals(path: readonly string[], value: string): Condition {
  return { test: 'oneOf', path, values: new Set([value]), negated: false };
}

/** The `fieldselector` of a listing: `kind==K,a.b==v,c in (d, e)`, empty when there is no such condition. */
export function describeFieldSelector(selector: SubscriptionSelector = {}): string {
  const { matchKind, matchFields = {}, matchFieldExpressions = [] } = selector;
  const fields = Object.entries(matchFields);
  return [
    ...describe(matchKind === undefined ? fields : [['kind', matchKind], ...fields]),
    ...matchFieldExpressions.map(describeExpression),
  ].join(',');
}

/** The `labelselector` of a listing: `label==v,...`, empty when there is no such condition. */
export function describeLabelSelector(selector: SubscriptionSelector = {}): string {
  const { matchLabels = {}, matchExpressions = [] } = selector;
  return [
    ...describe(Object.entries(matchLabels)),
    ...matchExpressions.map(describeExpression),
  ].join(',');
}

const describe = (conditions: readonly (readonly [string, string])[]): readonly string[] =>
  conditions.map(([key, value]) => `${key}==${value}`);
