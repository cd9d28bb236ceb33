/**
 * Compares PostgreSQL with SQLite, by turns. Each turn starts a server with an empty store. PostgreSQL runs on the same machine, so it
 * shares the cores with the servers.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ServerConfigInput } from '../server/src/runtime/config.ts';
import { openPostgresStore } from '../server/src/store/postgres/postgres-store.ts';
import { openSqliteStore } from '../server/src/store/sqlite/sqlite-store.ts';
import type { Store } from '../server/src/store/store.ts';
import { installPostgres, PostgresServer } from '../tests/support/postgres-server.ts';
import { type BenchmarkContext, repeat, runBenchmark, timed } from './support/benchmark.ts';
import { runToEnd } from './support/follow.ts';
import { sendMany, startRuns } from './support/load.ts';
import { nextCommandMs } from './support/next-commands.ts';
import { withOwnAgent } from './support/own-agent.ts';
import { withChildrenMs } from './support/process-times.ts';
import { type Figure, figure, type Promised } from './support/report.ts';
import { RunsInFlight } from './support/runs-in-flight.ts';
import { type ServerProcess, startServerProcess } from './support/server-process.ts';
import { median } from './support/statistics.ts';
import { submissionText } from './support/submissions.ts';
import { startSyntheticAgents } from './support/synthetic-agent.ts';
import { appendRate } from './support/two-event-appends.ts';
import { chain, manySteps, oneStep } from './support/workflows.ts';

const STORES = ['SQLite', 'PostgreSQL'] as const;
type StoreName = (typeof STORES)[number];

const AGENTS = 50;
const CONNECTIONS = 50;
/** The first one, in which the code is still being compiled, does not count. */
const ROUNDS_OF_TURN = 3;

/** Runs of one round. */
const acceptedRuns = ({ scale }: BenchmarkContext) => scale(5_000, 200);
const completeRuns = ({ scale }: BenchmarkContext) => scale(2_000, 50);

/** A store of one turn. */
interface Place {
  readonly name: StoreName;
  /** A folder that does not exist yet. */
  readonly folder: string;
  /** The address of a new database; null for SQLite. */
  readonly url: string | null;
}

interface Comparison {
  readonly what: string;
  readonly unit: string;
  /** A bound of the median with PostgreSQL, divided by that with SQLite. */
  readonly ratio: Promised;
  /** The values of one turn. */
  readonly measure: (place: Place, context: BenchmarkContext) => Promise<readonly number[]>;
}

const COMPARISONS: readonly Comparison[] = [
  {
    what: 'store alone, two-event appends of 50 callers',
    unit: 'appends/s',
    ratio: { atLeast: 1 },
    measure: appends,
  },
  { what: 'runs accepted', unit: 'runs/s', ratio: { atLeast: 0.8 }, measure: accepted },
  {
    what: 'complete runs of 1 step',
    unit: 'runs/s',
    ratio: { atLeast: 0.85 },
    measure: completeOneStep,
  },
  {
    what: 'complete runs of 20 steps',
    unit: 'runs/s',
    ratio: { atLeast: 0.8 },
    measure: (place, context) => complete(place, manySteps(20), context.scale(150, 20)),
  },
  {
    what: "to a step's next command, one agent: p50",
    unit: 'ms',
    ratio: { atMost: 1.6 },
    measure: nextCommands,
  },
  { what: 'chain of 40 jobs', unit: 'ms', ratio: { atMost: 1.5 }, measure: chains },
];

let postgres: PostgresServer;
let places = 0;
await runBenchmark('stores', measureAll);

async function measureAll(context: BenchmarkContext): Promise<readonly Figure[]> {
  const programs = installPostgres();
  if ('missing' in programs) {
    console.log('SKIPPED: it needs PostgreSQL.');
    return [];
  }
  postgres = await PostgresServer.start(programs.tool);
  try {
    const figures: Figure[] = [];
    for (const each of COMPARISONS) figures.push(...(await compare(each, context)));
    return [...figures, ...(await databaseTimes(context))];
  } finally {
    await postgres.remove();
  }
}

