import { expect, test } from 'vitest';
import { asksForLabels, labelsAskedFor, versionsAskedFor } from './asked-for.ts';
import type { SubscriptionSelector } from './subscription-selector.ts';

type Expression = NonNullable<SubscriptionSelector['matchExpressions']>[number];

const isIn = (key: string, ...values: string[]): Expression => ({ key, operator: 'In', values });
const isNotIn: Expression = { key: 'a', operator: 'NotIn', values: ['x'] };
const exists: Expression = { key: 'a', operator: 'Exists' };
const isAbsent: Expression = { key: 'a', operator: 'DoesNotExist' };

test.each<[SubscriptionSelector, boolean]>([
  [{}, false],
  [{ matchKind: 'K', matchFields: { a: 'b' } }, false],
  [{ matchLabels: { a: 'b' } }, true],
  [{ matchExpressions: [isIn('a', 'x')] }, true],
  [{ matchExpressions: [isAbsent, exists] }, true],
  [{ matchExpressions: [isNotIn, isAbsent] }, false],
  [{ matchFieldExpressions: [isIn('a', 'x')] }, false],
])('%j asks for labels: %j', (selector, expected) => {
  expect(asksForLabels(selector)).toBe(expected);
});

test.each<[SubscriptionSelector, readonly object[]]>([
  [{}, []],
  [{ matchExpressions: [isNotIn, isAbsent, exists] }, []],
  [{ matchLabels: { a: 'b' } }, [{ a: 'b' }]],
  [{ matchExpressions: [isIn('a', 'x', 'y')] }, [{ a: 'x' }, { a: 'y' }]],
  [
    { matchLabels: { p: 'q' }, matchExpressions: [isIn('a', 'x', 'y'), isIn('b', '1')] },
    [
      { p: 'q', a: 'x', b: '1' },
      { p: 'q', a: 'y', b: '1' },
    ],
  ],
])('%j asks for the labels %j', (selector, expected) => {
  expect(labelsAskedFor(selector)).toEqual(expected);
});

test('combinations of labels are bounded', () => {
  const values = Array.from({ length: 64 }, (_, index) => String(index));
  const matchExpressions = Array.from({ length: 64 }, (_, index) => isIn(`a${index}`, ...values));
  const asked = labelsAskedFor({ matchExpressions });
  expect(asked).toHaveLength(64);
  expect(Object.keys(asked[0] ?? {})).toHaveLength(64);
});

test.each<[SubscriptionSelector, readonly string[]]>([
  [{}, []],
  [{ matchFields: { apiVersion: 'v1' } }, ['v1']],
  [{ matchFieldExpressions: [isIn('apiVersion', 'v1', 'v2')] }, ['v1', 'v2']],
  [{ matchFieldExpressions: [{ ...isNotIn, key: 'apiVersion' }, isIn('kind', 'K')] }, []],
])('%j asks for the versions %j', (selector, expected) => {
  expect(versionsAskedFor(selector)).toEqual(expected);
});
