/**
 * Measures the time from a request to cancel a run until its processes are gone. One of our agents runs a shell with three programs. For
 * comparison: the same processes ended by a signal to their group. And processes that ignore it, which get another one half a second later.
 */
import { spawn } from 'node:child_process';
import { createClient } from '../packages/client/src/index.ts';
import { type BenchmarkContext, repeat, runBenchmark } from './support/benchmark.ts';
import { withOwnAgent } from './support/own-agent.ts';
import { ProcessEnds } from './support/process-ends.ts';
import { type Figure, figure } from './support/report.ts';
import type { ServerProcess } from './support/server-process.ts';
import { quantile } from './support/statistics.ts';

await runBenchmark('cancel', measure);

async function measure({ folder, scale }: BenchmarkContext): Promise<readonly Figure[]> {
  const ends = await ProcessEnds.listen();
  const { gone, stubborn } = await withOwnAgent(folder, async (server) => ({
    gone: (await repeat(scale(55, 2), () => cancelRun(server, ends, ''))).slice(scale(5, 1)),
    stubborn: await repeat(scale(5, 1), () => cancelRun(server, ends, "trap '' TERM")),
  }));
  const bare = await repeat(scale(50, 1), () => endBareGroup(ends));
  ends.close();
  return [
    figure('cancel to processes gone, p50', [quantile(gone, 0.5)], 'ms', { atMost: 100 }),
    figure('cancel to processes gone, p99', [quantile(gone, 0.99)], 'ms'),
    figure('bare signal to processes gone', bare, 'ms'),
    figure('processes that ignore the first signal', stubborn, 'ms'),
  ];
}

async function cancelRun(
  { url, token }: ServerProcess,
  ends: ProcessEnds,
  first: string,
): Promise<number> {
  const client = createClient({ baseUrl: url.href, token });
  const workflow = {
    metadata: { name: 'long' },
    jobs: { only: { 'runs-on': 'linux', steps: [{ run: `${first}\n${ends.script}` }] } },
  };
  const next = ends.next();
  const id = await client.startWorkflow({ manifestText: JSON.stringify(workflow) });
  const processes = await next;
  const start = performance.now();
  await client.cancel(id);
  const elapsedMs = (await processes.gone) - start;
  // The agent is free again for the next round.
  for await (const item of client.watch(id)) if (item.type === 'end') break;
  return elapsedMs;
}

async function endBareGroup(ends: ProcessEnds): Promise<number> {
  const next = ends.next();
  const child = spawn('bash', ['-c', ends.script], { detached: true, stdio: 'ignore' });
  const processes = await next;
  const start = performance.now();
  process.kill(-(child.pid ?? Number.NaN), 'SIGTERM');
  return (await processes.gone) - start;
}
