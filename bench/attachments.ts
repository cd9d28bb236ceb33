/**
 * Measures attachments of our agent: a file of a GiB and 10 000 of a KiB. They go up as attachments of a run, from its start to
 * its end, and down; memory is measured, too. For comparison: a bare HTTP server, which syncs uploads to disk before it answers,
 * and a copy on the disk.
 */
import { createReadStream } from 'node:fs';
import { copyFile, mkdir, open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { attach } from './support/attached-files.ts';
import { type BenchmarkContext, repeat, runBenchmark, timed } from './support/benchmark.ts';
import { drain, openGet, sendBody, type Target } from './support/exchange.ts';
import { withOwnAgent } from './support/own-agent.ts';
import { type Figure, figure, type Promised } from './support/report.ts';
import { type ServerProcess, startEntry } from './support/server-process.ts';

const MIB = 1024 * 1024;
const MB = 1_000_000;
const KIB = 1024;
const BARE_FILES = new URL('./support/bare-files.ts', import.meta.url);
const RATE: Promised = { atLeast: 300 };
/** An eighth of the file: buffers and garbage come to less, whatever its size. */
const GROWTH: Promised = { atMost: 128 };
const LOOK_MS = 50;
const CONNECTIONS = 10;
const STEPS = 10;

await runBenchmark('attachments', measure);

async function measure(context: BenchmarkContext): Promise<readonly Figure[]> {
  const { folder, scale } = context;
  const big = join(folder, 'big');
  const bytes = scale(1024, 1) * MIB;
  await writeBig(big, bytes);
  return [
    ...(await withOwnAgent(join(folder, 'own'), async (server) => [
      ...(await bigFile(context, server, big, bytes)),
      ...(await smallFiles(context, server)),
    ])),
    ...(await bareBig(context, big, bytes)),
    ...(await bareSmall(context)),
  ];
}

async function writeBig(path: string, bytes: number): Promise<void> {
  const file = await open(path, 'w');
  const part = Buffer.alloc(MIB, 'what tests leave behind ');
  for (let done = 0; done < bytes; done += part.length) await file.write(part);
  await file.sync();
  await file.close();
}

/** MB per second of each round. */
function rates(
  rounds: number,
  bytes: number,
  move: () => Promise<unknown>,
): Promise<readonly number[]> {
  return repeat(rounds, async () => bytes / MB / ((await timed(move)) / 1000));
}

async function bigFile(
  { scale }: BenchmarkContext,
  server: ServerProcess,
  file: string,
  bytes: number,
): Promise<readonly Figure[]> {
  const rounds = scale(3, 1);
  const script = `echo "::attach::${file}"`;
  await attach(server, [`echo "::attach::/etc/hostname"`]);
  let path = '';
  const move = {
    up: async () => {
      [path = ''] = await attach(server, [script]);
    },
    down: async () => {
      const received = await drain(await openGet(server, path));
      if (received !== bytes) throw new Error(`${received} of ${bytes} bytes came.`);
    },
  };
  const up = await withGrowth(server, () => rates(rounds, bytes, move.up));
  const down = await withGrowth(server, () => rates(rounds, bytes, move.down));
  const what = `${bytes / MIB} MiB`;
  return [
    figure(`${what} up`, up.result, 'MB/s', RATE),
    figure(`${what} down`, down.result, 'MB/s', RATE),
    figure(`${what} up: memory of the server grows`, [up.growthMiB], 'MiB', GROWTH),
    figure(`${what} down: memory of the server grows`, [down.growthMiB], 'MiB', GROWTH),
  ];
}

interface Grown<T> {
  readonly result: T;
  /** Peak memory of the server, minus its memory before. */
  readonly growthMiB: number;
}

async function withGrowth<T>(server: ServerProcess, work: () => Promise<T>): Promise<Grown<T>> {
  const { rssBytes: before } = await server.usage();
  let peak = before;
  let isOver = false;
  const look = async () => {
    while (!isOver) {
      peak = Math.max(peak, (await server.usage()).rssBytes);
      await sleep(LOOK_MS);
    }
  };
  const looking = look();
  try {
    return { result: await work(), growthMiB: (peak - before) / MIB };
  } finally {
    isOver = true;
    await looking;
  }
}

async function smallFiles(
  { folder, scale }: BenchmarkContext,
  server: ServerProcess,
): Promise<readonly Figure[]> {
  const count = scale(10_000, 100);
  const small = join(folder, 'small');
  await mkdir(small);
  for (let number = 0; number < count; number += 1) {
    await writeFile(join(small, `${number}.txt`), Buffer.alloc(KIB, `${number} `));
  }
  const each = count / STEPS;
  const scripts = Array.from({ length: STEPS }, (_, step) => {
    const [first, last] = [step * each, (step + 1) * each - 1];
    return `for i in $(seq ${first} ${last}); do echo "::attach::${small}/$i.txt"; done`;
  });
  let paths: readonly string[] = [];
  const up = await withGrowth(server, () =>
    timed(async () => {
      paths = await attach(server, scripts);
    }),
  );
  if (paths.length !== count) throw new Error(`${paths.length} of ${count} files are there.`);
  const down = await repeat(scale(3, 1), () => timed(() => getAll(server, paths)));
  const perSecond = (ms: number) => (count * 1000) / ms;
  return [
    figure(`${count} files of 1 KiB up`, [perSecond(up.result)], 'files/s'),
    figure(`${count} files of 1 KiB down`, down.map(perSecond), 'files/s'),
    figure('files of 1 KiB up: memory of the server grows', [up.growthMiB], 'MiB'),
  ];
}

/** Over some connections at a time. */
async function getAll(target: Target, paths: readonly string[]): Promise<void> {
  const left = [...paths];
  await eachAtOnce(async () => {
    for (let path = left.pop(); path !== undefined; path = left.pop()) {
      const received = await drain(await openGet(target, path));
      if (received !== KIB) throw new Error(`${path}: ${received} bytes.`);
    }
  });
}

async function eachAtOnce(work: () => Promise<void>): Promise<void> {
  await Promise.all(Array.from({ length: CONNECTIONS }, work));
}

async function bareBig(
  { folder, scale }: BenchmarkContext,
  file: string,
  bytes: number,
): Promise<readonly Figure[]> {
  const rounds = scale(3, 1);
  const bareFolder = join(folder, 'bare');
  await mkdir(bareFolder);
  const bare = await startEntry(BARE_FILES, [bareFolder]);
  const put = { method: 'PUT', path: '/big' } as const;
  const up = await rates(rounds, bytes, () => sendBody(bare, put, createReadStream(file)));
  const down = await rates(rounds, bytes, async () => drain(await openGet(bare, '/big')));
  await bare.stop();
  const copy = await rates(rounds, bytes, () => copyDurably(file, join(bareFolder, 'copy')));
  return [
    figure('bare HTTP server, up', up, 'MB/s'),
    figure('bare HTTP server, down', down, 'MB/s'),
    figure('copy of the file, on the disk', copy, 'MB/s'),
  ];
}

async function copyDurably(from: string, to: string): Promise<void> {
  await copyFile(from, to);
  const copied = await open(to, 'r+');
  await copied.sync();
  await copied.close();
}

async function bareSmall({ folder, scale }: BenchmarkContext): Promise<readonly Figure[]> {
  const count = scale(2_000, 50);
  const small = join(folder, 'bare-small');
  await mkdir(small);
  const bare = await startEntry(BARE_FILES, [small]);
  const names = Array.from({ length: count }, (_, number) => `/${number}`);
  const left = [...names];
  const up = await timed(() =>
    eachAtOnce(async () => {
      for (let path = left.pop(); path !== undefined; path = left.pop()) {
        await sendBody(bare, { method: 'PUT', path }, Readable.from([Buffer.alloc(KIB)]));
      }
    }),
  );
  const down = await repeat(scale(3, 1), () => timed(() => getAll(bare, names)));
  await bare.stop();
  const perSecond = (ms: number) => (count * 1000) / ms;
  return [
    figure('bare HTTP server, files of 1 KiB up', [perSecond(up)], 'files/s'),
    figure('bare HTTP server, files of 1 KiB down', down.map(perSecond), 'files/s'),
  ];
}
