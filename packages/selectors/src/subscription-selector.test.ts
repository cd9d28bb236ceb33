import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseFieldSelector, parseLabelSelector } from './parse-selector.ts';
import { CONDITIONS_MAX, matches } from './selector.ts';
import {
  compileSubscriptionSelector,
  describeFieldSelector,
  describeLabelSelector,
  type NeededValue,
  type SubscriptionSelector,
  textAt,
} from './subscription-selector.ts';

const event = {
  apiVersion: 'opentestfactory.org/v1beta1',
  kind: 'ProviderCommand',
  metadata: { name: 'p', step_sequence_id: 4, labels: { 'opentestfactory.org/category': 'robot' } },
  step: { with: { 'a.b/c': 'x' } },
};

/** [selector, whether the event above matches] */
const rows: readonly (readonly [SubscriptionSelector | undefined, boolean])[] = [
  [undefined, true],
  [{ matchKind: 'ProviderCommand' }, true],
  [{ matchKind: 'Workflow' }, false],
  [{ matchFields: { apiVersion: 'opentestfactory.org/v1beta1' } }, true],
  [{ matchFields: { apiVersion: 'opentestfactory.org/v1' } }, false],
  [{ matchFields: { 'metadata.name': 'p', 'metadata.step_sequence_id': '4' } }, true],
  [{ matchFields: { 'step.with[a.b/c]': 'x' } }, true],
  [{ matchFields: { 'metadata.nothing': 'p' } }, false],
  [{ matchFields: { constructor: 'x' } }, false],
  [{ matchFields: { 'metadata..name': 'p' } }, false],
  [{ matchFields: { 'a..b': 'v' } }, false],
  [{ matchLabels: { 'opentestfactory.org/category': 'robot' } }, true],
  [{ matchLabels: { 'opentestfactory.org/category': 'other' } }, false],
  [{ matchLabels: { 'opentestfactory.org/categoryPrefix': 'robot' } }, false],
  [
    { matchKind: 'ProviderCommand', matchLabels: { 'opentestfactory.org/category': 'robot' } },
    true,
  ],
  [{ matchKind: 'Workflow', matchLabels: { 'opentestfactory.org/category': 'robot' } }, false],
];

test.each(rows)('the subscription selector %j matches: %j', (selector, expected) => {
  expect(compileSubscriptionSelector(selector).matches(event)).toBe(expected);
});

test('the kind of a selector is known without matching', () => {
  expect(compileSubscriptionSelector({ matchKind: 'Workflow' }).matchKind).toBe('Workflow');
  expect(compileSubscriptionSelector().matchKind).toBeUndefined();
});

test('a field that cannot be looked up is refused', () => {
  expect(() => compileSubscriptionSelector({ matchFields: { '.a': 'x' } })).toThrow(
    'Invalid expression ".a": ',
  );
});

test('too many conditions are refused', () => {
  const fields = Array.from({ length: CONDITIONS_MAX }, (_, index) => [`a${index}`, 'x']);
  const matchFields: Record<string, string> = Object.fromEntries(fields);
  expect(compileSubscriptionSelector({ matchFields }).matches({})).toBe(false);
  expect(() => compileSubscriptionSelector({ matchKind: 'K', matchFields })).toThrow(
    'Selector with more than 100 conditions.',
  );
});

test('a selector is described as conditions that a selector text can have', () => {
  const selector = {
    matchKind: 'ProviderCommand',
    matchFields: { apiVersion: 'v1', 'a.b': 'c' },
    matchLabels: { 'org/category': 'robot', other: 'x' },
  };
  expect(describeFieldSelector(selector)).toBe('kind==ProviderCommand,apiVersion==v1,a.b==c');
  expect(describeLabelSelector(selector)).toBe('org/category==robot,other==x');
});

test('a selector without conditions is described by the empty text', () => {
  expect(describeFieldSelector()).toBe('');
  expect(describeLabelSelector({ matchKind: 'Workflow' })).toBe('');
});

test('a description, parsed as selector texts, matches what the selector matches', () => {
  const name = fc.constantFrom('a', 'b', 'c-d');
  const value = fc.constantFrom('1', 'x', 'x/y');
  const entries = fc.dictionary(name, value, { maxKeys: 3, noNullPrototype: true });
  const selectors = fc.record({ matchKind: value, matchFields: entries, matchLabels: entries });
  fc.assert(
    fc.property(selectors, value, entries, entries, (selector, kind, fields, labels) => {
      const object = { ...fields, kind, metadata: { labels } };
      const byText =
        matches(parseFieldSelector(describeFieldSelector(selector)), object) &&
        matches(parseLabelSelector(describeLabelSelector(selector)), object);
      expect(compileSubscriptionSelector(selector).matches(object)).toBe(byText);
    }),
  );
});

test.each<[SubscriptionSelector, NeededValue | null]>([
  [{}, null],
  [{ matchKind: 'K' }, null],
  [{ matchFields: { kind: 'K', apiVersion: 'v1' } }, null],
  [{ matchFields: { 'a..b': 'x' } }, null],
  [{ matchFields: { apiVersion: 'v1', 'a.b': 'x' } }, { path: ['a', 'b'], value: 'x' }],
  [
    { matchFields: { 'a.b': 'x' }, matchLabels: { 'org/c': 'y' } },
    { path: ['metadata', 'labels', 'org/c'], value: 'y' },
  ],
])('%j needs a value beside kind and version', (selector, needs) => {
  expect(compileSubscriptionSelector(selector).needs).toEqual(needs);
});

test.each<[object, string | undefined]>([
  [{ a: { b: 'x' } }, 'x'],
  [{ a: { b: 4 } }, '4'],
  [{ a: { b: null } }, 'null'],
  [{ a: { b: {} } }, undefined],
  [{ a: [] }, undefined],
])('a value of %j is compared by its text', (object, text) => {
  expect(textAt(object, ['a', 'b'])).toBe(text);
});

test('a key with many dots takes no longer than its length', () => {
  const key = `a${'.'.repeat(300_000)}[`;
  expect(() => compileSubscriptionSelector({ matchFields: { [key]: 'x' } })).toThrow(
    expect.objectContaining({ reason: 'Invalid' }),
  );
});
