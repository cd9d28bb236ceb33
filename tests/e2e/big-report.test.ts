/** A large test report is read by a server that has a small heap, and that is killed meanwhile. */
import type { TestResult } from '@tutti/manifests';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { MIB } from '../support/big-content.ts';
import { eventually } from '../support/eventually.ts';
import { peakMemory } from '../support/process-facts.ts';
import {
  allEvents,
  datasource,
  ended,
  oneJob,
  only,
  sh,
  start,
  workersEnded,
} from '../support/runs.ts';
import { type ServerChild, Workbench } from '../support/workbench.ts';

const CASES = 60_000;
/** Memory for reading: a thread, its garbage, and the events in flight. It is 90 to 105 MiB with either store. */
const GROWTH_MAX = 192 * MIB;
/**
 * A small heap with a small young generation. Garbage in a large one hides what is held: 70 MiB more. Most is there with PostgreSQL, where
 * the main thread makes the statements.
 */
const HEAP = ['--max-old-space-size=192', '--max-semi-space-size=8'];
const TYPE = 'application/vnd.opentestfactory.big-surefire+xml';

/** Writes about 200 MiB, most of it output of passed tests. */
const WRITE = `awk 'BEGIN {
  for (i = 0; i < 44; i++) output = output "2026-01-31 12:34:56 INFO Cart - an item was added to the cart of a customer\\n"
  print "<testsuite name=\\"big\\">"
  for (i = 1; i <= ${CASES}; i++)
    print "<testcase classname=\\"Cart\\" name=\\"adds " i "\\"><system-out><![CDATA[" output "]]></system-out></testcase>"
  print "</testsuite>"
}' > report.xml; echo "::attach type=${TYPE}::$PWD/report.xml"`;

let bench: Workbench;
let server: ServerChild;

const restart = async (from?: ServerChild): Promise<ServerChild> =>
  await bench.server({
    nodeOptions: HEAP,
    ...(from === undefined ? {} : { dataDir: from.dataDir, port: Number(new URL(from.url).port) }),
  });

beforeAll(async () => {
  bench = await Workbench.open();
  server = await restart();
  await bench.agent(server, { tags: ['linux'], name: 'shell' });
  expect(await ended(server, await start(server, oneJob('warm', [sh('true')])))).toBe('DONE');
});

afterAll(() => bench.close());

async function resultsOf(id: string): Promise<readonly TestResult[]> {
  const actual = only(await allEvents(server, id), 'Notification');
  return actual.flatMap(({ spec }) => spec.testResults ?? []);
}

test('each case of a report of 200 MiB is there once, also when the server is killed while it reads', {
  timeout: 240_000,
}, async () => {
  const id = await start(server, oneJob('big', [sh(WRITE)]));
  await eventually('the first results', async () => (await resultsOf(id)).length > 0, {
    withinMs: 120_000,
  });
  await server.child.kill('SIGKILL');
  server = await restart(server);
  const idle = peakMemory(server.child.pid);
  expect((await resultsOf(id)).length).toBeLessThan(CASES);
  await datasource(server, id, 'testcases', { count: 50, query: 'per_page=50' });
  expect(await ended(server, id, { withinMs: 120_000 })).toBe('DONE');
  await workersEnded(server, id);
  const names = (await resultsOf(id)).map(({ name }) => name);
  expect(names).toHaveLength(CASES);
  expect(new Set(names).size).toBe(CASES);
  expect(peakMemory(server.child.pid) - idle).toBeLessThan(GROWTH_MAX);
});
