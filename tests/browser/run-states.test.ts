/** Pages of runs, Compare, Start and Settings with nothing to show: loading, empty, broken, or forbidden. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ensureSigningKey } from '../../server/src/auth/signing-key.ts';
import { createToken } from '../../server/src/auth/tokens.ts';
import { systemClock } from '../../server/src/runtime/clock.ts';
import { findChromium, launchChromium } from '../support/browser.ts';
import {
  buildPage,
  DARK_PHONE,
  expectAccessible,
  expectToFit,
  LIGHT,
  openPage,
  openTab,
  PATIENCE_MS,
} from '../support/page.ts';
import { ended, oneJob, sh, start, workersEnded } from '../support/runs.ts';
import { sharedServer } from '../support/shared-server.ts';

const program = findChromium();
const LOOKS = [
  ['on a light screen', LIGHT],
  ['on a dark phone', DARK_PHONE],
] as const;
/** Tabs of a run that ended without results, and of one that waits: what each says. */
const QUIET = [
  ['', '1 of 1 job succeeded'],
  ['/jobs', 'main'],
  ['/log', 'Workflow completed successfully'],
  ['/tests', 'This run has no test cases'],
  ['/files', 'This run has no files'],
  ['/gates', 'no tests'],
  ['/events', 'Workflow completed'],
] as const;
const WAITING = [
  ['', 'Start an agent'],
  ['/jobs', 'no environment with tag'],
  ['/log', 'Requesting execution environment'],
  ['/tests', 'No test case has a result yet'],
  ['/files', 'This run has no files'],
  ['/gates', 'once the run has ended'],
  ['/events', 'asks for an environment'],
] as const;
/** The run itself: all of its pages need it. */
const isView = ({ pathname }: URL): boolean => /^\/workflows\/[^/]+\/view$/.test(pathname);
/** Questions of pages beside that one. */
const isDetail = (url: URL): boolean =>
  /^\/(workflows|qualitygates)\b/.test(url.pathname) && !isView(url);
const POLL = { timeout: PATIENCE_MS };
const TROUBLE = {
  apiVersion: 'v1',
  kind: 'Status',
  metadata: {},
  status: 'Failure',
  message: 'The disk of the server is full.',
  reason: 'InternalError',
  details: null,
  code: 500,
};

describe.skipIf(program === null)('a page of a run with nothing to show', async () => {
  const { server } = await sharedServer({ tags: ['linux'] });
  let browser: Browser;
  let quiet: string;
  let waiting: string;

  beforeAll(async () => {
    await buildPage();
    browser = await launchChromium(program ?? '');
    quiet = await start(server, oneJob('quiet', [sh('true')], { 'runs-on': 'linux' }));
    await ended(server, quiet);
    await workersEnded(server, quiet);
    waiting = await start(server, oneJob('early', [sh('true')], { 'runs-on': 'nowhere' }));
  }, 120_000);
  afterAll(() => browser.close());

  /** Pages that show something of a run, and whose details may be missing. */
  const detailed = () => [
    `/runs/${quiet}/log`,
    `/runs/${quiet}/gates`,
    `/runs/${quiet}/events`,
    `/compare?a=${quiet}&b=${waiting}`,
    `/start?from=${quiet}`,
  ];
  /** All tabs of a run have one frame, which shows the state. */
  const general = () => [
    `/runs/${quiet}`,
    `/runs/${quiet}/log`,
    `/compare?a=${quiet}&b=${waiting}`,
  ];

  async function expectWell(page: Page): Promise<void> {
    await expectAccessible(page);
    await expectToFit(page);
  }

  async function go(page: Page, path: string): Promise<void> {
    await page.goto(`${server.url}/ui${path}`);
  }

  const shown = (page: Page, words: string) => page.locator('main').getByText(words).first();

  describe.each(LOOKS)('%s', (_, look) => {
    test('without results, each page says what it is waiting for', async () => {
      const { page, complaints } = await openPage(browser, server, '/about', look);
      const pages = [
        ...QUIET.map(([tab, words]) => [`/runs/${quiet}${tab}`, words] as const),
        ...WAITING.map(([tab, words]) => [`/runs/${waiting}${tab}`, words] as const),
        ['/compare', 'Choose two runs'],
        [`/compare?b=${waiting}`, 'Choose the other run'],
        [`/compare?a=${quiet}&b=${waiting}`, 'All tests have the same results'],
        ['/start', 'The workflow is valid'],
        [`/start?from=${quiet}`, 'The workflow is valid'],
        ['/settings', 'What you may do'],
      ] as const;
      for (const [path, words] of pages) {
        await go(page, path);
        await shown(page, words).waitFor();
        await expectWell(page);
      }
      expect(complaints).toEqual([]);
    });

    test('while answers take long, each page has its frame', async () => {
      const { page } = await openPage(browser, server, '/about', look);
      for (const [isAsked, paths] of [
        [isView, general()],
        [isDetail, detailed()],
      ] as const) {
        await page.route(isAsked, () => {});
        for (const path of paths) {
          await go(page, path);
          await page.locator('main [aria-hidden] > div').first().waitFor();
          await page.locator('main h1').waitFor();
          await expectWell(page);
        }
        await page.unroute(isAsked);
      }
    });

    test('a part whose answer is an error says so, and can be asked for again', async () => {
      const { page } = await openPage(browser, server, '/about', look);
      for (const [isAsked, paths] of [
        [isView, general()],
        // The stream of events is opened again and again: the head of the page says so.
        [isDetail, detailed().filter((path) => !path.endsWith('/events'))],
      ] as const) {
        for (const path of paths) {
          await page.route(isAsked, (route) => route.fulfill({ status: 500, json: TROUBLE }));
          await go(page, path);
          await page.getByRole('alert').getByText(TROUBLE.message).first().waitFor();
          await expectWell(page);
          await page.unroute(isAsked);
          await expect
            .poll(async () => {
              for (const button of await page.getByRole('button', { name: 'Try again' }).all())
                await button.click({ timeout: 1_000 }).catch(() => {});
              return await page.getByRole('alert').count();
            }, POLL)
            .toBe(0);
        }
      }
    });

    test('without rights, each page names the right that is missing', async () => {
      const token = await createToken({
        key: await ensureSigningKey(server.dataDir),
        clock: systemClock,
        subject: 'nobody',
        verbs: [],
      });
      const { page } = await openTab(browser, server.url, look);
      await go(page, '/settings');
      await page.getByLabel('Token').fill(token);
      await page.keyboard.press('Enter');
      await shown(page, 'You may do nothing here').waitFor();
      await expectWell(page);
      for (const path of [...general(), `/start?from=${quiet}`]) {
        await go(page, path);
        await shown(page, 'Forbidden (403)').waitFor();
        await expectWell(page);
      }
      await go(page, '/start');
      await shown(page, 'may not create workflows').waitFor();
      await expectWell(page);
      expect(await page.getByRole('button', { name: 'Start' }).count()).toBe(0);
    });
  });
});
