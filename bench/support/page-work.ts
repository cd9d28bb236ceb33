/** Parts of the benchmark of the page: bytes, typing, a very large graph, and a run that prints for long. */
import { setTimeout as sleep } from 'node:timers/promises';
import { foldJobs, layOut } from '../../packages/run-graph/src/index.ts';
import { bytesOf, readPageFiles } from '../../tests/support/page-files.ts';
import { repeat, timed } from './benchmark.ts';
import { answerFigures, atMost, type Measured, roundsOf, within } from './page-parts.ts';
import { layersOf, startJobs } from './page-runs.ts';
import type { Place, Shown } from './page-tab.ts';
import { type Figure, figure } from './report.ts';
import { quantile } from './statistics.ts';

const KIB = 1024;
/** Ten times as many as a run may have. */
const LARGE_GRAPH = 10_000;
const BUSY_SECONDS = Number(process.env.TUTTI_BENCH_BUSY_SECONDS ?? 45);
const LINES_A_SECOND = 1_000;

export async function* bytesPart(): AsyncGenerator<Figure> {
  const { first, further, checks } = readPageFiles();
  const kib = (what: string, names: readonly string[], bound: number) =>
    figure(what, [bytesOf(names) / KIB], 'KiB', atMost(bound));
  const firstOf = (kind: string) => first.filter((name) => name.endsWith(kind));
  const largest = further.toSorted((one, two) => bytesOf([two]) - bytesOf([one])).slice(0, 1);
  yield kib('scripts of the first page', firstOf('.js'), 200);
  yield kib('styles of the first page', firstOf('.css'), 20);
  yield figure('requests before the first paint', [first.length + 1], '', atMost(6));
  yield kib('largest file of a further page', largest, 60);
  yield kib('check of workflows, beside its page', checks, 60);
  yield kib('all files', [...first, ...further, ...checks], 480);
}

/** A workflow with some hundred lines. */
const WORKFLOW = [
  'metadata: {name: typed}',
  'jobs:',
  ...Array.from(
    { length: 100 },
    (_, job) => `  job-${job}:\n    runs-on: linux\n    steps:\n      - run: echo ${job}`,
  ),
].join('\n');
const TYPED = '\n# typed while the check runs';
const START: Place = ['start', [['textarea', '']]];
const VALID: Shown = ['[role=status]', 'The workflow is valid'];
const WRONG: Shown = ['section li bdi', 'stepz'];

export async function* typingPart(measured: Measured): AsyncGenerator<Figure> {
  const rounds = await repeat(roundsOf(measured), () =>
    within(measured, START, async ({ page, answered, found, busyMs }) => {
      const field = page.getByLabel('Text of the workflow');
      await answered([VALID], () => field.fill(WORKFLOW));
      const { answersMs } = await found();
      await field.press('Control+End');
      const before = await busyMs();
      await page.keyboard.type(TYPED, { delay: 50 });
      const typingBusyMs = ((await busyMs()) - before) / TYPED.length;
      const typedMs = (await found()).answersMs.slice(answersMs.length);
      await page.keyboard.type('\n    stepz: [');
      const answer = await answered([WRONG], () => page.keyboard.press(']'));
      return { typedMs, typingBusyMs, answer };
    }),
  );
  // Chromium reports none that are faster than 16 ms.
  const typed = rounds.flatMap(({ typedMs }) => typedMs);
  const what = 'a workflow of 400 lines';
  yield figure(
    `${what}: a key, to the next frame: p75`,
    [typed.length === 0 ? 0 : quantile(typed, 0.75)],
    'ms',
    atMost(100),
  );
  const busy = rounds.map(({ typingBusyMs }) => typingBusyMs);
  yield figure(`${what}: a key, processor time of the main thread`, busy, 'ms');
  yield* answerFigures(
    `${what}: its problem, with 120 ms for typing`,
    rounds.map(({ answer }) => answer),
    null,
  );
}

/** Runs have at most a thousand jobs, so no page can be asked for it: as its worker does it. */
export async function* layoutPart(measured: Measured): AsyncGenerator<Figure> {
  const jobs = layersOf(LARGE_GRAPH).map(({ key, needs }) => ({ key, needs, isUrgent: false }));
  const times = await repeat(roundsOf(measured), () =>
    timed(() => layOut(foldJobs(jobs, { opened: new Set() }))),
  );
  yield figure(`layout of ${LARGE_GRAPH} jobs, at full speed`, times, 'ms', atMost(1_000));
}

/** With `TUTTI_BENCH_BUSY_SECONDS=3600` for the hour that the design of the page has. */
export async function* busyPart(measured: Measured): AsyncGenerator<Figure> {
  const seconds = measured.context.scale(BUSY_SECONDS, 3);
  const print = `seq -f 'request %.0f of a customer' 1 ${LINES_A_SECOND / 10}`;
  const run = `for i in $(seq ${10 * seconds + 100}); do ${print}; sleep 0.1; done`;
  const only = { 'runs-on': 'linux', steps: [{ run }] };
  const id = await startJobs(measured.server, 'busy', { only });
  const what = `a run prints ${LINES_A_SECOND} lines a second for ${seconds} s`;
  const place = [`runs/${id}`, [['main', '1 running']]] as const;
  const [half, end] = await within(measured, place, async ({ heapMB }) => {
    await sleep(500 * seconds);
    const before = await heapMB();
    await sleep(500 * seconds);
    return [before, await heapMB()] as const;
  });
  yield figure(`${what}: objects of the tab`, [end], 'MB', atMost(250));
  yield figure(`${what}: growth in the second half`, [end - half], 'MB');
}