async function compare(each: Comparison, context: BenchmarkContext): Promise<readonly Figure[]> {
  const values: Record<StoreName, number[]> = { SQLite: [], PostgreSQL: [] };
  await repeat(context.scale(3, 1), async () => {
    for (const name of STORES)
      values[name].push(...(await each.measure(await place(name, context), context)));
  });
  const ratio = median(values.PostgreSQL) / median(values.SQLite);
  return [
    ...STORES.map((name) => figure(`${each.what}, ${name}`, values[name], each.unit)),
    figure(`${each.what}: ratio`, [ratio], '', each.ratio),
  ];
}

async function place(name: StoreName, { folder }: BenchmarkContext): Promise<Place> {
  places += 1;
  const url = name === 'SQLite' ? null : await postgres.createDatabase();
  return { name, folder: join(folder, String(places)), url };
}

function configOf({ url }: Place): ServerConfigInput {
  return url === null ? {} : { store: url };
}

async function withServer<T>(each: Place, work: (server: ServerProcess) => Promise<T>): Promise<T> {
  const server = await startServerProcess(each.folder, configOf(each));
  try {
    return await work(server);
  } finally {
    await server.stop();
  }
}

async function appends({ url, folder }: Place, { scale }: BenchmarkContext) {
  const store: Store =
    url === null
      ? await openSqliteStore({ file: `${folder}.db` })
      : await openPostgresStore({ url });
  try {
    const rates = await repeat(ROUNDS_OF_TURN, (round) => appendRate(store, round, scale(400, 5)));
    return rates.slice(1);
  } finally {
    await store.close();
  }
}

async function accepted(each: Place, context: BenchmarkContext) {
  const count = acceptedRuns(context);
  return await withServer(each, async ({ url, token }) => {
    const request = submissionText('JSON', token, oneStep);
    const rates = await repeat(ROUNDS_OF_TURN, async () => {
      const elapsedMs = await timed(() =>
        sendMany(url, request, { count, connections: CONNECTIONS }),
      );
      return (count / elapsedMs) * 1000;
    });
    return rates.slice(1);
  });
}

async function completeOneStep(each: Place, context: BenchmarkContext) {
  return await complete(each, oneStep, completeRuns(context));
}

async function complete(each: Place, workflow: object, count: number) {
  return await withServer(each, async (server) => {
    await startRuns(server, workflow, 2 * AGENTS);
    const runs = new RunsInFlight(server, workflow, AGENTS);
    const agents = await startSyntheticAgents(AGENTS, { server, observer: runs.observer });
    const rates = await repeat(ROUNDS_OF_TURN, async () => {
      const elapsedMs = await timed(() => runs.ended(count));
      return (count / elapsedMs) * 1000;
    });
    agents.stop();
    runs.close();
    return rates.slice(1);
  });
}

async function nextCommands(each: Place, { scale }: BenchmarkContext) {
  return await withServer(each, async (server) => [await nextCommandMs(server, scale(20, 2))]);
}

async function chains(each: Place, { scale }: BenchmarkContext) {
  const workflow = chain(scale(40, 3));
  return await withOwnAgent(
    each.folder,
    async (server) => {
      const all = await repeat(
        scale(5, 2),
        async () => (await runToEnd(server, workflow)).elapsedMs,
      );
      return all.slice(1);
    },
    configOf(each),
  );
}

/** Processor time of the database, for each run. */
async function databaseTimes(context: BenchmarkContext): Promise<readonly Figure[]> {
  const spent = async (measure: Comparison['measure']) => {
    const each = await place('PostgreSQL', context);
    const before = databaseMs();
    await measure(each, context);
    return databaseMs() - before;
  };
  const rounds = context.scale(3, 1);
  const ofAccepted = await repeat(rounds, () => spent(accepted));
  const ofComplete = await repeat(rounds, () => spent(completeOneStep));
  const perRun = (all: readonly number[], runs: number) =>
    all.map((ms) => ms / (ROUNDS_OF_TURN * runs));
  return [
    figure(
      'processor time of the database for an accepted run',
      perRun(ofAccepted, acceptedRuns(context)),
      'ms',
      { atMost: 0.2 },
    ),
    figure(
      'processor time of the database for a complete run',
      perRun(ofComplete, completeRuns(context)),
      'ms',
      { atMost: 0.6 },
    ),
  ];
}

function databaseMs(): number {
  const [pid] = readFileSync(join(postgres.folder, 'data', 'postmaster.pid'), 'utf8').split('\n');
  return withChildrenMs(Number(pid));
}
