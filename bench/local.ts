/**
 * Measures `tutti run --local` against the bare commands. Runs one empty step on an empty and on a used data directory, and 50 such steps.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stringify } from 'yaml';
import { type BenchmarkContext, repeat, runBenchmark, timed } from './support/benchmark.ts';
import { type Figure, figure } from './support/report.ts';
import { spawnShells } from './support/shells.ts';
import { median } from './support/statistics.ts';
import { manySteps, oneStep } from './support/workflows.ts';

const TUTTI = fileURLToPath(new URL('../cli/bin/tutti.js', import.meta.url));
const WARM_UP = 3;

await runBenchmark('local', measure);

async function measure(context: BenchmarkContext): Promise<readonly Figure[]> {
  const { folder, scale } = context;
  const [rounds, steps] = [scale(20, 1), scale(50, 2)];
  const one = await fileOf(folder, 'one', oneStep);
  const many = await fileOf(folder, 'many', manySteps(steps));
  const run = (file: string, dataDir: string) => runMs(folder, file, dataDir);
  // The first ones compile the sources.
  await repeat(scale(WARM_UP, 1), () => run(one, 'used'));
  const first = await repeat(rounds, (round) => run(one, `empty${round}`));
  const single = await repeat(rounds, () => run(one, 'used'));
  const whole = await repeat(rounds, () => run(many, 'used'));
  const shell = median(await repeat(rounds, () => spawnShells(1)));
  const shells = await repeat(rounds, () => spawnShells(steps));
  const perShell = shells.map((each) => each / steps);
  const node = await repeat(rounds, () =>
    timed(() => ended(process.execPath, ['-e', '0'], folder)),
  );
  const over = (each: number) => each - shell;
  const perStep = whole.map((each) => (each - median(single)) / (steps - 1) - median(perShell));
  return [
    figure('one step, over the bare command', single.map(over), 'ms', { atMost: 250 }),
    figure('one step, empty data directory, over the bare command', first.map(over), 'ms'),
    figure(`each of ${steps} steps, over the bare commands`, perStep, 'ms', { atMost: 5 }),
    figure('bare command, each', perShell, 'ms'),
    figure('bare node', node, 'ms'),
  ];
}

async function fileOf(folder: string, name: string, workflow: object): Promise<string> {
  const file = join(folder, `${name}.yaml`);
  await writeFile(file, stringify(workflow));
  return file;
}

function runMs(folder: string, file: string, dataDir: string): Promise<number> {
  const args = [TUTTI, 'run', '--local', file, '--data-dir', join(folder, dataDir)];
  return timed(() => ended(process.execPath, args, folder));
}

async function ended(program: string, args: readonly string[], folder: string): Promise<void> {
  const child = spawn(program, args, {
    cwd: folder,
    env: { ...process.env, XDG_CACHE_HOME: join(folder, 'cache') },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  child.stdout.resume();
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${code}.`);
}
