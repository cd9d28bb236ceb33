/** Parts of the benchmark of the page, each with tabs of its own. Budgets are those of the design of the page. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type BenchmarkContext, repeat } from './benchmark.ts';
import { drain, openGet } from './exchange.ts';
import { latencyFigures, latencyRounds } from './latencies.ts';
import { openTabs } from './open-tabs.ts';
import {
  failedRun,
  GRAPH_JOBS,
  graphRun,
  longLogRun,
  manyCasesRun,
  type PageSizes,
  startJobs,
} from './page-runs.ts';
import {
  type Answered,
  type OpenedTab,
  openTab,
  type Place,
  type Scrolled,
  type Shown,
  type Tab,
  type TabOptions,
  tabsProcessorMs,
  type Visited,
} from './page-tab.ts';
import { type Figure, figure, type Promised } from './report.ts';
import type { ServerProcess } from './server-process.ts';
import { quantile } from './statistics.ts';
import { SYNTHETIC_RUN } from './synthetic-events.ts';

const MIB = 2 ** 20;
export const atMost = (bound: number): Promised => ({ atMost: bound });

export interface Measured extends Visited {
  readonly server: ServerProcess;
  readonly context: BenchmarkContext;
  readonly sizes: PageSizes;
  /** Times from inputs to the next frame, of all parts. */
  readonly answersMs: number[];
}

export type PagePart = (measured: Measured) => AsyncGenerator<Figure>;

const firstRow = (list: string, text = ''): Shown => [
  `[aria-label="${list}"] [aria-rowindex="2"] [role=gridcell]:not(:has(> .hidden:only-child))`,
  text,
];
const SLOW_NETWORK = { network: { megabits: 10, latencyMs: 40 } };
const BLANK_ROW = { selector: '[role=gridcell]', text: 'loading' };
const BLANK_LINE = { selector: 'div', text: '…' };
const LOG = '[aria-label=Log]';
const lineOf = (number: number): Shown => [`${LOG} [aria-label="Mark line ${number}"]`, ''];

export const roundsOf = ({ context }: Measured): number => context.scale(5, 1);

/** Opens a tab, measures in it, and closes it. */
export async function within<T>(
  measured: Measured,
  place: Place,
  work: (tab: OpenedTab) => Promise<T>,
): Promise<T> {
  const tab = await openTab(measured, place);
  try {
    const result = await work(tab);
    measured.answersMs.push(...(await tab.found()).answersMs);
    return result;
  } finally {
    await tab.close();
  }
}

/** The times as the clock has them, and the processor time of the main thread. */
export function* answerFigures(
  what: string,
  times: readonly Answered[],
  budget: Promised | null,
): Generator<Figure> {
  const elapsed = times.map(({ elapsedMs }) => elapsedMs);
  const busy = times.map(({ busyMs }) => busyMs);
  yield figure(what, elapsed, 'ms', budget);
  yield figure(`${what}, processor time of the main thread`, busy, 'ms');
}

/** First screens of an address, each with empty caches. The processor times are those of a machine at its full speed. */
async function* firstScreen(
  measured: Measured,
  [what, budgetMs]: readonly [what: string, budgetMs: number],
  place: Place,
): AsyncGenerator<Figure> {
  const { browser, server } = measured;
  const [path, shown] = place;
  const times = await repeat(roundsOf(measured), () =>
    within(measured, place, async ({ shownMs: elapsedMs, shownBusyMs: busyMs }) => ({
      elapsedMs,
      busyMs,
    })),
  );
  yield* answerFigures(`${what}: content`, times, atMost(budgetMs));
  const costs = await repeat(roundsOf(measured), async () => {
    const [before, served] = [await tabsProcessorMs(browser), await server.usage()];
    return await within(measured, [path, shown, { slowdown: 1 }], async () => [
      (await tabsProcessorMs(browser)) - before,
      (await server.usage()).cpuMs - served.cpuMs,
    ]);
  });
  const costsOf = (at: number) => costs.map((each) => each[at] ?? Number.NaN);
  yield figure(`${what}: processor time of the tab`, costsOf(0), 'ms');
  yield figure(`${what}: processor time of the server`, costsOf(1), 'ms');
}

