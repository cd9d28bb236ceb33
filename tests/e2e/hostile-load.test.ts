/** Requests that would take long, one by one or by their number: each has its answer. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bodyOf, itemsOf } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import {
  ended,
  logged,
  logOf,
  logTexts,
  type Manifest,
  oneJob,
  sh,
  start,
  startedId,
} from '../support/runs.ts';
import { type ServerChild, Workbench } from '../support/workbench.ts';

let bench: Workbench;
let server: ServerChild;

beforeAll(async () => {
  bench = await Workbench.open();
  server = await bench.server();
  await bench.agent(server, { tags: ['linux'], name: 'shell' });
});

afterAll(() => bench.close());

const waiting = (name: string) => oneJob(name, [sh('true')], { 'runs-on': 'nowhere' });

test('a list of thousands of ranges is one whole answer, or too large a header', async () => {
  const id = await start(server, waiting('ranges'));
  // The last line that comes before the run goes on.
  await logged(server, id, 'waits:');
  const list = (count: number) =>
    `bytes=${Array.from({ length: count }, (_, index) => `${index}-${index}`).join(',')}`;
  const path = `/workflows/${id}/logs`;
  const some = await server.call('GET', path, { headers: { range: list(1_000) } });
  expect([some.code, some.text]).toEqual([200, await logOf(server, id)]);
  const answer = await server.call('GET', path, { headers: { range: list(5_000) } });
  expect(bodyOf(answer)).toMatchObject({
    code: 400,
    message: 'The headers of the request are too large.',
  });
});

test.each([
  `${'('.repeat(2_000)}a`,
  `a in (${'b,'.repeat(1_500)}b)`,
  '!'.repeat(3_000),
  Array(1_000).fill('a').join(','),
  `metadata${'.a'.repeat(1_500)}==b`,
  `a==${' '.repeat(3_000)}b!`,
])('the selector %.20s... has its answer', async (selector) => {
  const query = `fieldSelector=${encodeURIComponent(selector)}`;
  expect([200, 422]).toContain((await server.call('GET', '/workflows', { query })).code);
});

test('a pattern that branches without end has its answer', async () => {
  const condition = `'${'a'.repeat(40)}!' ~= '^(a+)+$'`;
  const id = await start(server, oneJob('pattern', [sh('true')], { if: condition }));
  expect(await ended(server, id)).toBe('DONE');
  expect((await logTexts(server, id)).join()).toContain('Job "main" skipped');
});

test('a thousand workflows at a time are all accepted, and all end', async () => {
  const many = Array.from({ length: 1_000 }, (_, index): Manifest => {
    // Most of them need no environment, so that the one agent is not what is measured.
    const job = index % 20 === 0 ? {} : { if: 'false' };
    return oneJob(`many ${index}`, [sh('true')], job);
  });
  const answers = await Promise.all(
    many.map((body) => server.call('POST', '/workflows', { body })),
  );
  expect(answers.filter(({ code }) => code !== 201)).toEqual([]);
  const ids = new Set<unknown>(answers.map(startedId));
  expect(ids.size).toBe(1_000);
  await eventually('the end of all', async () => {
    const running = itemsOf(await server.call('GET', '/workflows/status'));
    return !running.some((id) => ids.has(id));
  });
  const query = 'fieldSelector=status.phase==DONE';
  const done = new Set(itemsOf(await server.call('GET', '/workflows', { query })));
  expect([...ids].filter((id) => !done.has(id))).toEqual([]);
});
