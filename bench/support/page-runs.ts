/** Runs that the page is measured with: many, and large ones. */
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createClient } from '../../packages/client/src/index.ts';
import { eventually } from '../../tests/support/eventually.ts';
import { databaseIn } from './asked.ts';
import { getText, type Target } from './exchange.ts';
import { writeFinishedRuns } from './finished-runs.ts';
import { writeManyEvents } from './synthetic-events.ts';

const REPORT = 'application/vnd.opentestfactory.shop-surefire+xml';
/** As many as the server allows, about. */
export const GRAPH_JOBS = 1_000;
const LAYERS = 20;

export interface PageSizes {
  readonly runs: number;
  readonly lines: number;
  readonly cases: number;
  readonly events: number;
}

/** Runs that are there before the server is. */
export async function writeEarlierRuns(folder: string, { runs, events }: PageSizes): Promise<void> {
  const file = databaseIn(join(folder, 'data'));
  await writeFinishedRuns(file, runs, { nameOf: (number) => `service ${number % 997} nightly` });
  await writeManyEvents(file, events);
}

/** Starts a run of these jobs. Resolves with its id. */
export async function startJobs(target: Target, name: string, jobs: object): Promise<string> {
  const client = createClient({ baseUrl: target.url.href, token: target.token });
  return client.startWorkflow({ manifestText: JSON.stringify({ metadata: { name }, jobs }) });
}

const onLinux = (...steps: readonly object[]) => ({ 'runs-on': 'linux', steps });

/** One job that prints so many lines, and fails. */
export async function longLogRun(target: Target, { lines }: PageSizes): Promise<string> {
  const print = `seq -f 'request %.0f of a customer took some milliseconds' 1 ${lines}; exit 1`;
  const id = await startJobs(target, 'long log', { only: onLinux({ run: print }) });
  return await ended(target, id);
}

/** A build, and tests with a report, one of which failed. */
export async function failedRun(target: Target, folder: string): Promise<string> {
  const report = join(folder, 'failed.xml');
  await writeReport(report, 200);
  const jobs = {
    build: onLinux({ run: 'seq 1 200' }),
    lint: onLinux({ run: 'echo no problems' }),
    test: { needs: ['build'], ...onLinux({ run: `seq 1 500; ${attached(report)}; exit 3` }) },
    deploy: { needs: ['test'], ...onLinux({ run: 'echo deployed' }) },
  };
  return await ended(target, await startJobs(target, 'failed', jobs));
}

/** A run with so many test cases, one in a hundred of which failed. */
export async function manyCasesRun(
  target: Target,
  folder: string,
  { cases }: PageSizes,
): Promise<string> {
  const report = join(folder, 'many.xml');
  await writeReport(report, cases);
  const only = onLinux({ run: `${attached(report)}; exit 1` });
  return await ended(target, await startJobs(target, 'many cases', { only }));
}

/** Jobs in layers, each of which needs two of the layer before. */
export function layersOf(count: number) {
  const width = count / LAYERS;
  const keyOf = (layer: number, at: number) => `job-${layer}-${at % width}`;
  return Array.from({ length: count }, (_, number) => {
    const [layer, at] = [Math.floor(number / width), number % width];
    const needs = layer === 0 ? [] : [keyOf(layer - 1, at), keyOf(layer - 1, at + 7)];
    return { key: keyOf(layer, at), needs };
  });
}

/** None of its jobs runs. */
export async function graphRun(target: Target): Promise<string> {
  const jobs = layersOf(GRAPH_JOBS).map(({ key, needs }) => {
    const job = { 'runs-on': 'nowhere', steps: [{ run: 'true' }] };
    return [key, needs.length === 0 ? job : { ...job, needs }] as const;
  });
  return await startJobs(target, 'graph', Object.fromEntries(jobs));
}

const attached = (file: string): string => `echo "::attach type=${REPORT}::${file}"`;

async function writeReport(file: string, cases: number): Promise<void> {
  function* pieces() {
    yield '<testsuites><testsuite name="shop">\n';
    for (let number = 1; number <= cases; number += 1) {
      const failure =
        number % 100 === 0 ? '<failure message="expected 30">at Cart:4</failure>' : '';
      yield `<testcase classname="shop.Cart${number % 97}" name="adds item ${number}" time="0.01">${failure}</testcase>\n`;
    }
    yield '</testsuite></testsuites>\n';
  }
  await pipeline(Readable.from(pieces()), createWriteStream(file));
}

/** Resolves once the run has ended, and its reports are read. */
async function ended(target: Target, id: string): Promise<string> {
  await eventually(
    `the end of run ${id}`,
    async () => {
      const text = await getText(target, `/workflows/${id}/datasources/testcases?per_page=1`);
      const { status, workers_count: workers } = JSON.parse(text).details;
      return status !== 'ONGOING' && workers === 0;
    },
    { withinMs: 600_000 },
  );
  return id;
}