interface Way {
  readonly from: Place;
  /** The navigation that has the link, and the begin of its name. */
  readonly link: readonly [navigation: string, name: RegExp];
  readonly shown: Shown;
}

/** First contents of a page, from a click on the link to it. A new tab has budgets of its own: those of paints. */
async function* firstContent(
  measured: Measured,
  [what, budgetMs]: readonly [what: string, budgetMs: number],
  { from, link: [navigation, name], shown }: Way,
): AsyncGenerator<Figure> {
  const times = await repeat(roundsOf(measured), () =>
    within(measured, from, ({ page, answered }) => {
      const places = page.getByRole('navigation', { name: navigation, exact: true });
      return answered([shown], () => places.getByRole('link', { name }).click());
    }),
  );
  yield* answerFigures(what, times, atMost(budgetMs));
}

/** Largest paint of a new tab, by the design of the page. */
const NEW_TAB_MS = 1_000;
const NOW: Place = ['', [['h1', 'Now']]];
const RUNS: Place = ['runs', [firstRow('Runs')]];
const summaryOf = (id: string): Place => [`runs/${id}`, [['[role=treegrid][aria-label=Jobs]', '']]];

export async function* startPart(measured: Measured): AsyncGenerator<Figure> {
  const paints = (options: TabOptions) =>
    repeat(roundsOf(measured), () =>
      within(measured, [RUNS[0], RUNS[1], options], (tab) => tab.found()),
    );
  const near = await paints({});
  yield figure(
    'Runs: first paint',
    near.map(({ paintMs }) => paintMs),
    'ms',
    atMost(600),
  );
  yield figure(
    'Runs: largest paint',
    near.map(({ largestMs }) => largestMs),
    'ms',
    atMost(1_000),
  );
  const far = await paints(SLOW_NETWORK);
  const where = 'Runs, at 10 Mbit/s and 40 ms';
  yield figure(
    `${where}: first paint`,
    far.map(({ paintMs }) => paintMs),
    'ms',
    atMost(1_500),
  );
  yield figure(
    `${where}: largest paint`,
    far.map(({ largestMs }) => largestMs),
    'ms',
    atMost(2_000),
  );
  const moves = await repeat(roundsOf(measured), () => within(measured, NOW, moved));
  yield* answerFigures(
    'from Now to Runs: frame',
    moves.map(([frame]) => frame),
    atMost(100),
  );
  yield* answerFigures(
    'from Now to Runs: content',
    moves.map(([, content]) => content),
    atMost(300),
  );
}

/** To Runs, back, and to Runs again: the first way loads the page. */
async function moved({
  page,
  answered,
}: Tab): Promise<readonly [frame: Answered, content: Answered]> {
  const go = (name: string) => page.getByRole('link', { name, exact: true }).first().click();
  const content = await answered([firstRow('Runs')], () => go('Runs'));
  await answered([['h1', 'Now']], () => go('Now'));
  return [await answered([['h1', 'Runs']], () => go('Runs')), content];
}

export async function* runsPart(measured: Measured): AsyncGenerator<Figure> {
  const { sizes, server, context } = measured;
  const what = `${sizes.runs} runs`;
  yield* firstContent(measured, [`${what}: first page, from Now`, 300], {
    from: NOW,
    link: ['Pages', /^Runs/],
    shown: firstRow('Runs'),
  });
  yield* firstScreen(measured, [`${what}, in a new tab`, NEW_TAB_MS], RUNS);
  const field = (tab: Tab) => tab.page.getByRole('searchbox', { name: 'Search runs' });
  const searches = await repeat(roundsOf(measured), () =>
    within(measured, RUNS, (tab) =>
      tab.answered([firstRow('Runs', 'service 96 nightly')], () => field(tab).fill('service 96 n')),
    ),
  );
  yield* answerFigures(`${what}: search, with 250 ms for typing`, searches, atMost(400));
  const sorts = await repeat(roundsOf(measured), () =>
    within(measured, RUNS, (tab) =>
      tab.answered([firstRow('Runs', 'service 996 nightly')], () =>
        tab.page.getByRole('columnheader', { name: 'Name' }).getByRole('button').click(),
      ),
    ),
  );
  yield* answerFigures(`${what}: sort`, sorts, atMost(300));
  const path = '/runs?page=1&per_page=200&sort=-started';
  const asked = async () => drain(await openGet(server, path));
  const rounds = await latencyRounds(context, { rounds: 3, requests: 100 }, asked);
  yield* latencyFigures('GET /runs, 200 rows', rounds, { p99: atMost(50) });
}

