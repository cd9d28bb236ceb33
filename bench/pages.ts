/**
 * Measures pages of the status of a run with 100 000 events, whole and selected. Also lists of 10 000 runs, with and without manifests. For
 * comparison: a bare HTTP server that sends the same bytes from a file.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type BenchmarkContext, runBenchmark } from './support/benchmark.ts';
import { drain, getText, openGet, type Target } from './support/exchange.ts';
import { type LatencyRounds, latencyFigures, latencyRounds } from './support/latencies.ts';
import { startRuns } from './support/load.ts';
import type { Figure } from './support/report.ts';
import { type ServerProcess, startEntry, startServerProcess } from './support/server-process.ts';
import { SYNTHETIC_RUN, stepIdOf, writeManyEvents } from './support/synthetic-events.ts';
import { oneStep } from './support/workflows.ts';

const BARE_FILES = new URL('./support/bare-files.ts', import.meta.url);
const ROUNDS: LatencyRounds = { rounds: 5, requests: 100 };
const PROMISED = { p99: { atMost: 20 } };
/** Retention must not delete the runs during the benchmark. */
const RETENTION = { retention: { minutes: 1e9 } };

const TWO_KINDS = 'kind in (ExecutionCommand, ExecutionResult)';
const LABEL = encodeURIComponent('opentestfactory.org/category==junit');

interface Question {
  readonly what: string;
  /** With another number for each request: a question that was not asked before. */
  readonly path: string | ((request: number) => string);
  /** Compared with a bare HTTP server. */
  readonly isCompared?: boolean;
}

await runBenchmark('pages', measure);

async function measure(context: BenchmarkContext): Promise<readonly Figure[]> {
  const events = await statusPages(context);
  return [...events, ...(await lists(context))];
}

async function statusPages(context: BenchmarkContext): Promise<readonly Figure[]> {
  const count = context.scale(100_000, 2_000);
  const dataDir = join(context.folder, 'events');
  await writeManyEvents(join(dataDir, 'store', 'tutti.db'), count);
  const server = await startServerProcess(dataDir, RETENTION);
  const status = `/workflows/${SYNTHETIC_RUN}/status`;
  const chosen = (selector: string) => `${status}?fieldSelector=${encodeURIComponent(selector)}`;
  const step = (number: number) => `metadata.step_id==${stepIdOf(number)}`;
  const first = Math.floor(count / 6);
  return await askAll(context, server, [
    { what: `${count} events: first page of 100`, path: status, isCompared: true },
    { what: 'page of 100 in the middle', path: `${status}?page=${count / 200}` },
    { what: 'last page of 100', path: `${status}?page=${count / 100}` },
    {
      what: 'page of 1000 in the middle',
      path: `${status}?per_page=1000&page=${count / 2000}`,
      isCompared: true,
    },
    { what: 'page of 100 of a kind', path: chosen('kind==ExecutionResult') },
    { what: 'page of 1000 of two kinds', path: `${chosen(TWO_KINDS)}&per_page=1000&page=5` },
    { what: 'page of what one step left', path: chosen(step(first)) },
    { what: 'page of what another step left', path: (number) => chosen(step(first + number)) },
    { what: 'page of a label', path: `${status}?labelSelector=${LABEL}` },
    { what: 'page of a kind that none has', path: chosen('kind==WorkflowCanceled') },
  ]);
}

async function lists(context: BenchmarkContext): Promise<readonly Figure[]> {
  const count = context.scale(10_000, 100);
  const server = await startServerProcess(join(context.folder, 'runs'), RETENTION);
  await startRuns(server, oneStep, count);
  const list = '/workflows';
  const ofName = encodeURIComponent('metadata.name==no such run');
  return await askAll(context, server, [
    { what: `list of ${count} runs`, path: list },
    { what: 'status of the orchestrator', path: `${list}/status` },
    { what: 'list with manifests', path: `${list}?expand=manifest`, isCompared: true },
    { what: 'list of a name that none has', path: `${list}?fieldSelector=${ofName}` },
  ]);
}

/** Asks each question of the server, then for the same bytes of the bare one. */
async function askAll(
  context: BenchmarkContext,
  server: ServerProcess,
  questions: readonly Question[],
): Promise<readonly Figure[]> {
  const folder = join(context.folder, 'answers');
  await mkdir(folder, { recursive: true });
  const figures: Figure[] = [];
  for (const [index, { what, path, isCompared = false }] of questions.entries()) {
    if (isCompared && typeof path === 'string') {
      await writeFile(join(folder, String(index)), await getText(server, path));
    }
    figures.push(...(await latencies(context, server, { what, path, promised: PROMISED })));
  }
  await server.stop();
  const bare = await startEntry(BARE_FILES, [folder]);
  for (const [index, { what, isCompared = false }] of questions.entries()) {
    if (!isCompared) continue;
    figures.push(
      ...(await latencies(context, bare, { what: `bare HTTP server, ${what}`, path: `/${index}` })),
    );
  }
  await bare.stop();
  return figures;
}

async function latencies(
  context: BenchmarkContext,
  target: Target,
  { what, path, promised }: Question & { readonly promised?: typeof PROMISED },
): Promise<readonly Figure[]> {
  let requests = 0;
  const ask = async () => {
    requests += 1;
    await drain(await openGet(target, typeof path === 'string' ? path : path(requests)));
  };
  return latencyFigures(what, await latencyRounds(context, ROUNDS, ask), promised);
}
