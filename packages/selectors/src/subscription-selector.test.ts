import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SUBSCRIPTION_SELECTOR_LIMITS } from './limits.ts';
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

const { comparedEntries } = SUBSCRIPTION_SELECTOR_LIMITS;

const event = {
  apiVersion: 'opentestfactory.org/v1beta1',
  kind: 'ProviderCommand',
  metadata: { name: 'p', step_sequence_id: 4, labels: { 'opentestfactory.org/category': 'robot' } },
  step: { with: { 'a.b/c': 'x' } },
  'runs-on': ['ssh', 'linux', 'fast'],
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

const label = (operator: string, ...values: readonly string[]) => ({
  matchExpressions: [expression('opentestfactory.org/category', operator, values)],
});
const field = (key: string, operator: string, ...values: readonly string[]) => ({
  matchFieldExpressions: [expression(key, operator, values)],
});
const expression = (key: string, operator: string, values: readonly string[]) =>
  // The table has each operator with what it takes.
  ({ key, operator, ...(values.length === 0 ? {} : { values }) }) as never;

/** As above. */
const expressionRows: readonly (readonly [SubscriptionSelector, boolean])[] = [
  [label('In', 'other', 'robot'), true],
  [label('In', 'other'), false],
  [label('NotIn', 'other'), true],
  [label('NotIn', 'other', 'robot'), false],
  [label('Exists'), true],
  [label('DoesNotExist'), false],
  [{ matchExpressions: [expression('team', 'NotIn', ['red'])] }, true],
  [{ matchExpressions: [expression('team', 'Exists', [])] }, false],
  [{ matchExpressions: [expression('team', 'DoesNotExist', [])] }, true],
  [{ matchExpressions: [expression('metadata', 'Exists', [])] }, false],
  [
    {
      matchExpressions: [
        ...label('Exists').matchExpressions,
        ...label('NotIn', 'robot').matchExpressions,
      ],
    },
    false,
  ],
  [field('kind', 'In', 'Workflow', 'ProviderCommand'), true],
  [field('kind', 'NotIn', 'Workflow', 'ProviderCommand'), false],
  [field('metadata.step_sequence_id', 'In', '4'), true],
  [field('step.with[a.b/c]', 'In', 'x'), true],
  [field('step.with', 'In', 'x'), false],
  [field('step.with', 'NotIn', 'x'), true],
  [field('step.with', 'Exists'), true],
  [field('step.without', 'Exists'), false],
  [field('step.without', 'DoesNotExist'), true],
  [field('step..with', 'Exists'), false],
  [field('step..with', 'DoesNotExist'), true],
  [field('step..with', 'NotIn', 'x'), true],
  [field('runs-on', 'ContainsAll', 'linux', 'ssh'), true],
  [field('runs-on', 'ContainsAll', 'linux', 'windows'), false],
  [field('runs-on', 'DoesNotContainAll', 'linux', 'ssh'), false],
  [field('runs-on', 'DoesNotContainAll', 'linux', 'windows'), true],
  [field('runs-on', 'In', 'linux'), false],
  [field('metadata.name', 'ContainsAll', 'p'), true],
  [field('metadata.tags', 'ContainsAll', 'linux'), false],
  [field('metadata.tags', 'DoesNotContainAll', 'linux'), true],
  [{ matchKind: 'ProviderCommand', ...label('In', 'robot'), ...field('runs-on', 'Exists') }, true],
  [{ matchKind: 'Workflow', ...label('In', 'robot') }, false],
];

test.each([...rows, ...expressionRows])(
  // HTTP 2.4: A selector has at least one of its three properties, and no other but expressions, which toolkits send.
  // HTTP 6: Selectors match by kind, fields and labels.
  'the subscription selector %j matches: %j',
  (selector, expected) => {
    expect(compileSubscriptionSelector(selector).matches(event)).toBe(expected);
  },
);

test('the kind of a selector is known without matching', () => {
  expect(compileSubscriptionSelector({ matchKind: 'Workflow' }).matchKind).toBe('Workflow');
  expect(compileSubscriptionSelector().matchKind).toBeUndefined();
});

test('a field that cannot be looked up is refused', () => {
  expect(() => compileSubscriptionSelector({ matchFields: { '.a': 'x' } })).toThrow(
    'Invalid expression ".a": ',
  );
});

// Bound: Entries of a list that an expression compares.
test('of a list only its first entries are compared', () => {
  const tags = (count: number) => Array.from({ length: count }, (_, index) => `tag${index}`);
  const { matches: hasLast } = compileSubscriptionSelector(
    field('tags', 'ContainsAll', `tag${comparedEntries - 1}`),
  );
  expect(hasLast({ tags: tags(comparedEntries) })).toBe(true);
  const { matches: hasNext } = compileSubscriptionSelector(
    field('tags', 'ContainsAll', `tag${comparedEntries}`),
  );
  expect(hasNext({ tags: tags(comparedEntries + 1) })).toBe(false);
});

test('a field of an expression that cannot be looked up is refused', () => {
  expect(() => compileSubscriptionSelector(field('a b', 'Exists'))).toThrow(
    'Invalid expression "a b": ',
  );
});

test.each([
  [label('In'), 'The operator In of "opentestfactory.org/category" needs values.'],
  [field('a.b', 'DoesNotContainAll'), 'The operator DoesNotContainAll of "a.b" needs values.'],
  [field('a.b', 'Exists', 'x'), 'The operator Exists of "a.b" takes no values.'],
])('%j is refused', (selector, message) => {
  expect(() => compileSubscriptionSelector(selector)).toThrow(message);
});

test('too many conditions are refused', () => {
  const fields = Array.from({ length: CONDITIONS_MAX }, (_, index) => [`a${index}`, 'x']);
  const matchFields: Record<string, string> = Object.fromEntries(fields);
  expect(compileSubscriptionSelector({ matchFields }).matches({})).toBe(false);
  for (const more of [{ matchKind: 'K' }, label('Exists'), field('a', 'Exists')]) {
    expect(() => compileSubscriptionSelector({ ...more, matchFields })).toThrow(
      'Selector with more than 100 conditions.',
    );
  }
});

test('a selector is described as conditions that a selector text can have', () => {
  const selector = {
    matchKind: 'ProviderCommand',
    matchFields: { apiVersion: 'v1', 'a.b': 'c' },
    matchLabels: { 'org/category': 'robot', other: 'x' },
    matchExpressions: [expression('a', 'NotIn', ['b', 'c']), expression('d', 'DoesNotExist', [])],
    matchFieldExpressions: [expression('e.f', 'Exists', []), expression('g', 'ContainsAll', ['h'])],
  };
  expect(describeFieldSelector(selector)).toBe(
    'kind==ProviderCommand,apiVersion==v1,a.b==c,e.f,(h) in g',
  );
  expect(describeLabelSelector(selector)).toBe('org/category==robot,other==x,a notin (b, c),!d');
});

test('a selector without conditions is described by the empty text', () => {
  expect(describeFieldSelector()).toBe('');
  expect(describeLabelSelector({ matchKind: 'Workflow' })).toBe('');
});

test('a description, parsed as selector texts, matches what the selector matches', () => {
  const name = fc.constantFrom('a', 'b', 'c-d');
  const value = fc.constantFrom('1', 'x', 'x/y');
  const entries = fc.dictionary(name, value, { maxKeys: 3, noNullPrototype: true });
  const values = fc.uniqueArray(value, { minLength: 1 });
  const existence = fc.record({
    key: name,
    operator: fc.constantFrom('Exists' as const, 'DoesNotExist' as const),
  });
  const expressionsOf = <Operator extends string>(...operators: readonly Operator[]) =>
    fc.array(
      fc.oneof(
        existence,
        fc.record({ key: name, operator: fc.constantFrom(...operators), values }),
      ),
      { maxLength: 2 },
    );
  const selectors = fc.record({
    matchKind: value,
    matchFields: entries,
    matchLabels: entries,
    matchExpressions: expressionsOf('In', 'NotIn'),
    matchFieldExpressions: expressionsOf('In', 'NotIn', 'ContainsAll', 'DoesNotContainAll'),
  });
  const fieldsOfEvent = fc.dictionary(name, fc.oneof(value, values), {
    maxKeys: 3,
    noNullPrototype: true,
  });
  fc.assert(
    fc.property(selectors, value, fieldsOfEvent, entries, (selector, kind, fields, labels) => {
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
