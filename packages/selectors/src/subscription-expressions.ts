/** Expressions of subscriptions, `matchExpressions` and `matchFieldExpressions`: what they test, and as selector texts. */
import { OrchestratorError, type Subscription } from '@tutti/manifests';
import { fieldPath, labelPath } from './event-path.ts';
import { SUBSCRIPTION_SELECTOR_LIMITS } from './limits.ts';
import { type Condition, holdsFor, valueAt } from './selector.ts';

const { comparedEntries } = SUBSCRIPTION_SELECTOR_LIMITS;

type Selector = NonNullable<Subscription['spec']['selector']>;
/** Labels have some of the operators of fields. */
type Expression = NonNullable<Selector['matchFieldExpressions']>[number];

/** Conditions of the expressions of a selector. Throws `Invalid` for unusable fields, and for missing or too many values. */
export function expressionConditions({
  matchExpressions = [],
  matchFieldExpressions = [],
}: Selector): readonly Condition[] {
  return [
    ...matchFieldExpressions.map((each) => conditionOf(each, fieldPath(each.key))),
    ...matchExpressions.map((each) => conditionOf(each, labelPath(each.key))),
  ];
}

const WITHOUT_VALUES: readonly Expression['operator'][] = ['Exists', 'DoesNotExist'];
const NEGATED: readonly Expression['operator'][] = ['DoesNotExist', 'NotIn', 'DoesNotContainAll'];

function conditionOf(
  { key, operator, values }: Expression,
  path: readonly string[] | null,
): Condition {
  if ((values === undefined) !== WITHOUT_VALUES.includes(operator)) {
    const what = values === undefined ? 'needs values' : 'takes no values';
    throw new OrchestratorError(
      'Invalid',
      `The operator ${operator} of ${JSON.stringify(key)} ${what}.`,
    );
  }
  const negated = NEGATED.includes(operator);
  if (path === null) return { ...NEVER, negated };
  if (values === undefined) return { test: 'exists', path, negated };
  const test = operator === 'In' || operator === 'NotIn' ? 'oneOf' : 'containsAll';
  return { test, path, values: new Set(values), negated };
}

/** A condition on a field that no event has. */
export const NEVER: Condition = { test: 'oneOf', path: [], values: new Set(), negated: false };

/** Like `holdsFor`, in bounded time. */
export function holdsForEvent(condition: Condition, event: object): boolean {
  const value = valueAt(event, condition.path);
  const isLong = Array.isArray(value) && value.length > comparedEntries;
  return holdsFor(condition, isLong ? value.slice(0, comparedEntries) : value);
}

/** The expression as a selector text has it. */
export function describeExpression({ key, operator, values: listed = [] }: Expression): string {
  const values = `(${listed.join(', ')})`;
  switch (operator) {
    case 'Exists':
      return key;
    case 'DoesNotExist':
      return `!${key}`;
    case 'In':
      return `${key} in ${values}`;
    case 'NotIn':
      return `${key} notin ${values}`;
    case 'ContainsAll':
      return `${values} in ${key}`;
    case 'DoesNotContainAll':
      return `${values} notin ${key}`;
  }
}
