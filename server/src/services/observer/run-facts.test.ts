import { atOnce } from '@tutti/manifests';
import { type Condition, matches, parseFieldSelector, parseLabelSelector } from '@tutti/selectors';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { RunFacts } from './run-facts.ts';

function factsOf(events: readonly object[]): RunFacts {
  const facts = new RunFacts();
  for (const [index, event] of events.entries()) facts.learn(index + 1, event);
  return facts;
}

const conditionsOf = (fields: string, labels = ''): readonly Condition[] => [
  ...parseFieldSelector(fields).conditions,
  ...parseLabelSelector(labels).conditions,
];

const word = fc.constantFrom('a', 'b', '1');
const labels = fc.dictionary(word, word, { maxKeys: 2, noNullPrototype: true });
const events = fc.array(
  fc.record(
    {
      kind: word,
      status: fc.constantFrom(0, 1, null),
      spec: labels,
      metadata: fc.record(
        {
          name: word,
          step_id: word,
          job_id: fc.oneof(word, labels),
          labels: fc.oneof(labels, word),
        },
        { requiredKeys: [], noNullPrototype: true },
      ),
    },
    { requiredKeys: [], noNullPrototype: true },
  ),
  { maxLength: 30 },
);
const fieldSelectors = fc.constantFrom(
  ...[
    '',
    'kind==a',
    'kind!=a',
    'kind in (a, b)',
    'kind notin (a)',
    'status==1',
    'metadata.step_id',
  ],
  ...[
    '!metadata.step_id',
    'metadata.job_id.a==b',
    'metadata.name==1,kind==b',
    'spec.a==b',
    'metadata',
  ],
);
const labelSelectors = fc.constantFrom('', 'a==b', 'a!=b', '!a', 'b', 'a in (b, 1)');

test('facts agree with the selectors, and leave few events open', () => {
  fc.assert(
    fc.property(events, fieldSelectors, labelSelectors, (all, fields, byLabels) => {
      const conditions = conditionsOf(fields, byLabels);
      const { chosen, open } = atOnce(factsOf(all).decide(conditions, 1, all.length));
      const expected = all.flatMap((event, index) =>
        matches({ conditions }, event) ? [index + 1] : [],
      );
      const read = open.filter((seq) => expected.includes(seq));
      expect([...chosen, ...read].sort((one, other) => one - other)).toEqual(expected);
      if (!/spec|metadata$/.test(fields)) expect(open).toEqual([]);
    }),
  );
});

test('long values are left open, and nothing else', () => {
  const long = 'x'.repeat(2_000);
  const facts = factsOf([long, 'short', undefined, long].map((name) => ({ metadata: { name } })));
  const { chosen, open } = atOnce(
    facts.decide(conditionsOf('metadata.name==short'), 1, facts.seen),
  );
  expect([chosen, open]).toEqual([[2], [1, 4]]);
  expect(
    atOnce(facts.decide(conditionsOf('kind==K,metadata.name==short'), 1, facts.seen)).open,
  ).toEqual([]);
});

test('events that come out of order are passed over', () => {
  const facts = factsOf([{ kind: 'a' }, { kind: 'b' }]);
  facts.learn(2, { kind: 'a' });
  facts.learn(5, { kind: 'a' });
  expect([facts.seen, atOnce(facts.decide(conditionsOf('kind==a'), 1, facts.seen)).chosen]).toEqual(
    [2, [1]],
  );
});

test('the events of a long run are known from any of them on', () => {
  const facts = factsOf(Array.from({ length: 5_000 }, (_, index) => ({ status: index % 2 })));
  expect(atOnce(facts.decide(conditionsOf('status==1'), 4_995, facts.seen)).chosen).toEqual([
    4_996, 4_998, 5_000,
  ]);
});
