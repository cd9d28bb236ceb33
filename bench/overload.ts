/**
 * Offers a server ten times the runs that it can complete. Sends `POST /workflows` of a one-job workflow at a fixed rate, with 50 instant
 * agents. Accepted runs must all end, and soon. Others must be refused with 429 or 503 and `Retry-After`. Afterwards, a new run must take
 * as long as before. The server has its default limits.
 */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { allEnded } from './support/all-ended.ts';
import { type BenchmarkContext, repeat, runBenchmark, timed } from './support/benchmark.ts';
import { runToEnd } from './support/follow.ts';
import { startRuns } from './support/load.ts';
import { type Offered, offerRuns } from './support/offered-runs.ts';
import { type Figure, figure } from './support/report.ts';
import { readRunEnds } from './support/run-ends.ts';
import { RunsInFlight } from './support/runs-in-flight.ts';
import { type ServerProcess, startServerProcess } from './support/server-process.ts';
import { median, quantile } from './support/statistics.ts';
import { startSyntheticAgents } from './support/synthetic-agent.ts';
import { oneStep } from './support/workflows.ts';

const AGENTS = 50;
const TIMES = 10;
const MIB = 2 ** 20;
/** A run counts as slower if it takes twice as long; these milliseconds are noise. */
const CHANCE_MS = 20;

/** Duration of the load; five minutes at most. */
const SECONDS = Math.min(300, Number(process.env.TUTTI_BENCH_SECONDS ?? '60'));

await runBenchmark('overload', measure);

async function measure(context: BenchmarkContext): Promise<readonly Figure[]> {
  const dataDir = join(context.folder, 'data');
  const sustained = await sustainedRate(context);
  // All runs stay, so that none that was accepted can be missed.
  const server = await startServerProcess(dataDir, { limits: {}, retention: { runs: 10_000_000 } });
  const agents = await startSyntheticAgents(AGENTS, { server });
  const before = await repeat(context.scale(40, 3), () => oneRun(server));
  const memory = [(await server.usage()).rssBytes / MIB];
  const seconds = context.scale(SECONDS, 1);
  const offering = offerRuns(server, oneStep, { rate: TIMES * sustained, seconds });
  const offered = await sampled(offering, async () => {
    memory.push((await server.usage()).rssBytes / MIB);
  });
  const usualMs = median(before);
  const recoveredMs = await timed(() => usualAgain(server, 2 * usualMs + CHANCE_MS));
  await allEnded(server);
  agents.stop();
  await server.stop();
  const ends = readRunEnds(dataDir);
  return [
    figure('sustained, closed loop', [sustained], 'runs/s'),
    ...offeredFigures(offered),
    ...endFigures(offered, ends),
    figure('memory before', memory.slice(0, 1), 'MiB'),
    figure('memory at most', [Math.max(...memory)], 'MiB', { atMost: 600 }),
    figure('one run, before', [usualMs], 'ms'),
    figure('until a new run takes as long again', [recoveredMs / 1000], 's', { atMost: 10 }),
  ];
}

/** Completed runs per second when each run that ends is followed by another. */
async function sustainedRate({ folder, scale }: BenchmarkContext): Promise<number> {
  const server = await startServerProcess(join(folder, 'sustained'));
  const runs = new RunsInFlight(server, oneStep, AGENTS);
  const agents = await startSyntheticAgents(AGENTS, { server, observer: runs.observer });
  await startRuns(server, oneStep, 2 * AGENTS);
  const count = scale(3_000, 30);
  const rates = await repeat(scale(4, 2), async () => {
    const elapsedMs = await timed(() => runs.ended(count));
    return (count / elapsedMs) * 1000;
  });
  agents.stop();
  runs.close();
  await server.stop();
  // The first round, in which the code is still being compiled, does not count.
  return median(rates.slice(1));
}

async function oneRun(server: ServerProcess): Promise<number> {
  return (await runToEnd(server, oneStep)).elapsedMs;
}

/** Resolves as `work` does, calling `look` twice a second until then. */
async function sampled<T>(work: Promise<T>, look: () => Promise<void>): Promise<T> {
  let isOver = false;
  const ended = work.finally(() => {
    isOver = true;
  });
  while (!isOver) {
    await look();
    await Promise.race([ended, sleep(500)]);
  }
  return await ended;
}

async function usualAgain(server: ServerProcess, usualMs: number): Promise<void> {
  while ((await oneRun(server)) > usualMs);
}

function offeredFigures(offered: Offered): readonly Figure[] {
  const { seconds, accepted, acceptedMs, refusedMs, others } = offered;
  return [
    figure('offered', [offered.sent / seconds], 'runs/s'),
    figure('not offered, since no connection was free', [offered.unsent / seconds], 'runs/s'),
    figure('accepted', [accepted.length / seconds], 'runs/s'),
    figure('accepted: answered after, p99', [quantile(acceptedMs, 0.99)], 'ms'),
    figure('refused with 429 or 503 and Retry-After', [refusedMs.length / seconds], 'runs/s'),
    figure('refused: answered after, p99', [quantile(refusedMs, 0.99)], 'ms'),
    figure('answered otherwise', [others.length], 'runs', { atMost: 0 }),
  ];
}

function endFigures({ accepted }: Offered, ends: ReadonlyMap<string, number>): readonly Figure[] {
  const elapsed = accepted.flatMap((id) => ends.get(id) ?? []);
  const lost = accepted.length - elapsed.length;
  return [
    figure('accepted, and not done in the end', [lost], 'runs', { atMost: 0 }),
    figure('accepted: done after, p50', [quantile(elapsed, 0.5) / 1000], 's'),
    figure('accepted: done after, p99', [quantile(elapsed, 0.99) / 1000], 's', { atMost: 10 }),
    figure('accepted: done after, at most', [quantile(elapsed, 1) / 1000], 's'),
  ];
}
