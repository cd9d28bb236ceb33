/**
 * Measures completed runs per second, with one step and with 20, on 50 instant agents. Meanwhile 0 to 100 000 other runs wait for
 * an agent. Each run is accepted, placed, run, released and ended. For comparison: the same agents with a server that stores and
 * decides nothing, and the database alone with these events.
 */
import { join } from 'node:path';
import { bareSqliteRate } from './support/bare-sqlite.ts';
import { type BenchmarkContext, repeat, runBenchmark, timed } from './support/benchmark.ts';
import { eventTexts } from './support/event-texts.ts';
import { startRuns } from './support/load.ts';
import { type Figure, figure, type Promised } from './support/report.ts';
import { RunsInFlight } from './support/runs-in-flight.ts';
import { type ServerProcess, startEntry, startServerProcess } from './support/server-process.ts';
import { median } from './support/statistics.ts';
import { startSyntheticAgents } from './support/synthetic-agent.ts';
import { manySteps, oneStep } from './support/workflows.ts';

const AGENTS = 50;
/** Twice as many runs as agents: an agent that gets free finds the next run waiting. */
const BUSY = 2 * AGENTS;
/** Runs of a commit, as in `accept`. */
const BATCH = 50;
const BARE_EXCHANGE = new URL('./support/bare-exchange.ts', import.meta.url);
const MIB = 2 ** 20;

interface Case {
  readonly steps: number;
  readonly queues: readonly number[];
  /** Runs per round. */
  readonly runs: number;
  readonly promised: readonly Promised[];
}

const FULL: readonly Case[] = [
  {
    steps: 1,
    queues: [0, 1_000, 10_000, 100_000],
    runs: 2_000,
    promised: [{ atLeast: 300 }, { atLeast: 500 }],
  },
  { steps: 20, queues: [0, 10_000, 100_000], runs: 150, promised: [] },
];
const SMOKE = FULL.map((each) => ({ ...each, queues: [0, 50], runs: 50 }));
/** Minimum share of the rate without a queue, in percent: waiting runs must not slow down running ones. */
const FLAT = { atLeast: 90 };

await runBenchmark('run', measure);

async function measure(context: BenchmarkContext): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const each of context.scale(FULL, SMOKE)) {
    figures.push(...(await measureCase(context, each)), ...(await measureLimits(context, each)));
  }
  return figures;
}

async function measureCase(context: BenchmarkContext, each: Case): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  const medians: number[] = [];
  for (const queue of each.queues) {
    const { rates, rssBytes } = await withQueue(context, each, queue);
    medians.push(median(rates));
    figures.push(
      figure(`${titleOf(each)}, ${queue} queued`, rates, 'runs/s', ...each.promised),
      figure(`${titleOf(each)}, ${queue} queued: memory of the server`, [rssBytes / MIB], 'MiB'),
    );
  }
  const kept = ((medians.at(-1) ?? Number.NaN) / (medians[0] ?? Number.NaN)) * 100;
  const what = `${titleOf(each)}: with ${each.queues.at(-1)} queued, of the rate with none`;
  return [...figures, figure(what, [kept], '%', FLAT)];
}

function titleOf({ steps }: Case): string {
  return steps === 1 ? 'runs of 1 step' : `runs of ${steps} steps`;
}

function workflowOf({ steps }: Case): object {
  return steps === 1 ? oneStep : manySteps(steps);
}

async function withQueue(context: BenchmarkContext, each: Case, queue: number) {
  const server = await startServerProcess(join(context.folder, `data-${each.steps}-${queue}`));
  const all = queue + BUSY;
  const counted = each.runs * roundsOf(context) + BUSY;
  // The first runs of the queue are run and counted; the rest only waits.
  await startRuns(server, workflowOf(each), Math.min(all, counted));
  await startRuns(server, oneStep, Math.max(0, all - counted));
  const rates = await completionRates(server, each, context);
  const { rssBytes } = await server.usage();
  await server.stop();
  return { rates, rssBytes };
}

function roundsOf({ scale }: BenchmarkContext): number {
  return scale(5, 2);
}

async function completionRates(
  server: ServerProcess,
  each: Case,
  context: BenchmarkContext,
): Promise<readonly number[]> {
  const runs = new RunsInFlight(server, workflowOf(each), AGENTS);
  const agents = await startSyntheticAgents(AGENTS, { server, observer: runs.observer });
  // The first round, in which the code is still being compiled, does not count.
  const all = await repeat(roundsOf(context), async () => {
    const elapsedMs = await timed(() => runs.ended(each.runs));
    return (each.runs / elapsedMs) * 1000;
  });
  agents.stop();
  runs.close();
  return all.slice(1);
}

async function measureLimits(context: BenchmarkContext, each: Case): Promise<readonly Figure[]> {
  const bare = await startEntry(BARE_EXCHANGE, [String(each.steps)]);
  await startRuns(bare, oneStep, BUSY);
  const rates = await completionRates(bare, each, context);
  await bare.stop();
  return [
    figure(`${titleOf(each)}: bare HTTP`, rates, 'runs/s'),
    figure(
      `${titleOf(each)}: bare SQLite, same events, batches of ${BATCH}`,
      await sqliteRates(context, each),
      'runs/s',
    ),
  ];
}

async function sqliteRates(
  { folder, scale }: BenchmarkContext,
  each: Case,
): Promise<readonly number[]> {
  const server = await startServerProcess(join(folder, `data-${each.steps}-events`));
  const agents = await startSyntheticAgents(1, { server });
  const texts = await eventTexts(server, workflowOf(each));
  agents.stop();
  await server.stop();
  const size = { runs: scale(each.runs, BATCH), batch: BATCH };
  return repeat(scale(5, 1), async (round) =>
    bareSqliteRate(join(folder, `bare-${each.steps}-${round}.db`), texts, size),
  );
}
