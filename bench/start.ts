/**
 * How long `tutti server` takes from its start to its ready line, and what memory it has when nobody has come for two seconds: on an
 * empty data directory, and on one with 10 000 finished runs. The very first start of an installation, which compiles all sources, is told apart.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type BenchmarkContext, repeat, runBenchmark } from './support/benchmark.ts';
import { writeFinishedRuns } from './support/finished-runs.ts';
import { residentMiB } from './support/process-memory.ts';
import { type Figure, figure } from './support/report.ts';

const TUTTI = fileURLToPath(new URL('../cli/bin/tutti.js', import.meta.url));
const READY = 'ready on http';
const IDLE_MS = 2_000;

await runBenchmark('start', measure);

async function measure({ folder, scale }: BenchmarkContext): Promise<readonly Figure[]> {
  const cache = join(folder, 'cache');
  const rounds = scale(7, 1);
  const first = await start(join(folder, 'first'), cache);
  const empty = await repeat(rounds, (round) => start(join(folder, `empty${round}`), cache));
  const full = join(folder, 'full');
  const runs = scale(10_000, 100);
  await writeFinishedRuns(join(full, 'store', 'tutti.db'), runs);
  const filled = await repeat(rounds, () => start(full, cache));
  return [
    figure('first start of an installation', [first.readyMs], 'ms'),
    figure('ready, empty', readyMs(empty), 'ms', { atMost: 500 }),
    figure('memory, empty', memory(empty), 'MiB', { atMost: 100 }),
    figure(`ready, ${runs} finished runs`, readyMs(filled), 'ms', { atMost: 1_000 }),
    figure(`memory, ${runs} finished runs`, memory(filled), 'MiB'),
    figure('bare node', await repeat(rounds, bareNodeMs), 'ms'),
  ];
}

interface Start {
  readonly readyMs: number;
  readonly rssMiB: number;
}

function readyMs(starts: readonly Start[]): readonly number[] {
  return starts.map((each) => each.readyMs);
}

function memory(starts: readonly Start[]): readonly number[] {
  return starts.map((each) => each.rssMiB);
}

async function start(dataDir: string, cache: string): Promise<Start> {
  const args = [TUTTI, 'server', '--port', '0', '--data-dir', dataDir, '--log-level', 'warn'];
  const begin = performance.now();
  const child = spawn(process.execPath, args, {
    env: { ...process.env, XDG_CACHE_HOME: cache },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  for await (const chunk of child.stdout.setEncoding('utf8')) {
    text += chunk;
    if (text.includes(READY)) break;
  }
  const elapsedMs = performance.now() - begin;
  if (!text.includes(READY)) throw new Error('The server did not start.');
  await sleep(IDLE_MS);
  const rssMiB = residentMiB(child.pid ?? 0);
  child.kill('SIGTERM');
  if (child.exitCode === null) await once(child, 'exit');
  return { readyMs: elapsedMs, rssMiB };
}

async function bareNodeMs(): Promise<number> {
  const begin = performance.now();
  await once(spawn(process.execPath, ['-e', '0'], { stdio: 'ignore' }), 'exit');
  return performance.now() - begin;
}