export async function* failedPart(measured: Measured): AsyncGenerator<Figure> {
  const { server, context } = measured;
  const id = await failedRun(server, context.folder);
  const cause: Shown = ['[aria-labelledby=first-failure]', 'exit code 3'];
  const test: Shown = ['[aria-labelledby=first-failure] pre', 'expected 30'];
  yield* firstScreen(measured, ['a failed run', 1_000], [`runs/${id}`, [cause, test]]);
}

export async function* logPart(measured: Measured): AsyncGenerator<Figure> {
  const { server, sizes, context } = measured;
  const { lines } = sizes;
  const id = await longLogRun(server, sizes);
  const path = `/workflows/${id}/log`;
  const what = `log of ${lines} lines`;
  const place = [`runs/${id}/log`, [[`${LOG} button`, '']]] as const;
  yield* firstContent(measured, [`${what}: opening, from the summary`, 500], {
    from: summaryOf(id),
    link: ['Run', /^Log/],
    shown: place[1][0],
  });
  yield* firstScreen(measured, [`${what}, in a new tab`, NEW_TAB_MS], place);
  const tab = await openTab(measured, place);
  yield* logViews(measured, tab, what);
  yield* logSearches(measured, tab, what);
  measured.answersMs.push(...(await tab.found()).answersMs);
  await tab.close();
  const window = async () => {
    const from = 1 + Math.floor(Math.random() * (lines - 500));
    return drain(await openGet(server, `${path}/lines?from=${from}&count=500`));
  };
  const rounds = await latencyRounds(context, { rounds: 3, requests: 100 }, window);
  yield* latencyFigures('GET /log/lines, 500 lines', rounds, { p99: atMost(50) });
  const searches: readonly (readonly [string, string])[] = [
    ['text', 'q=request%20999'],
    ['pattern', 'regex=true&q=request%20%5B0-9%5D%2B99%20of'],
  ];
  for (const [kind, query] of searches) {
    const costs = await repeat(roundsOf(measured), async () => {
      const { cpuMs } = await server.usage();
      await drain(await openGet(server, `${path}/search?ignoreCase=true&${query}`));
      return (await server.usage()).cpuMs - cpuMs;
    });
    yield figure(`${what}: search for a ${kind}, processor time of the server`, costs, 'ms');
  }
}

async function* logViews(measured: Measured, tab: Tab, what: string): AsyncGenerator<Figure> {
  const { page, answered } = tab;
  const { lines } = measured.sizes;
  const log = page.getByRole('region', { name: 'Log' });
  const ends = await repeat(roundsOf(measured), async () => {
    await log.focus();
    await answered([lineOf(1)], () => page.keyboard.press('Home'));
    return await answered([lineOf(lines)], () => page.keyboard.press('End'));
  });
  yield* answerFigures(`${what}: to its end`, ends, atMost(500));
  const places = Array.from({ length: 20 }, (_, at) => ((at * 7 + 3) % 20) / 20);
  const jumps = await page.evaluate<number[]>(
    `pageWatch.scrollTo('${LOG}', ${JSON.stringify(places)}, ${JSON.stringify(BLANK_LINE)})`,
  );
  yield figure(`${what}: jump`, jumps, 'ms', atMost(200));
  const scroll = `pageWatch.scrollOn('${LOG}', 60, ${measured.context.scale(300, 20)})`;
  const moves = await repeat(roundsOf(measured), () => page.evaluate<Scrolled>(scroll));
  const tasks = moves.map(({ taskMs }) => taskMs);
  yield figure(`${what}: longest task while scrolling`, tasks, 'ms', atMost(50));
  yield figure(`${what}: objects of the tab`, [await tab.heapMB()], 'MB', atMost(150));
}

