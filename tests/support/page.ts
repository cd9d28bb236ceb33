/** The page of a server in a real browser, as somebody sees it who is signed in. */
import { join } from 'node:path';
import axe from 'axe-core';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import { ensurePage } from '../../scripts/build.mjs';
import { ROOT } from '../structure/source-files.ts';
import { detailsOf } from './api.ts';
import { LOOK_FOR_VIOLATIONS } from './browser.ts';
import type { ServerChild } from './workbench.ts';

/** Builds the page, unless it is there. `npm test` has done so before. */
export const buildPage = (): Promise<void> => ensurePage(ROOT, process.execPath);

export const LIGHT = { viewport: { width: 1280, height: 800 }, colorScheme: 'light' } as const;
export const DARK = { ...LIGHT, colorScheme: 'dark' } as const;
export const PHONE = {
  viewport: { width: 360, height: 740 },
  colorScheme: 'light',
  hasTouch: true,
} as const;
export const DARK_PHONE = { ...PHONE, colorScheme: 'dark' } as const;
/** By what a test says of them. */
export const SCREENS = {
  'on a light screen': LIGHT,
  'on a dark screen': DARK,
  'on a light phone': PHONE,
  'on a dark phone': DARK_PHONE,
};

export interface OpenedPage {
  readonly page: Page;
  /** Errors and warnings of the page, and requests to other hosts. */
  readonly complaints: readonly string[];
}

/** Opens a path of the page, signed in. The server counts as one of its own machine. */
export async function openPage(
  browser: Browser,
  server: ServerChild,
  path = '/',
  options: BrowserContextOptions = LIGHT,
): Promise<OpenedPage> {
  const opened = await openTab(browser, server.url, options);
  await signInWithCode(opened.page, server, path);
  return opened;
}

/** Only what hangs takes this long, whatever else the machine does. */
export const PATIENCE_MS = 120_000;

/** A tab without a session. */
export async function openTab(
  browser: Browser,
  base: string,
  options: BrowserContextOptions = LIGHT,
): Promise<OpenedPage> {
  const context = await browser.newContext({ reducedMotion: 'reduce', ...options });
  context.setDefaultTimeout(PATIENCE_MS);
  onTestFinished(() => context.close());
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(base) && !/^(?:data|blob):/.test(url)) complaints.push(url);
  });
  page.on('console', (message) => {
    if (message.type() !== 'error' && message.type() !== 'warning') return;
    complaints.push(`${message.text()} ${message.location().url}`);
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  return { page, complaints };
}

/** Opens the address that `tutti ui` opens. */
export async function signInWithCode(page: Page, server: ServerChild, path = '/'): Promise<void> {
  const code = String(detailsOf(await server.call('POST', '/ui/codes')).code);
  await page.goto(`${server.url}/ui/login?to=${encodeURIComponent(path)}#code=${code}`);
  await page.locator('header nav').waitFor();
}

/** Fails for whatever axe finds. Placeholders are waited for. */
export async function expectAccessible(page: Page): Promise<void> {
  await page.evaluate(axe.source);
  const { violations } = (await page.evaluate(LOOK_FOR_VIOLATIONS)) as axe.AxeResults;
  const found = violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} ${failureSummary}`),
  );
  expect(found).toEqual([]);
}

/** Fails if something is wider than the screen, so that the page would have to be moved sideways. */
export async function expectToFit(page: Page): Promise<void> {
  const wide = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
  expect(wide).toBeLessThanOrEqual(0);
}

/** Keeps a picture for the documentation, where somebody asks for pictures. */
export async function takePicture(page: Page, name: string): Promise<void> {
  if (process.env.TUTTI_PICTURES !== '1') return;
  await page.screenshot({ path: join(ROOT, 'docs/pictures', `${name}.png`) });
}
