/** Measures 40 jobs, each needing the one before, that run `true` in a real shell of one of our agents. */
import { type BenchmarkContext, repeat, runBenchmark } from './support/benchmark.ts';
import { runToEnd } from './support/follow.ts';
import { withOwnAgent } from './support/own-agent.ts';
import { type Figure, figure } from './support/report.ts';
import { spawnShells } from './support/shells.ts';
import { chain } from './support/workflows.ts';

await runBenchmark('chain', measure);

async function measure({ folder, scale }: BenchmarkContext): Promise<readonly Figure[]> {
  const jobs = scale(40, 3);
  const workflow = chain(jobs);
  const elapsed = await withOwnAgent(folder, (server) =>
    repeat(scale(8, 1), async () => (await runToEnd(server, workflow)).elapsedMs),
  );
  // Each job starts one shell, for its step.
  const shells = await repeat(scale(5, 1), () => spawnShells(jobs));
  return [
    figure(`${jobs} jobs, first run of a new server`, elapsed.slice(0, 1), 'ms'),
    figure(`${jobs} jobs`, elapsed.slice(-7), 'ms', { atMost: 1_000 }, { atMost: 500 }),
    figure(`${jobs} bare shells`, shells, 'ms'),
  ];
}