async function* logSearches(measured: Measured, tab: Tab, what: string): AsyncGenerator<Figure> {
  const { page, answered } = tab;
  const field = page.getByRole('searchbox', { name: 'Search in the log' });
  const [status, counted] = ['search [role=status]', / of .* lines?$/];
  for (const kind of ['text', 'pattern']) {
    if (kind === 'pattern') await page.getByRole('checkbox', { name: 'Pattern' }).check();
    let first = 0;
    const times = await repeat(roundsOf(measured), async (round) => {
      const text = kind === 'text' ? `request 99${round}` : `request [0-9]+9${round} of`;
      const begin = performance.now();
      first = (await answered([[`${LOG} [data-hit]`, `request`]], () => field.fill(text)))
        .elapsedMs;
      await page.locator(status).getByText(counted).waitFor();
      const all = performance.now() - begin;
      await field.fill('');
      await page.locator(status).waitFor({ state: 'detached' });
      return [first, all] as const;
    });
    const found = times.map(([each]) => each);
    yield figure(
      `${what}: first hit of a ${kind}, with 250 ms for typing`,
      found,
      'ms',
      atMost(500),
    );
    const all = times.map(([, each]) => each);
    yield figure(`${what}: all hits of a ${kind} counted`, all, 'ms', atMost(2_000));
  }
}

export async function* casesPart(measured: Measured): AsyncGenerator<Figure> {
  const { server, context, sizes } = measured;
  const id = await manyCasesRun(server, context.folder, sizes);
  const what = `${sizes.cases} test cases`;
  const place = [`runs/${id}/tests`, [firstRow('Test cases')]] as const;
  yield* firstContent(measured, [`${what}: first rows, from the summary`, 300], {
    from: summaryOf(id),
    link: ['Run', /^Tests/],
    shown: place[1][0],
  });
  yield* firstScreen(measured, [`${what}, in a new tab`, NEW_TAB_MS], place);
  const filter = (name: string, shown: Shown, act: (tab: Tab) => Promise<unknown>) =>
    repeat(roundsOf(measured), () =>
      within(measured, place, (tab) => tab.answered([shown], () => act(tab))),
    ).then((times) => answerFigures(`${what}: ${name}`, times, atMost(400)));
  yield* await filter('filter by outcome', firstRow('Test cases', 'adds item 100'), ({ page }) =>
    page.getByRole('button', { name: /^failed/ }).click(),
  );
  const last = `item ${sizes.cases - 1}`;
  yield* await filter(
    'filter by text, with 250 ms for typing',
    firstRow('Test cases', last),
    (tab) => tab.page.getByRole('searchbox', { name: "Part of a test's name" }).fill(last),
  );
  const places = Array.from({ length: 20 }, (_, at) => at / 19);
  const blank = await within(measured, place, ({ page }) =>
    page.evaluate<number[]>(
      `pageWatch.scrollTo('[role=grid]', ${JSON.stringify(places)}, ${JSON.stringify(BLANK_ROW)})`,
    ),
  );
  yield figure(`${what}: blank rows after a jump, median`, blank, 'ms');
  yield figure(
    `${what}: blank rows after a jump, longest`,
    [Math.max(...blank)],
    'ms',
    atMost(200),
  );
}

export async function* eventsPart(measured: Measured): AsyncGenerator<Figure> {
  const { server, sizes, context } = measured;
  const what = `run of ${sizes.events} events`;
  const place = [`runs/${SYNTHETIC_RUN}`, [['main', 'of 1 job succeeded']]] as const;
  // The first question folds all events.
  await drain(await openGet(server, `/workflows/${SYNTHETIC_RUN}/view`));
  yield* firstScreen(measured, [what, 800], place);
  const steps = await within(measured, place, async ({ page, answered }) => {
    await page.getByRole('slider').first().focus();
    return await repeat(2 * roundsOf(measured), (round) =>
      answered([['main', `at event ${NUMBERS.format(sizes.events - 1 - round)} of`]], () =>
        page.keyboard.press('ArrowLeft'),
      ),
    );
  });
  yield* answerFigures(`${what}: a step of the slider`, steps, atMost(50));
  const view = async () => drain(await openGet(server, `/workflows/${SYNTHETIC_RUN}/view`));
  const rounds = await latencyRounds(context, { rounds: 3, requests: 100 }, view);
  yield* latencyFigures(`GET /view, ${what}`, rounds, { p99: atMost(50) });
}

const NUMBERS = new Intl.NumberFormat('en-US');

