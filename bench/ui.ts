/**
 * Measures the page in Chromium, on a processor that is slowed down to a quarter. It opens a log of a million lines, 100 000 test cases
 * and 100 000 runs. Then follow a run with 100 000 events, and a graph of 1 000 jobs. It also measures what 200 tabs cost the server, and
 * the time from a change to the screen. `TUTTI_BENCH_PARTS=log,cases` measures some parts.
 */
import { fileURLToPath } from 'node:url';
import { ensurePage } from '../scripts/build.mjs';
import { findChromium, launchChromium } from '../tests/support/browser.ts';
import { FOREVER } from './support/asked.ts';
import { type BenchmarkContext, runBenchmark } from './support/benchmark.ts';
import { withOwnAgent } from './support/own-agent.ts';
import {
  casesPart,
  eventsPart,
  failedPart,
  graphPart,
  livePart,
  logPart,
  type Measured,
  type PagePart,
  runsPart,
  startPart,
  tabsPart,
} from './support/page-parts.ts';
import { type PageSizes, writeEarlierRuns } from './support/page-runs.ts';
import { visit } from './support/page-tab.ts';
import { busyPart, bytesPart, layoutPart, typingPart } from './support/page-work.ts';
import { type Figure, figure, renderFigures } from './support/report.ts';
import type { ServerProcess } from './support/server-process.ts';
import { quantile } from './support/statistics.ts';

/** In an order in which no part changes what another one measures. */
const PARTS: Readonly<Record<string, PagePart>> = {
  bytes: bytesPart,
  start: startPart,
  runs: runsPart,
  failed: failedPart,
  log: logPart,
  cases: casesPart,
  events: eventsPart,
  graph: graphPart,
  layout: layoutPart,
  typing: typingPart,
  live: livePart,
  busy: busyPart,
};
const NAMES = (process.env.TUTTI_BENCH_PARTS ?? [...Object.keys(PARTS), 'tabs'].join()).split(',');

await runBenchmark('ui', measure);

async function measure(context: BenchmarkContext): Promise<readonly Figure[]> {
  const program = findChromium();
  await ensurePage(fileURLToPath(new URL('..', import.meta.url)), process.execPath);
  const sizes: PageSizes = {
    runs: NAMES.includes('runs') ? context.scale(100_000, 1_000) : 1_000,
    lines: context.scale(1_000_000, 3_000),
    cases: context.scale(100_000, 500),
    events: NAMES.includes('events') ? context.scale(100_000, 21_000) : 1_000,
  };
  await writeEarlierRuns(context.folder, sizes);
  const work = async (server: ServerProcess) => [
    ...(program === null ? [] : await inBrowser(program, { server, context, sizes })),
    ...(NAMES.includes('tabs') ? await shown(tabsPart({ server, context })) : []),
  ];
  return await withOwnAgent(context.folder, work, { retention: FOREVER });
}

async function inBrowser(
  program: string,
  common: Pick<Measured, 'server' | 'context' | 'sizes'>,
): Promise<readonly Figure[]> {
  const browser = await launchChromium(program);
  try {
    const visited = await visit(browser, common.server);
    const measured: Measured = { ...common, ...visited, server: common.server, answersMs: [] };
    const figures: Figure[] = [];
    for (const [name, part] of Object.entries(PARTS)) {
      if (NAMES.includes(name)) figures.push(...(await shown(part(measured))));
    }
    const { answersMs } = measured;
    if (answersMs.length === 0) return figures;
    const what = `${answersMs.length} inputs, to the next frame: p75`;
    return [...figures, figure(what, [quantile(answersMs, 0.75)], 'ms', { atMost: 100 })];
  } finally {
    await browser.close();
  }
}

/** A benchmark that is cut off has shown its figures. */
async function shown(figures: AsyncIterable<Figure>): Promise<readonly Figure[]> {
  const all: Figure[] = [];
  for await (const each of figures) {
    console.log(...renderFigures([each]));
    all.push(each);
  }
  return all;
}
