/**
 * Measures logs: bytes per second to a follower, the delay of a line, and the end of a large log. For comparison: a bare
 * relay that stores its data, and a bare HTTP server with an equal file.
 */
import { mkdir, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type BenchmarkContext, repeat, runBenchmark, timed } from './support/benchmark.ts';
import { drain, openGet, type Target } from './support/exchange.ts';
import {
  lineLatencies,
  printedPerSecond,
  throughRelay,
  throughServer,
} from './support/followed-logs.ts';
import { latencyFigures, latencyRounds } from './support/latencies.ts';
import { withOwnAgent } from './support/own-agent.ts';
import { type Figure, figure, type Promised } from './support/report.ts';
import { startEntry, startServerProcess } from './support/server-process.ts';
import { SYNTHETIC_RUN, writeLongLog } from './support/synthetic-events.ts';

const MIB = 1024 * 1024;
const MB = 1_000_000;
const RELAY = new URL('./support/bare-relay.ts', import.meta.url);
const BARE_FILES = new URL('./support/bare-files.ts', import.meta.url);
const SHORT_LINE = 100;
/** By the bytes of a line, megabytes per second: each line costs some microseconds. */
const THROUGHPUT: readonly (readonly [lineBytes: number, Promised])[] = [
  [SHORT_LINE, { atLeast: 60 }],
  [4_000, { atLeast: 100 }],
];
const LATENCY = { p99: { atMost: 50 } };
const END = { range: 'bytes=-65536' };

await runBenchmark('logs', measure);

async function measure(context: BenchmarkContext): Promise<readonly Figure[]> {
  return [
    ...(await withOwnAgent(join(context.folder, 'own'), (server) => followed(context, server))),
    ...(await relayed(context)),
    ...(await longLog(context)),
  ];
}

async function followed(context: BenchmarkContext, server: Target): Promise<readonly Figure[]> {
  const rates: Figure[] = [];
  for (const [lineBytes, promised] of THROUGHPUT) {
    const values = await throughput(context, lineBytes, () => throughServer<number>(server));
    rates.push(figure(`lines of ${lineBytes} bytes, to a follower`, values, 'MB/s', promised));
  }
  const latencies = await lineRounds(context, () => throughServer<readonly number[]>(server));
  return [...rates, ...latencyFigures('a line, to a follower', latencies, LATENCY)];
}

type Through<T> = () => ReturnType<typeof throughServer<T>>;

/** MB per second of each round but the first, in which the code is still being compiled. */
async function throughput(
  { scale }: BenchmarkContext,
  lineBytes: number,
  through: Through<number>,
): Promise<readonly number[]> {
  const bytes = scale(32, 1) * MIB;
  const all = await repeat(
    scale(4, 2),
    async () => (await printedPerSecond(through(), bytes, lineBytes)) / MB,
  );
  return all.slice(1);
}

async function lineRounds(
  { scale }: BenchmarkContext,
  through: Through<readonly number[]>,
): Promise<readonly (readonly number[])[]> {
  await lineLatencies(through(), scale(50, 5));
  return repeat(scale(3, 1), () => lineLatencies(through(), scale(300, 10)));
}

/** A relay has one stream: each round has another. */
async function relayed(context: BenchmarkContext): Promise<readonly Figure[]> {
  const withRelay =
    <T>(): ReturnType<typeof throughRelay<T>> =>
    async (script, read) => {
      const relay = await startEntry(RELAY, [join(context.folder, 'relayed')]);
      const result = await throughRelay<T>(relay)(script, read);
      await relay.stop();
      return result;
    };
  const rates = await throughput(context, SHORT_LINE, () => withRelay<number>());
  const latencies = await lineRounds(context, () => withRelay<readonly number[]>());
  return [
    figure('bare relay, to a follower', rates, 'MB/s'),
    ...latencyFigures('a line, bare relay', latencies),
  ];
}

async function longLog(context: BenchmarkContext): Promise<readonly Figure[]> {
  const { folder, scale } = context;
  const bytes = scale(1024, 1) * MIB;
  const dataDir = join(folder, 'long');
  await writeLongLog(join(dataDir, 'store', 'tutti.db'), bytes);
  const server = await startServerProcess(dataDir, { retention: { minutes: 1e9 } });
  const path = `/workflows/${SYNTHETIC_RUN}/logs`;
  const ofServer = await reads(context, server, path, `log of ${bytes / MIB} MiB`);
  await server.stop();
  const bareFolder = join(folder, 'bare');
  await mkdir(bareFolder);
  await writeFile(join(bareFolder, 'log'), '');
  await truncate(join(bareFolder, 'log'), bytes);
  const bare = await startEntry(BARE_FILES, [bareFolder]);
  const ofBare = await reads(context, bare, '/log', `bare HTTP server, ${bytes / MIB} MiB`);
  await bare.stop();
  return [...ofServer, ...ofBare];
}

async function reads(
  context: BenchmarkContext,
  target: Target,
  path: string,
  what: string,
): Promise<readonly Figure[]> {
  const readEnd = async () => drain(await openGet(target, path, END));
  const ends = await latencyRounds(context, { rounds: 5, requests: 200 }, readEnd);
  const rates = await repeat(context.scale(3, 1), async () => {
    let bytes = 0;
    const elapsedMs = await timed(async () => {
      bytes = await drain(await openGet(target, path));
    });
    return bytes / MB / (elapsedMs / 1000);
  });
  return [
    ...latencyFigures(`${what}: its last 64 KiB`, ends),
    figure(`${what}: all of it`, rates, 'MB/s'),
  ];
}
