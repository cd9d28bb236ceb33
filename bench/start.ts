/**
 * Measures `tutti server` from its start to its ready line, and its memory after two idle seconds. The data directories are
 * empty, with 10 000 and 100 000 finished runs, or with 1 000 waiting runs. The first start of an installation compiles all
 * sources, and is reported apart. It also measures the disk space of a run.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type BenchmarkContext, repeat, runBenchmark } from './support/benchmark.ts';
import { endRuns } from './support/ended-runs.ts';
import { writeFinishedRuns } from './support/finished-runs.ts';
import { startRuns } from './support/load.ts';
import { residentMiB } from './support/process-memory.ts';
import { type Figure, figure, type Promised } from './support/report.ts';
import { startServerProcess } from './support/server-process.ts';
import { oneStep } from './support/workflows.ts';

const TUTTI = fileURLToPath(new URL('../cli/bin/tutti.js', import.meta.url));
const READY = 'ready on http';
const IDLE_MS = 2_000;
const KIB = 1024;

const databaseIn = (dataDir: string): string => join(dataDir, 'store', 'tutti.db');

await runBenchmark('start', measure);

async function measure(context: BenchmarkContext): Promise<readonly Figure[]> {
  const { folder, scale } = context;
  const cache = join(folder, 'cache');
  const rounds = scale(7, 1);
  const first = await start(join(folder, 'first'), cache);
  const empty = await repeat(rounds, (round) => start(join(folder, `empty${round}`), cache));
  return [
    figure('first start of an installation', [first.readyMs], 'ms'),
    ...startFigures('empty', empty, { atMost: 100 }),
    ...(await onFinishedRuns(context, cache, scale(10_000, 100))),
    ...(await onFinishedRuns(context, cache, scale(100_000, 200))),
    ...(await onLiveRuns(context, cache)),
    ...(await sizeOfRuns(context)),
    figure('bare node', await repeat(rounds, bareNodeMs), 'ms'),
  ];
}

function startFigures(
  what: string,
  starts: readonly Start[],
  memory: Promised | null = null,
): readonly Figure[] {
  const readyMs = starts.map((each) => each.readyMs);
  const rssMiB = starts.map((each) => each.rssMiB);
  return [
    figure(`ready, ${what}`, readyMs, 'ms', { atMost: 500 }),
    figure(`memory, ${what}`, rssMiB, 'MiB', memory),
  ];
}

async function onFinishedRuns(
  { folder, scale }: BenchmarkContext,
  cache: string,
  runs: number,
): Promise<readonly Figure[]> {
  const dataDir = join(folder, `finished${runs}`);
  await writeFinishedRuns(databaseIn(dataDir), runs);
  const starts = await repeat(scale(7, 1), () => start(dataDir, cache));
  return startFigures(`${runs} finished runs`, starts);
}

async function onLiveRuns(
  { folder, scale }: BenchmarkContext,
  cache: string,
): Promise<readonly Figure[]> {
  const dataDir = join(folder, 'live');
  const runs = scale(1_000, 20);
  const server = await startServerProcess(dataDir);
  await startRuns(server, oneStep, runs);
  await server.stop();
  const starts = await repeat(scale(7, 1), () => start(dataDir, cache));
  return startFigures(`${runs} live runs`, starts);
}

/** Ended runs of one step, by a server with agents; for comparison, only the texts of their events. */
async function sizeOfRuns({ folder, scale }: BenchmarkContext): Promise<readonly Figure[]> {
  const dataDir = join(folder, 'ended');
  const runs = scale(5_000, 50);
  const server = await startServerProcess(dataDir);
  const texts = await endRuns(server, runs);
  await server.stop();
  const { size } = await stat(databaseIn(dataDir));
  const each = size / runs / KIB;
  return [
    figure('database, for each finished run of one step', [each], 'KiB'),
    figure('texts of the events of one of them', [texts / KIB], 'KiB'),
  ];
}

interface Start {
  readonly readyMs: number;
  readonly rssMiB: number;
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
