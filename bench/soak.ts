/**
 * Measures whether a long-running server stays flat: 200 000 complete runs (`TUTTI_BENCH_RUNS`) by 50 synthetic agents. Old runs
 * leave all the time. There are two followers, two subscriptions with inboxes, and visitors who view everything, come and go, and
 * cancel runs. Memory, open files, threads, the database and run times are sampled; three tenths of the runs are warm-up.
 */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { allEnded } from './support/all-ended.ts';
import { type BenchmarkContext, runBenchmark } from './support/benchmark.ts';
import { getText } from './support/exchange.ts';
import { runToEnd } from './support/follow.ts';
import { deliveredAt, subscribeOne } from './support/inboxes.ts';
import { startRuns } from './support/load.ts';
import { sampleOf } from './support/process-samples.ts';
import { type Sample, soakFigures, soakTable } from './support/quantities.ts';
import { type Figure, figure } from './support/report.ts';
import { RunsInFlight } from './support/runs-in-flight.ts';
import { type ServerProcess, startEntry, startServerProcess } from './support/server-process.ts';
import { median } from './support/statistics.ts';
import { startSyntheticAgents } from './support/synthetic-agent.ts';
import { visit } from './support/visitors.ts';
import { oneStep, oneStepOn } from './support/workflows.ts';

const RUNS = Number(process.env.TUTTI_BENCH_RUNS ?? '200000');
const AGENTS = 50;
/** Twice as many runs as agents: an agent that gets free finds the next run waiting. */
const BUSY = 2 * AGENTS;
const KEPT_RUNS = 2_000;
const FOLLOWERS = 2;
const FOLLOWED = 'followed';
/** Interval of samples with a full garbage collection: rare enough to leave memory as it normally is. */
const COLLECTED_EVERY = 5;
const INBOXES = new URL('./support/inboxes-entry.ts', import.meta.url);

await runBenchmark('soak', measure);

async function measure(context: BenchmarkContext): Promise<readonly Figure[]> {
  const dataDir = join(context.folder, 'data');
  const server = await startServerProcess(dataDir, { limits: {}, retention: { runs: KEPT_RUNS } });
  const inboxes = await startEntry(INBOXES);
  for (const [number, matchKind] of ['WorkflowCompleted', 'WorkflowCanceled'].entries()) {
    await subscribeOne(server, inboxes, { number, selector: { matchKind } });
  }
  const samples = await soak(context, server, dataDir);
  const over = await endedCount(server);
  // Fails when one comes twice.
  await deliveredAt(inboxes, over);
  await inboxes.stop();
  await server.stop();
  console.log(soakTable(samples));
  return [
    figure('runs', [over], 'runs'),
    figure('rate', [over / (samples.at(-1)?.seconds ?? 0)], 'runs/s'),
    ...soakFigures(samples),
  ];
}

/** All at the same time, until so many runs have ended. */
async function soak(
  { scale }: BenchmarkContext,
  server: ServerProcess,
  dataDir: string,
): Promise<readonly Sample[]> {
  const runs = new RunsInFlight(server, oneStep, AGENTS);
  const agents = await startSyntheticAgents(AGENTS, { server, observer: runs.observer });
  // The followed run has an agent of its own, so it waits for no other run.
  const others = await startSyntheticAgents(FOLLOWERS + 1, { server, tags: [FOLLOWED] });
  const workflow = oneStepOn(FOLLOWED);
  const followed: number[] = [];
  const samples: Sample[] = [];
  const begin = performance.now();
  const sample = async () => {
    const has = await sampleOf(server, dataDir, samples.length % COLLECTED_EVERY === 0);
    const seconds = (performance.now() - begin) / 1000;
    samples.push({ ...has, runs: runs.endedCount, seconds, runMs: median(followed.splice(0)) });
  };
  let isOver = false;
  const over = () => isOver;
  const pauseMs = scale(1_000, 50);
  const beside = [
    ...Array.from({ length: FOLLOWERS }, () =>
      repeatUntil(over, pauseMs / 4, async () => {
        followed.push((await runToEnd(server, workflow)).elapsedMs);
      }),
    ),
    repeatUntil(over, pauseMs, async () => {
      const { events } = await runToEnd(server, workflow);
      await visit(server, events[0]?.metadata.workflow_id ?? '');
    }),
    repeatUntil(over, 2 * pauseMs, sample),
  ];
  const ended = runs.ended(scale(RUNS, 300));
  await startRuns(server, oneStep, BUSY);
  await ended;
  isOver = true;
  runs.stop();
  await Promise.all(beside);
  await allEnded(server);
  agents.stop();
  others.stop();
  runs.close();
  return samples;
}

/** Done and canceled, as the server counts them. */
async function endedCount(server: ServerProcess): Promise<number> {
  const metrics = await getText(server, '/metrics');
  const counts = metrics.matchAll(/^tutti_runs_ended_total\{.*\} (\d+)/gm);
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
}

async function repeatUntil(
  isOver: () => boolean,
  pauseMs: number,
  work: () => Promise<void>,
): Promise<void> {
  while (!isOver()) {
    await work();
    await sleep(pauseMs);
  }
}
