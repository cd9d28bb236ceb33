/** Subscriptions that choose events by expressions. */
import { afterAll, beforeAll, expect } from 'vitest';
import { bodyOf } from '../../support/api.ts';
import { eventually } from '../../support/eventually.ts';
import { type ServerChild, Workbench } from '../../support/workbench.ts';
import { featuresOf } from '../feature.ts';
import { PLUGIN_AREA } from './area.ts';
import { startPlugin } from './plugin-program.ts';
import { publishedOperators } from './published-operators.ts';

let bench: Workbench;
let server: ServerChild;
const feature = featuresOf(PLUGIN_AREA);

beforeAll(async () => {
  bench = await Workbench.open();
  server = await bench.server();
});

afterAll(() => bench.close());

/** The published events. */
const EVENTS = [
  { metadata: { labels: { team: 'red' } }, spec: { team: 'red', tags: ['a', 'b', 'c'] }, n: 1 },
  { metadata: { labels: { team: 'blue' } }, spec: { team: 'blue', tags: ['a'] }, n: 2 },
  { metadata: {}, spec: {}, n: 3 },
];

/** Numbers of the events that an operator selects. A published operator that is missing here has no test. */
const TAKEN: Readonly<Record<string, readonly number[]>> = {
  In: [1],
  NotIn: [2, 3],
  Exists: [1, 2],
  DoesNotExist: [3],
  ContainsAll: [1],
  DoesNotContainAll: [2, 3],
};

function expressionOf(operator: string, key: string) {
  if (operator.endsWith('All')) return { key: 'spec.tags', operator, values: ['b', 'a'] };
  return { key, operator, ...(operator.endsWith('In') ? { values: ['red', 'green'] } : {}) };
}

feature('chooses events by expressions on labels and fields', async (run) => {
  const { labels, fields } = publishedOperators(run.program);
  expect([labels.length, fields.length]).toEqual([4, run.subject.generates ? 6 : 4]);
  const byLabel = labels.map((operator) => ({
    choice: `label-${operator}`,
    taken: TAKEN[operator] ?? [],
    selector: { expressions: [expressionOf(operator, 'team')] },
  }));
  const byField = fields.map((operator) => ({
    choice: `field-${operator}`,
    taken: TAKEN[operator] ?? [],
    selector: { fieldexpressions: [expressionOf(operator, 'spec.team')] },
  }));
  const choices = [...byLabel, ...byField];
  const kind = `Kind-${run.id}`;
  const selectors = Object.fromEntries(choices.map(({ choice, selector }) => [choice, selector]));
  const env = { KIND: kind, CHOICES: JSON.stringify(selectors) };
  const { program, subscriptions } = await startPlugin(bench, server, run, 'selective', { env });
  for (const event of EVENTS) {
    const answer = await server.call('POST', '/publications', { body: { kind, ...event } });
    expect(bodyOf(answer).message).toBe('Publication received.');
  }
  const expected = choices.flatMap(({ choice, taken }) => taken.map((n) => `${choice} took ${n}`));
  const lines = () => program.stdout.split('\n').filter((line) => line.includes(' took '));
  await eventually('what it chose', () => lines().length >= expected.length);
  expect(lines().toSorted()).toEqual(expected.toSorted());
  // Nothing more is on its way.
  const counts = (await subscriptions()).map(({ status }) => Object(status).publicationCount);
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(expected.length);
});

feature('finds its expressions in the listing as it wrote them', async (run) => {
  const expressions = [{ key: 'team', operator: 'NotIn', values: ['red', 'blue'] }];
  const fieldexpressions = [{ key: 'metadata.name', operator: 'Exists' }];
  const env = {
    KIND: `Kind-${run.id}`,
    CHOICES: JSON.stringify({ all: { expressions, fieldexpressions } }),
  };
  const { subscriptions } = await startPlugin(bench, server, run, 'selective', { env });
  const [listed] = await subscriptions();
  expect(listed).toMatchObject({
    metadata: {
      annotations: {
        'opentestfactory.org/fieldselector': `kind==Kind-${run.id},metadata.name`,
        'opentestfactory.org/labelselector': 'team notin (red, blue)',
      },
    },
    spec: { selector: { matchExpressions: expressions, matchFieldExpressions: fieldexpressions } },
  });
});
