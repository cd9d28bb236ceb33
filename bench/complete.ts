/**
 * How many one-step runs the server completes per second with 50 agents that take no time, while 0, 1 000 and 10 000 other runs wait
 * for an agent: each run is accepted, placed, run, released and ended.
 */
import { join } from 'node:path';
import { type BenchmarkContext, repeat, runBenchmark, timed } from './support/benchmark.ts';
import { startRuns } from './support/load.ts';
import { type Figure, figure } from './support/report.ts';
import { RunsInFlight } from './support/runs-in-flight.ts';
import { startServerProcess } from './support/server-process.ts';
import { startSyntheticAgents } from './support/synthetic-agent.ts';
import { oneStep } from './support/workflows.ts';

const AGENTS = 50;
/** Twice as many runs as agents: an agent that gets free finds the next run waiting. */
const BUSY = 2 * AGENTS;

await runBenchmark('run', measure);

async function measure(context: BenchmarkContext): Promise<readonly Figure[]> {
  const queues = context.scale([0, 1_000, 10_000], [0, 50]);
  const figures: Figure[] = [];
  for (const queue of queues) {
    const rates = await completionRates(context, queue);
    figures.push(figure(`runs completed, ${queue} queued`, rates, 'runs/s', { atLeast: 300 }));
  }
  return figures;
}

async function completionRates(
  { folder, scale }: BenchmarkContext,
  queue: number,
): Promise<readonly number[]> {
  const server = await startServerProcess(join(folder, `data${queue}`));
  await startRuns(server, oneStep, queue + BUSY);
  const runs = new RunsInFlight(server, oneStep, AGENTS);
  const agents = await startSyntheticAgents(AGENTS, { server, observer: runs.observer });
  const count = scale(2_000, 50);
  // The first round, in which the code is still being compiled, does not count.
  const all = await repeat(scale(6, 2), async () => {
    const elapsedMs = await timed(() => runs.ended(count));
    return (count / elapsedMs) * 1000;
  });
  agents.stop();
  runs.close();
  await server.stop();
  return all.slice(1);
}
