/**
 * Measures accepted runs per second. `POST /workflows` sends a workflow with one job in each of its forms. Each request is
 * answered once the run is durable, over 50 connections, without agents. For comparison: the HTTP server alone with the same
 * body, and the database alone.
 */
import { join } from 'node:path';
import { bareSqliteRate } from './support/bare-sqlite.ts';
import { type BenchmarkContext, repeat, runBenchmark, timed } from './support/benchmark.ts';
import { sendMany } from './support/load.ts';
import { type Figure, figure } from './support/report.ts';
import { type ServerProcess, startEntry, startServerProcess } from './support/server-process.ts';
import { median } from './support/statistics.ts';
import { FORMS, type Form, submissionText } from './support/submissions.ts';
import { oneStep } from './support/workflows.ts';

const CONNECTIONS = 50;
/** Runs per round. The first round, in which the code is still being compiled, does not count. */
const FULL = { runs: 20_000, rounds: 6 };
const FURTHER = { runs: 5_000, rounds: 6 };
const SMOKE = { runs: 200, rounds: 2 };
const BARE_FASTIFY = new URL('./support/bare-fastify.ts', import.meta.url);
/** Minimum share of the rate of the slower part alone, in percent. */
const SHARE = { atLeast: 25 };

await runBenchmark('accept', measure);

async function measure(context: BenchmarkContext): Promise<readonly Figure[]> {
  const sqlite = await sqliteRates(context);
  const figures: Figure[] = [];
  for (const form of FORMS) figures.push(...(await measureForm(context, form, median(sqlite))));
  return [...figures, figure('bare SQLite, same texts, batches of 50', sqlite, 'runs/s')];
}

async function measureForm(
  context: BenchmarkContext,
  form: Form,
  sqlite: number,
): Promise<readonly Figure[]> {
  // All runs are in one namespace, and all of them wait.
  const limits = {
    namespaceShare: 1,
    liveRunsBytes: 2 * 1024 ** 3,
    namespaceRunsBytes: 2 * 1024 ** 3,
  };
  const server = await startServerProcess(join(context.folder, `data-${form}`), { limits });
  const accepted = await rates(context, server, form);
  const { runs, rounds } = sizeOf(context, form);
  const { cpuMs } = await server.usage();
  await server.stop();
  const fastify = await startEntry(BARE_FASTIFY);
  const bare = await rates(context, fastify, form);
  await fastify.stop();
  const limit = Math.min(median(bare), sqlite);
  const promised = form === 'JSON' ? { atLeast: 5_000 } : null;
  return [
    figure(`${form}: runs accepted`, accepted, 'runs/s', promised),
    figure(`${form}: share of the smaller limit`, [(median(accepted) / limit) * 100], '%', SHARE),
    figure(`${form}: processor time of the server`, [(cpuMs * 1000) / (runs * rounds)], 'µs/run'),
    figure(`${form}: bare Fastify, same body`, bare, 'requests/s'),
  ];
}

function sizeOf({ scale }: BenchmarkContext, form: Form) {
  return scale(form === 'JSON' ? FULL : FURTHER, SMOKE);
}

async function rates(
  context: BenchmarkContext,
  { url, token }: ServerProcess,
  form: Form,
): Promise<readonly number[]> {
  const { runs: count, rounds } = sizeOf(context, form);
  const request = submissionText(form, token, oneStep);
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
