/**
 * Measures the first step of a run on an idle existing agent, from the start of the run. The agent sleeps between two polls, so
 * half of its polling delay is the best result.
 */
import { join } from 'node:path';
import { type BenchmarkContext, repeat } from './benchmark.ts';
import { FirstSteps } from './first-steps.ts';
import { startRuns } from './load.ts';
import { type Figure, figure } from './report.ts';
import { startServerProcess } from './server-process.ts';
import { quantile } from './statistics.ts';
import { startSyntheticAgents } from './synthetic-agent.ts';
import { POLLING_DELAY_MS, startExistingAgent } from './synthetic-existing-agent.ts';
import { oneStep } from './workflows.ts';

export async function measureFirstSteps({
  folder,
  scale,
}: BenchmarkContext): Promise<readonly Figure[]> {
  const count = scale(50, 5);
  const server = await startServerProcess(join(folder, 'firsts'));
  const firsts = new FirstSteps();
  const options = { server, observer: firsts.observer };
  const agents = await startSyntheticAgents(count, options, startExistingAgent);
  const rounds = await repeat(scale(2, 1), async () => {
    const came = firsts.next(count);
    const startMs = performance.now();
    await startRuns(server, oneStep, count);
    return (await came).map((atMs) => atMs - startMs);
  });
  agents.stop();
  await server.stop();
  const delays = rounds.flat();
  return [
    figure('existing agents with nothing to do, first step: p50', [quantile(delays, 0.5)], 'ms'),
    figure('existing agents with nothing to do, first step: p99', [quantile(delays, 0.99)], 'ms'),
    figure('half of their polling delay', [POLLING_DELAY_MS / 2], 'ms'),
  ];
}
