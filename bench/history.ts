/**
 * Measures the history of tests, with SQLite and, if it is installed, PostgreSQL. Results of runs are folded. Then a server lists tests
 * and executions. The size of a million executions is that of the database.
 */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { formatTimestamp, type JobId, type WorkflowId } from '@tutti/manifests';
import { emptyRun, type Run } from '@tutti/workflow';
import { foldRun } from '../server/src/plugins/testledger/fold-run.ts';
import type { ServerConfigInput } from '../server/src/runtime/config.ts';
import { openPostgresStore } from '../server/src/store/postgres/postgres-store.ts';
import { openSqliteStore } from '../server/src/store/sqlite/sqlite-store.ts';
import type { Store } from '../server/src/store/store.ts';
import type { FoldedVariant } from '../server/src/store/test-history.ts';
import { installPostgres, PostgresServer, queryAt } from '../tests/support/postgres-server.ts';
import { type BenchmarkContext, runBenchmark } from './support/benchmark.ts';
import { getText } from './support/exchange.ts';
import { latencyFigures, latencyRounds } from './support/latencies.ts';
import { type Figure, figure } from './support/report.ts';
import { startServerProcess } from './support/server-process.ts';
import { writeTestCases } from './support/synthetic-test-cases.ts';

const MIB = 1024 * 1024;
const ROUNDS = { rounds: 5, requests: 100 };
const PAGE = { p99: { atMost: 50 } };
const PARTS = (process.env.TUTTI_BENCH_PARTS ?? 'sqlite,postgres,tests,executions').split(',');
/** Results that are folded together. */
const PORTION = 250;

/** A kind of store, and one of it. */
interface Kind {
  readonly name: string;
  readonly open: () => Promise<Store>;
  readonly bytes: () => Promise<number>;
  readonly config: ServerConfigInput;
  readonly dataDir: string;
}

async function measure(context: BenchmarkContext): Promise<readonly Figure[]> {
  return [
    ...(PARTS.includes('sqlite') ? await measureKind(context, sqliteIn(context)) : []),
    ...(PARTS.includes('postgres') ? await withPostgres(context) : []),
  ];
}

function sqliteIn({ folder }: BenchmarkContext): (part: string) => Promise<Kind> {
  return async (part) => {
    const dataDir = join(folder, part);
    const file = join(dataDir, 'store', 'tutti.db');
    const bytes = async () => (await stat(file)).size;
    return { name: 'SQLite', open: () => openSqliteStore({ file }), bytes, config: {}, dataDir };
  };
}

async function withPostgres(context: BenchmarkContext): Promise<readonly Figure[]> {
  const programs = installPostgres();
  if ('missing' in programs) {
    console.log(`SKIPPED: ${programs.missing}`);
    return [];
  }
  const postgres = await PostgresServer.start(programs.tool);
  try {
    return await measureKind(context, async (part) => {
      const url = await postgres.createDatabase();
      const bytes = async () => {
        const [row] = await queryAt(
          url,
          'SELECT pg_database_size(current_database())::float8 AS n',
        );
        return Number(row?.n);
      };
      const open = () => openPostgresStore({ url });
      const dataDir = join(context.folder, `postgres-${part}`);
      return { name: 'PostgreSQL', open, bytes, config: { store: url }, dataDir };
    });
  } finally {
    await postgres.remove();
  }
}

async function measureKind(
  context: BenchmarkContext,
  make: (part: string) => Promise<Kind>,
): Promise<readonly Figure[]> {
  return [
    ...(PARTS.includes('tests') ? await measureTests(context, await make('tests')) : []),
    ...(PARTS.includes('executions')
      ? await measureExecutions(context, await make('executions'))
      : []),
  ];
}

const runId = (number: number) =>
  `aaaaaaaa-1111-4222-8333-${String(number).padStart(12, '0')}` as WorkflowId;

/** One of a hundred tests fails. */
const numberOf = (index: number): number => 5 * index + (index % 100 === 7 ? 4 : 0);

async function measureTests(context: BenchmarkContext, kind: Kind): Promise<readonly Figure[]> {
  const count = context.scale(100_000, 500);
  const what = (text: string) => `${kind.name}, ${count} tests: ${text}`;
  const store = await kind.open();
  const foldings: number[] = [];
  for (const number of [1, 2, 3]) {
    await writeTestCases(store, runId(number), { count, numberOf });
    foldings.push(await folding(store, runId(number)));
  }
  await store.close();
  const [first = 0, ...later] = foldings;
  return [
    figure(what('the first run folded, processor time'), [first], 's', { atMost: 10 }),
    figure(what('a later run folded, processor time'), later, 's', { atMost: 10 }),
    figure(what('database'), [(await kind.bytes()) / MIB], 'MiB'),
    ...(await measureLists(context, kind, what)),
  ];
}

