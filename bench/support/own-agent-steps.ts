/**
 * Measures dispatch on our agent with real shells. Each step prints its time, which gives the time from a stored result to the
 * next step's first command. A shell's own share is measured alone, too; the rest is the time to the start of the step.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { isRunEvent, type LoggedEvent, parseTimestamp } from '@tutti/manifests';
import { type BenchmarkContext, repeat } from './benchmark.ts';
import { runToEnd } from './follow.ts';
import { withOwnAgent } from './own-agent.ts';
import { type Figure, figure, type Promised } from './report.ts';
import { quantile } from './statistics.ts';

/** By the shell itself: a program would have to be started first. */
const PRINT_TIME = 'echo $EPOCHREALTIME';
const SHELL_OPTIONS = ['--noprofile', '--norc', '-eo', 'pipefail', '-c'];

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
  const shells = await repeat(scale(100, 5), shellDelay);
  const shell = quantile(shells, 0.5);
  const [p50, p99] = [quantile(delays, 0.5), quantile(delays, 0.99)];
  return [
    figure('own agent, to the start of the step: p50', [p50 - shell], 'ms', promised.p50),
    figure('own agent, to the start of the step: p99', [p99 - shell], 'ms', promised.p99),
    figure('own agent, to its first command: p50', [p50], 'ms'),
    figure('own agent, to its first command: p99', [p99], 'ms'),
    figure('bare shell, to its first command', shells, 'ms'),
  ];
}

/** Milliseconds from each result to the next step's output. */
function delaysOf(events: readonly LoggedEvent[]): readonly number[] {
  const results = events
    .filter(isRunEvent)
    .flatMap((event) =>
      event.kind === 'ExecutionResult' && event.metadata.step_sequence_id >= 0 ? [event] : [],
    );
  return results.slice(1).map((event, index) => {
    const before = parseTimestamp(results[index]?.metadata.creationTimestamp ?? '') ?? Number.NaN;
    return Number(event.logs?.[0]) * 1000 - before;
  });
}

/** Milliseconds from the start of a shell, with the agent's options, to its output. */
async function shellDelay(): Promise<number> {
  const begin = performance.timeOrigin + performance.now();
  const child = spawn('bash', [...SHELL_OPTIONS, PRINT_TIME], {
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.stderr.resume();
  const [printed] = await Promise.all([text(child.stdout), once(child, 'close')]);
  return Number(printed) * 1000 - begin;
}