export async function* graphPart(measured: Measured): AsyncGenerator<Figure> {
  const id = await graphRun(measured.server);
  const what = `graph of ${GRAPH_JOBS} jobs`;
  const place = [
    `runs/${id}/jobs?view=graph`,
    [['[aria-label^="Graph of jobs"] canvas', '']],
  ] as const;
  yield* firstScreen(measured, [what, 1_000], place);
  const moves = await within(measured, place, ({ page }) =>
    repeat(roundsOf(measured), () =>
      page.evaluate<Scrolled>(`pageWatch.scrollOn('[aria-label^="Graph of jobs"]', 20, 100)`),
    ),
  );
  const frames = moves.map(({ framesPerSecond }) => framesPerSecond);
  yield figure(`${what}: frames while panning`, frames, '/s', { atLeast: 50 });
}

/** Prints the time in epoch milliseconds, now and then. */
const printTimes = (count: number): string =>
  `for i in $(seq ${count}); do echo "at $\{EPOCHREALTIME/./}"; sleep 0.3; done`;

export async function* livePart(measured: Measured): AsyncGenerator<Figure> {
  const { server, context } = measured;
  const count = context.scale(60, 3);
  const only = { 'runs-on': 'linux', steps: [{ run: `sleep 3; ${printTimes(count + 20)}` }] };
  const id = await startJobs(server, 'live', { only });
  const delays = await within(measured, [`runs/${id}/log`, [[`${LOG} button`, '']]], ({ page }) =>
    page.evaluate<number[]>(`pageWatch.delays('${LOG} span', 'at (\\\\d{13})', ${count})`),
  );
  yield figure('a line, from its print to the screen: median', delays, 'ms');
  yield figure(
    'a line, from its print to the screen: p99',
    [quantile(delays, 0.99)],
    'ms',
    atMost(500),
  );
  const rows = await within(measured, RUNS, async ({ page }) => {
    const seen = page.evaluate<number[]>(
      `pageWatch.delays('[aria-label=Runs] bdi, [aria-label=Runs] a', 'at (\\\\d{13})', ${count / 3})`,
    );
    for (let started = 0; started < count / 3; started += 1) {
      await startJobs(server, `at ${Date.now()}`, {
        only: { 'runs-on': 'nowhere', steps: [{ run: 'true' }] },
      });
      await sleep(700);
    }
    return await seen;
  });
  yield figure('a run, from its start to its row: median', rows, 'ms');
  yield figure('a run, from its start to its row: p99', [quantile(rows, 0.99)], 'ms', atMost(500));
}

export async function* tabsPart({
  server,
  context,
}: Pick<Measured, 'server' | 'context'>): AsyncGenerator<Figure> {
  const each = context.scale(100, 5);
  const ms = context.scale(20_000, 1_000);
  const what = `${2 * each} tabs`;
  const only = {
    'runs-on': 'linux',
    steps: [{ run: 'sleep 3; for i in $(seq 90); do echo $i; sleep 1; done' }],
  };
  const before = await server.usage();
  const waiting = await startJobs(server, 'waits', { only: { ...only, 'runs-on': 'nowhere' } });
  const idle = await openTabs(server, each, waiting);
  await sleep(ms / 10);
  const cost = async () => {
    const { cpuMs } = await server.usage();
    await sleep(ms);
    return (((await server.usage()).cpuMs - cpuMs) / ms) * 100;
  };
  yield figure(`${what}, nothing happens: of a core`, [await cost()], '%', atMost(10));
  yield figure(
    `${what}: memory`,
    [((await server.usage()).rssBytes - before.rssBytes) / MIB],
    'MiB',
  );
  idle.close();
  const id = await startJobs(server, 'prints', { only });
  const busy = await openTabs(server, each, id);
  await sleep(ms / 10);
  yield figure(`${what}, a run prints a line a second: of a core`, [await cost()], '%', atMost(10));
  const lists = busy.lists();
  const starts = setInterval(
    () => void startJobs(server, 'more', { only: { ...only, 'runs-on': 'nowhere' } }),
    2_000,
  );
  yield figure(
    `${what}, and a run starts every two seconds: of a core`,
    [await cost()],
    '%',
    atMost(10),
  );
  clearInterval(starts);
  yield figure(`${what}: lists asked for meanwhile`, [((busy.lists() - lists) * 1000) / ms], '/s');
  busy.close();
}