/** Seconds of all threads. */
async function folding(store: Store, workflowId: WorkflowId): Promise<number> {
  const [waiting] = await store.unfoldedRuns(1);
  if (waiting?.workflowId !== workflowId) throw new Error('The run does not wait.');
  const before = process.cpuUsage();
  await foldRun(
    {
      store,
      runs: { find: async () => RUN },
      mainBranches: ['main'],
      logger: console,
      signal: new AbortController().signal,
    },
    waiting,
  );
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

/** The parts of a run that a folding reads. */
const RUN = {
  ...emptyRun,
  manifest: { metadata: { name: 'nightly' } },
  jobs: new Map(
    [0, 1, 2, 3].map((number) => [
      `job-${number}`,
      {
        jobId: `job-${number}` as JobId,
        key: `job-${number}`,
        bundle: null,
        ranOn: null,
        tags: [],
      },
    ]),
  ),
} as unknown as Run;

async function measureLists(
  context: BenchmarkContext,
  kind: Kind,
  what: (text: string) => string,
): Promise<readonly Figure[]> {
  const server = await startServerProcess(kind.dataDir, kind.config);
  const figures: Figure[] = [];
  for (const query of [
    ...['sort=-impact', 'sort=-flakeRate', 'sort=-failures', 'sort=-duration', 'sort=name'],
    ...['sort=lastFailed', 'sort=name&page=500', 'sort=-duration&state=unsure'],
    ...['state=broken,flaky&sort=name', 'namespace=other', 'search=item%20123', 'search=ADDS'],
    ...['search=no%20such&sort=-duration'],
  ]) {
    const rounds = await latencyRounds(context, ROUNDS, () => getText(server, `/tests?${query}`));
    figures.push(...latencyFigures(what(query), rounds, PAGE));
  }
  await server.stop();
  return figures;
}

const uuid = (kind: number, number: number): string =>
  `0000000${kind}-0000-5000-8000-${String(number).padStart(12, '0')}`;

async function measureExecutions(
  context: BenchmarkContext,
  kind: Kind,
): Promise<readonly Figure[]> {
  const [runs, tests] = [context.scale(500, 5), context.scale(2_000, 50)];
  const store = await kind.open();
  // Tests and variants come with the first run.
  await writeExecutions(store, 0, tests);
  await store.close();
  const before = await kind.bytes();
  const again = await kind.open();
  for (let run = 1; run < runs; run += 1) await writeExecutions(again, run, tests);
  await again.close();
  const each = ((await kind.bytes()) - before) / ((runs - 1) * tests);
  const server = await startServerProcess(kind.dataDir, {
    ...kind.config,
    testHistory: { days: 1e5 },
  });
  const path = (test: number) => `/tests/${uuid(8, test)}/executions`;
  let asked = 0;
  const rounds = await latencyRounds(context, ROUNDS, () =>
    getText(server, path((asked++ * 77) % tests)),
  );
  await server.stop();
  const what = `${kind.name}, ${runs * tests} executions`;
  return [
    figure(`${what}: ten million of them`, [(each * 10_000_000) / MIB], 'MiB', { atMost: 300 }),
    ...latencyFigures(`${what}: those of a test in ${runs} runs`, rounds, PAGE),
  ];
}

async function writeExecutions(store: Store, number: number, tests: number): Promise<void> {
  const beginMs = Date.UTC(2026, 0, 1) + number * 3_600_000;
  const begin = {
    ...{ workflowId: runId(number), namespace: 'default', project: 'shop', name: 'nightly' },
    ...{ version: `v${number}`, branch: 'main', isMain: true, massJobs: [] },
    ...{ createdAt: formatTimestamp(beginMs), places: [{ agent: 'build-7', tags: ['linux'] }] },
  };
  await store.write({ testHistory: { begin } });
  const run = (await store.begunRun(runId(number)))?.run ?? 0;
  for (let first = 0; first < tests; first += PORTION) {
    const length = Math.min(PORTION, tests - first);
    const variants = Array.from({ length }, (_, at) => variantOf(first + at, beginMs));
    await store.write({ testHistory: { part: { run, variants, journal: [] } } });
  }
  const end = { run, workflowId: runId(number), mark: 0, onlyFailed: null };
  await store.write({ testHistory: { end } });
}

function variantOf(number: number, beginMs: number): FoldedVariant {
  const of = { namespace: 'default', project: 'shop', technology: 'junit', suite: 'cart' };
  return {
    test: { id: uuid(8, number), ...of, name: `case ${number}` },
    variant: { id: uuid(9, number), job: 'unit', function: '' },
    executions: [
      {
        ...{ attempt: 1, outcome: 'success', place: 0 },
        ...{ startedMs: beginMs + 5_000 + number * 20, durationMs: 10 + (number % 997) / 10 },
      },
    ],
    ledger: null,
  };
}

await runBenchmark('history', measure);
