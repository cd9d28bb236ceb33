/**
 * Dispatch on our own agent with real shells: each step prints the time at which it runs, so that the time from the server's record
 * of a result to the next step's first command is known. It holds the start of the shells, too: what they take alone is measured
 * with the same script.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { parseTimestamp, type RunEvent } from '@tutti/manifests';
import { type BenchmarkContext, repeat, timed } from './benchmark.ts';
import { runToEnd } from './follow.ts';
import { withOwnAgent } from './own-agent.ts';
import { type Figure, figure, type Promised } from './report.ts';
import { quantile } from './statistics.ts';

/** By the shell itself: a program would have to be started first. */
const PRINT_TIME = 'echo $EPOCHREALTIME';
const SHELL = ['bash', '--noprofile', '--norc', '-eo', 'pipefail', '-c'];

export async function measureOwnAgent(
  { folder, scale }: BenchmarkContext,
  promised: { readonly p50: Promised; readonly p99: Promised },
): Promise<readonly Figure[]> {
  const steps = Array.from({ length: scale(100, 5) }, () => ({ run: PRINT_TIME }));
  const workflow = {
    metadata: { name: 'dates' },
    jobs: { only: { 'runs-on': 'linux', steps } },
  };
  const delays = await withOwnAgent(join(folder, 'own'), async (server) => {
    await runToEnd(server, workflow);
    const runs = await repeat(scale(5, 1), () => runToEnd(server, workflow));
    return runs.flatMap(({ events }) => delaysOf(events));
  });
  return [
    figure('own agent, to first command: p50', [quantile(delays, 0.5)], 'ms', promised.p50),
    figure('own agent, to first command: p99', [quantile(delays, 0.99)], 'ms', promised.p99),
    figure('bare shells with the same command', await shellTimes(scale(50, 5)), 'ms'),
  ];
}

/** Milliseconds from each result to what the next step printed. */
function delaysOf(events: readonly RunEvent[]): readonly number[] {
  const results = events.flatMap((event) =>
    event.kind === 'ExecutionResult' && event.metadata.step_sequence_id >= 0 ? [event] : [],
  );
  return results.slice(1).map((event, index) => {
    const before = parseTimestamp(results[index]?.metadata.creationTimestamp ?? '') ?? Number.NaN;
    return Number(event.logs?.[0]) * 1000 - before;
  });
}

function shellTimes(count: number): Promise<number[]> {
  const line = [...SHELL, `'${PRINT_TIME}'`].join(' ');
  return repeat(count, () => timed(() => spawnSync('/bin/sh', ['-c', line])));
}
