/**
 * Measures a large report through a whole server. A job attaches it; the server reads it and stores its test cases. The figures are test
 * cases per second, the slowdown, and peak memory.
 */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '../packages/client/src/index.ts';
import { type BenchmarkContext, runBenchmark } from './support/benchmark.ts';
import { writeLargeReport } from './support/large-reports.ts';
import { withOwnAgent } from './support/own-agent.ts';
import { type Figure, figure } from './support/report.ts';
import type { ServerProcess } from './support/server-process.ts';

const MIB = 1024 * 1024;
const TYPE = 'application/vnd.opentestfactory.large-surefire+xml';
const LOOK_MS = 200;

interface Look {
  readonly atMs: number;
  readonly cases: number;
  readonly isOver: boolean;
}

interface Followed {
  readonly looks: readonly Look[];
  /** Memory of the server at most. */
  readonly peakBytes: number;
  /** Processor time of the server for the run. */
  readonly cpuMs: number;
}

await runBenchmark('stored', measure);

async function measure({ folder, scale }: BenchmarkContext): Promise<readonly Figure[]> {
  const file = join(folder, 'report.xml');
  const count = await writeLargeReport('surefire', file, scale(1024, 1) * MIB);
  const { size } = await stat(file);
  const { looks, peakBytes, cpuMs } = await withOwnAgent(folder, async (server) => {
    const id = await startReport(server, file);
    return followReport(server, id);
  });
  const last = looks.at(-1);
  if (last?.cases !== count) throw new Error(`${last?.cases} of ${count} test cases are there.`);
  const what = `${Math.round(size / MIB)} MiB, ${count} test cases`;
  return [
    figure(`${what}: from the first to the last`, [last.atMs - firstMs(looks)], 'ms'),
    figure(`${what}: stored`, [(count * 1000) / (last.atMs - firstMs(looks))], 'cases/s'),
    figure('the last tenth compared with the first', [slowness(looks, count)], 'times'),
    figure('processor time of the server for each', [(cpuMs * 1000) / count], 'µs'),
    figure('memory of the server at most', [peakBytes / MIB], 'MiB'),
  ];
}

async function startReport({ url, token }: ServerProcess, file: string): Promise<string> {
  const client = createClient({ baseUrl: url.href, token });
  const steps = [{ run: `echo "::attach type=${TYPE}::${file}"` }];
  const jobs = { only: { 'runs-on': 'linux', steps } };
  const workflow = { metadata: { name: 'large' }, jobs };
  return await client.startWorkflow({ manifestText: JSON.stringify(workflow) });
}

/** Looks at the run until its report is read. */
async function followReport(server: ServerProcess, id: string): Promise<Followed> {
  const looks: Look[] = [];
  let peakBytes = 0;
  const before = await server.usage();
  let cpuMs = 0;
  while (looks.at(-1)?.isOver !== true) {
    await sleep(LOOK_MS);
    looks.push(await look(server, id));
    const usage = await server.usage();
    peakBytes = Math.max(peakBytes, usage.rssBytes);
    cpuMs = usage.cpuMs - before.cpuMs;
  }
  return { looks, peakBytes, cpuMs };
}

/** The counts of the job would come with its end, the pages of its test cases come with the first. */
async function look({ url, token }: ServerProcess, id: string): Promise<Look> {
  const path = `/workflows/${id}/datasources/testcases?per_page=1`;
  const headers = { authorization: `Bearer ${token}` };
  const response = await fetch(new URL(path, url), { headers });
  const body = (await response.json()) as {
    readonly details: { readonly status?: string; readonly workers_count?: number };
  };
  const last = /<([^>]*)>; rel="last"/.exec(response.headers.get('link') ?? '')?.[1];
  const pages = last === undefined ? null : new URL(last, url).searchParams.get('page');
  return {
    atMs: performance.now(),
    cases: Number(pages ?? 0),
    isOver: body.details.status === 'COMPLETE' && body.details.workers_count === 0,
  };
}

function firstMs(looks: readonly Look[]): number {
  return looks.find(({ cases }) => cases > 0)?.atMs ?? Number.NaN;
}

/** Ratio of the times for the last and the first tenth of the test cases. */
function slowness(looks: readonly Look[], count: number): number {
  const msAt = (cases: number) => looks.find((one) => one.cases >= cases)?.atMs ?? Number.NaN;
  return (msAt(count) - msAt(count * 0.9)) / (msAt(count * 0.1) - firstMs(looks));
}
