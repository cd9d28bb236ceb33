/** A tab of Chromium on the page of a server, on a slow machine, with a watch in the page. */
import { fileURLToPath } from 'node:url';
import type { Browser, CDPSession, Page } from 'playwright-core';
import { signIn } from '../../tests/support/browser-session.ts';
import type { Target } from './exchange.ts';

const WATCH = fileURLToPath(new URL('./page-watch.js', import.meta.url));
const SCREEN = { viewport: { width: 1280, height: 800 }, reducedMotion: 'reduce' } as const;
/** As the design of the page has it: a slow machine of a user. */
export const SLOWDOWN = 4;
/** Only what hangs takes this long. */
const PATIENCE_MS = 300_000;

/** Elements, and a text that one of them has. */
export type Shown = readonly [selector: string, text: string];

export interface PageUsage {
  readonly taskMs: number;
  readonly paintMs: number;
  readonly largestMs: number;
  readonly answersMs: readonly number[];
}

/** The longest task and the rate of some frames. Something moves in each frame. */
export interface Scrolled {
  readonly taskMs: number;
  readonly framesPerSecond: number;
}

export interface Answered {
  readonly elapsedMs: number;
  /** Processor time of the main thread meanwhile: what else the machine does changes it little. */
  readonly busyMs: number;
}

export interface Tab {
  readonly page: Page;
  readonly cdp: CDPSession;
  /** From an act of the user to the frame that shows all of it. */
  answered(shown: readonly Shown[], act: () => Promise<unknown>): Promise<Answered>;
  found(): Promise<PageUsage>;
  /** Processor time of the main thread so far. */
  busyMs(): Promise<number>;
  /** Megabytes of JavaScript objects without garbage. */
  heapMB(): Promise<number>;
  close(): Promise<void>;
}

export interface OpenedTab extends Tab {
  /** From the request for the page to the frame that shows all of it. */
  readonly shownMs: number;
  /** Processor time of its main thread until then. */
  readonly shownBusyMs: number;
}

export interface Visited {
  readonly browser: Browser;
  readonly server: Target;
  /** The `Cookie` header of a session. */
  readonly cookie: string;
}

export interface TabOptions {
  readonly slowdown?: number;
  readonly network?: { readonly megabits: number; readonly latencyMs: number };
}

/** An address below `/ui/`, and what it shows. */
export type Place = readonly [path: string, shown: readonly Shown[], options?: TabOptions];

/** Opens a session for tabs. */
export async function visit(browser: Browser, server: Target): Promise<Visited> {
  const authorization = `Bearer ${server.token}`;
  return { browser, server, cookie: await signIn(server.url.origin, { authorization }) };
}

/** Opens an address with empty caches; `shownMs` is the time until it shows all of it. */
export async function openTab(
  { browser, server, cookie }: Visited,
  [path, shown, { slowdown = SLOWDOWN, network } = {}]: Place,
): Promise<OpenedTab> {
  const context = await browser.newContext(SCREEN);
  context.setDefaultTimeout(PATIENCE_MS);
  const [name = '', value = ''] = cookie.split('=');
  const { origin } = server.url;
  await context.addCookies([{ name, value, url: origin, httpOnly: true, sameSite: 'Strict' }]);
  const page = await context.newPage();
  const cdp = await context.newCDPSession(page);
  await page.addInitScript({ path: WATCH });
  await page.addInitScript(`pageWatch.fromStart(${JSON.stringify(shown)})`);
  await cdp.send('Performance.enable', { timeDomain: 'threadTicks' });
  await cdp.send('Emulation.setCPUThrottlingRate', { rate: slowdown });
  if (network !== undefined) {
    const throughput = (network.megabits * 1_000_000) / 8;
    await cdp.send('Network.enable');
    await cdp.send('Network.emulateNetworkConditions', {
      ...{ offline: false, latency: network.latencyMs },
      ...{ downloadThroughput: throughput, uploadThroughput: throughput },
    });
  }
  await page.goto(`${origin}/ui/${path}`, { waitUntil: 'commit' });
  const shownMs = await page.evaluate<number>('pageWatch.answer()');
  const begun = { shownMs, shownBusyMs: await mainThreadMs(cdp) };
  return { ...tabOf(page, cdp), ...begun, close: () => context.close() };
}

function tabOf(page: Page, cdp: CDPSession): Omit<Tab, 'close'> {
  return {
    page,
    cdp,
    answered: async (shown, act) => {
      await page.evaluate(`pageWatch.fromInput(${JSON.stringify(shown)})`);
      const before = await mainThreadMs(cdp);
      await act();
      const elapsedMs = await page.evaluate<number>('pageWatch.answer()');
      return { elapsedMs, busyMs: (await mainThreadMs(cdp)) - before };
    },
    busyMs: () => mainThreadMs(cdp),
    found: () => page.evaluate<PageUsage>('pageWatch.found'),
    heapMB: async () => {
      await cdp.send('HeapProfiler.collectGarbage');
      const { usedSize } = await cdp.send('Runtime.getHeapUsage');
      return usedSize / 1_000_000;
    },
  };
}

/** Processor time of the main thread so far. */
async function mainThreadMs(cdp: CDPSession): Promise<number> {
  const { metrics } = await cdp.send('Performance.getMetrics');
  return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN) * 1000;
}

/** Processor time of all tabs so far, in milliseconds, with their compilers and collectors. */
export async function tabsProcessorMs(browser: Browser): Promise<number> {
  const cdp = await browser.newBrowserCDPSession();
  const { processInfo } = await cdp.send('SystemInfo.getProcessInfo');
  await cdp.detach();
  const tabs = processInfo.filter(({ type }) => type === 'renderer');
  return tabs.reduce((sum, { cpuTime }) => sum + cpuTime * 1000, 0);
}
