/**
 * Measures answers about a run with a million test cases, beside twenty earlier runs of its workflow. They are pages of the data
 * source, with and without scopes and selectors, and a quality gate. It also measures the growth of the write time, and memory.
 */
import { join } from 'node:path';
import { parseWorkflowId, type WorkflowId } from '@tutti/manifests';
import { openSqliteStore } from '../server/src/store/sqlite/sqlite-store.ts';
import { type BenchmarkContext, repeat, runBenchmark, timed } from './support/benchmark.ts';
import { type Figure, figure, type Promised } from './support/report.ts';
import { type ServerProcess, startServerProcess } from './support/server-process.ts';
import { writeTestCases } from './support/synthetic-test-cases.ts';

const MIB = 1024 * 1024;
const [workflowId, ...EARLIER] = workflowIds(21);
const PAGE: Promised = { atMost: 100 };
const SCOPE = encodeURIComponent("test.technology == 'junit' && test.outcome != 'success'");
const RARE = encodeURIComponent("test.testCaseName == 'no such test case'");
const GATE = JSON.stringify({
  qualitygates: [
    {
      name: 'g',
      rules: [
        { rule: { scope: "test.technology == 'junit'", threshold: '50%' } },
        { rule: { scope: "contains(test.runs-on, 'linux')", threshold: '50%' } },
      ],
    },
  ],
});

await runBenchmark('datasource', measure);

async function measure(context: BenchmarkContext): Promise<readonly Figure[]> {
  const count = context.scale(1_000_000, 2_000);
  const dataDir = join(context.folder, 'data');
  const store = await openSqliteStore({ file: join(dataDir, 'store', 'tutti.db') });
  for (const earlier of EARLIER)
    await writeTestCases(store, earlier, { count: context.scale(5_000, 100) });
  const tenthsUs = await writeTestCases(store, workflowId, { count });
  await store.close();
  const server = await startServerProcess(dataDir, { retention: { minutes: 1e9 } });
  try {
    const asked = await askAll(context, server, `/workflows/${workflowId}`, count);
    const { rssBytes } = await server.usage();
    const [first = 0, last = 0] = [tenthsUs[0], tenthsUs.at(-1)];
    return [
      figure(`written, ${count} test cases`, [(tenthsUs.length * 1e6) / sum(tenthsUs)], 'cases/s'),
      figure('written, last tenth compared with the first', [last / first], 'times'),
      ...asked,
      figure('memory of the server at the end', [rssBytes / MIB], 'MiB'),
    ];
  } finally {
    await server.stop();
  }
}

/** The newest first. */
function workflowIds(count: number): readonly [WorkflowId, ...WorkflowId[]] {
  const idOf = (number: number) =>
    parseWorkflowId(`aaaaaaaa-1111-4222-8333-${String(number).padStart(12, '0')}`);
  return [idOf(count), ...Array.from({ length: count - 1 }, (_, index) => idOf(index))];
}

function sum(values: readonly number[]): number {
  return values.reduce((all, value) => all + value, 0);
}

async function askAll(
  { scale }: BenchmarkContext,
  server: ServerProcess,
  run: string,
  count: number,
): Promise<readonly Figure[]> {
  const cases = `${run}/datasources/testcases`;
  const rounds = scale(9, 1);
  const time = async (what: string, path: string, times: number, promised: Promised | null) => {
    await ask(server, path);
    const values = await repeat(times, () => timed(() => ask(server, path)));
    return figure(what, values, 'ms', promised);
  };
  const busy = async (what: string, times: number, action: () => Promise<unknown>) => {
    await action();
    const values = await repeat(times, () => processorMs(server, action));
    return figure(`${what}, processor time`, values, 'ms');
  };
  return [
    await time('first page of 100', cases, rounds, PAGE),
    await time('first page of 1000', `${cases}?per_page=1000`, rounds, PAGE),
    await busy('first page of 1000', rounds, () => ask(server, `${cases}?per_page=1000`)),
    await time('page of 100 in the middle', `${cases}?page=${count / 200}`, rounds, PAGE),
    await time('first page, scope', `${cases}?scope=${SCOPE}`, rounds, PAGE),
    await time('first page, selector', `${cases}?fieldSelector=status=FAILURE`, rounds, PAGE),
    await time('jobs', `${run}/datasources/jobs`, rounds, PAGE),
    await time('scope that takes nothing', `${cases}?scope=${RARE}`, scale(3, 1), null),
    await time(
      'page in the middle, scope',
      `${cases}?scope=${SCOPE}&page=${count / 1000}`,
      1,
      null,
    ),
    await time('jobs, scope', `${run}/datasources/jobs?scope=${SCOPE}`, scale(3, 1), null),
    figure('gate strict', await repeat(rounds, () => timed(() => gate(server, run))), 'ms', PAGE),
    figure('gate of two scopes', [await timed(() => gate(server, run, GATE))], 'ms'),
    await busy('gate of two scopes', 1, () => gate(server, run, GATE)),
  ];
}

/** Processor time of all threads of the server. */
async function processorMs(server: ServerProcess, action: () => Promise<unknown>): Promise<number> {
  const before = await server.usage();
  await action();
  return (await server.usage()).cpuMs - before.cpuMs;
}

async function gate(server: ServerProcess, run: string, definition?: string): Promise<void> {
  const query = definition === undefined ? '' : '&mode=g';
  const answer = await ask(server, `${run}/qualitygate?timeout=60${query}`, definition);
  if (!answer.includes('tests_in_scope')) throw new Error(`The gate has no verdict: ${answer}`);
}

async function ask(server: ServerProcess, path: string, body?: string): Promise<string> {
  const response = await fetch(new URL(path, server.url), {
    headers: {
      authorization: `Bearer ${server.token}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { method: 'POST', body }),
  });
  const answer = await response.text();
  if (response.status !== 200) throw new Error(`${path}: ${response.status} ${answer}`);
  return answer;
}
