/**
 * How many runs the server accepts per second: `POST /workflows` of a workflow with one job, each answered once it is durable, over 50
 * connections, with no agents. Next to it what the two parts below cost alone: the HTTP server and the database.
 */
import { join } from 'node:path';
import { bareSqliteRate } from './support/bare-sqlite.ts';
import { type BenchmarkContext, repeat, runBenchmark, timed } from './support/benchmark.ts';
import { postWorkflowText, sendMany } from './support/load.ts';
import { type Figure, figure } from './support/report.ts';
import { type ServerProcess, startEntry, startServerProcess } from './support/server-process.ts';
import { oneStep } from './support/workflows.ts';

const CONNECTIONS = 50;
/** Runs per round. The first round, in which the code is still being compiled, does not count. */
const FULL = { runs: 20_000, rounds: 6 };
const SMOKE = { runs: 200, rounds: 2 };
const BARE_FASTIFY = new URL('./support/bare-fastify.ts', import.meta.url);

await runBenchmark('accept', measure);

async function measure(context: BenchmarkContext): Promise<readonly Figure[]> {
  const server = await startServerProcess(join(context.folder, 'data'));
  const accepted = await rates(context, server);
  const { runs, rounds } = context.scale(FULL, SMOKE);
  const { cpuMs } = await server.usage();
  await server.stop();
  const fastify = await startEntry(BARE_FASTIFY);
  const bare = await rates(context, fastify);
  await fastify.stop();
  return [
    figure('runs accepted', accepted, 'runs/s', { atLeast: 5_000 }),
    figure('processor time of the server', [(cpuMs * 1000) / (runs * rounds)], 'µs/run'),
    figure('bare Fastify, same body', bare, 'requests/s'),
    figure('bare SQLite, same texts, batches of 50', await sqliteRates(context), 'runs/s'),
  ];
}

async function rates(
  { scale }: BenchmarkContext,
  { url, token }: ServerProcess,
): Promise<readonly number[]> {
  const { runs: count, rounds } = scale(FULL, SMOKE);
  const request = postWorkflowText(token, oneStep);
  const all = await repeat(rounds, async () => {
    const elapsedMs = await timed(() =>
      sendMany(url, request, { count, connections: CONNECTIONS }),
    );
    return (count / elapsedMs) * 1000;
  });
  return all.slice(1);
}

/** An accepted run has two events and some rows of about the size of its manifest. */
async function sqliteRates({ folder, scale }: BenchmarkContext): Promise<readonly number[]> {
  const text = JSON.stringify({ ...oneStep, more: 'x'.repeat(400) });
  const size = { runs: scale(20_000, 200), batch: CONNECTIONS };
  return repeat(scale(5, 1), async (round) =>
    bareSqliteRate(join(folder, `bare${round}.db`), [text, text], size),
  );
}
