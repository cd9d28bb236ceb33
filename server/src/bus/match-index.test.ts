import { compileSubscriptionSelector, type SubscriptionSelector } from '@tutti/selectors';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MatchIndex } from './match-index.ts';

const word = fc.constantFrom('a', 'b', 'c');
const words = fc.dictionary(word, word, { maxKeys: 2, noNullPrototype: true });
const optional = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined });
const selectors: fc.Arbitrary<SubscriptionSelector> = fc
  .record({
    matchKind: optional(word),
    matchFields: optional(
      fc.dictionary(fc.constantFrom('a', 'b', 'apiVersion', 'metadata.name', 'x..y'), word, {
        maxKeys: 2,
        noNullPrototype: true,
      }),
    ),
    matchLabels: optional(words),
  })
  .map((parts) => Object.fromEntries(Object.entries(parts).filter(([, part]) => part)));
const events = fc
  .record({ fields: words, kind: word, apiVersion: word, name: word, labels: words })
  .map(({ fields, kind, apiVersion, name, labels }) => ({
    ...fields,
    kind,
    apiVersion,
    metadata: { name, labels },
  }));

const itemsOf = (all: readonly SubscriptionSelector[]) =>
  all.map((selector) => ({ selector: compileSubscriptionSelector(selector) }));

test('the index finds those whose selectors match, whatever they ask for and whoever left', () => {
  fc.assert(
    fc.property(fc.array(selectors), fc.array(fc.boolean()), events, (all, leaves, event) => {
      const index = new MatchIndex<ReturnType<typeof itemsOf>[number]>();
      const items = itemsOf(all);
      for (const item of items) index.add(item);
      const gone = items.filter((_, number) => leaves[number] === true);
      for (const item of gone) index.remove(item);
      const expected = items.filter((item) => !gone.includes(item) && item.selector.matches(event));
      expect(new Set(index.matching(event))).toEqual(new Set(expected));
      expect(index.matching(event)).toHaveLength(expected.length);
      const ofKind = items.filter(
        (item) => !gone.includes(item) && item.selector.matchKind === event.kind,
      );
      expect(new Set(index.ofKind(event.kind))).toEqual(new Set(ofKind));
    }),
  );
});

test('an event is tested only against subscriptions to its own value of a label', () => {
  const index = new MatchIndex<ReturnType<typeof itemsOf>[number]>();
  const topics = ['one', 'two', 'three', 'four'];
  const items = itemsOf(topics.map((topic) => ({ matchKind: 'K', matchLabels: { topic } })));
  for (const item of items) index.add(item);
  const event = { kind: 'K', metadata: { labels: { topic: 'three' } } };
  expect(index.candidates(event)).toEqual([items[2]]);
});
