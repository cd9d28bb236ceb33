/** Pages with nothing to show: they load, are empty, failed, may not be seen, or lost the server. */
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
} from '../support/page.ts';
import { ended, oneJob, sh, start } from '../support/runs.ts';
import { type ServerChild, Workbench } from '../support/workbench.ts';

const program = findChromium();
const LOOKS = [
  ['on a light screen', LIGHT],
  ['on a dark phone', DARK_PHONE],
] as const;
/** Words of each page of a server without runs and agents. */
const EMPTY = [
  ['/', 'Start a run'],
  ['/runs', 'No run yet'],
  ['/tests', 'No test has a history yet'],
  ['/quarantine', 'No test is in quarantine'],
  ['/queue', 'No job waits'],
  ['/workflows', 'No workflow has run yet'],
  ['/environments', 'tutti agent'],
] as const;
/** Questions for data: not for files of the page, nor for the session. */
const isQuestion = ({ pathname }: URL): boolean =>
  /^\/(runs|tests|quarantine|queue|agents)$/.test(pathname);
const LISTS = EMPTY.map(([path]) => path);

describe.skipIf(program === null)('a page with nothing to show', () => {
  let bench: Workbench;
  let browser: Browser;
  let server: ServerChild;

  beforeAll(async () => {
    await buildPage();
    bench = await Workbench.open();
    server = await bench.server();
    browser = await launchChromium(program ?? '');
  });
  afterAll(async () => {
    await browser.close();
    await bench.close();
  });

  async function expectWell(page: Page): Promise<void> {
    await expectAccessible(page);
    await expectToFit(page);
  }

  describe.each(LOOKS)('%s', (_, look) => {
    test.each(EMPTY)('%s is empty: it says why, and what to do', async (path, words) => {
      const { page, complaints } = await openPage(browser, server, path, look);
      await page.locator('main').getByText(words).first().waitFor();
      await expectWell(page);
      expect(complaints).toEqual([]);
    });

    test('while answers take long, each page has its frame', async () => {
      const { page } = await openPage(browser, server, '/about', look);
      await page.route(isQuestion, () => {});
      for (const path of LISTS) {
        await page.goto(`${server.url}/ui${path}`);
        await page.locator('main [aria-hidden] > div').first().waitFor();
        await page.locator('main h1').waitFor();
        await expectWell(page);
      }
    });

    test('a part that gets no answer says so, and can be asked for again', async () => {
      const { page } = await openPage(browser, server, '/about', look);
      await page.route(isQuestion, (route) => route.abort());
      for (const path of LISTS) {
        await page.goto(`${server.url}/ui${path}`);
        await page.locator('main').getByRole('alert').first().waitFor();
        await expectWell(page);
      }
      await page.unroute(isQuestion);
      await page.getByRole('button', { name: 'Try again' }).first().click();
      await page.locator('main').getByText('tutti agent').first().waitFor();
    });

    test('without rights, each page names the right that is missing', async () => {
      const token = await createToken({
        key: await ensureSigningKey(server.dataDir),
        clock: systemClock,
        subject: 'nobody',
        verbs: [],
      });
      const { page } = await openTab(browser, server.url, look);
      await page.goto(`${server.url}/ui/about`);
      await page.getByLabel('Token').fill(token);
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'About' }).waitFor();
      for (const path of LISTS) {
        await page.goto(`${server.url}/ui${path}`);
        const words = path === '/' ? 'may not read runs and environments' : 'Forbidden (403)';
        await page.locator('main').getByText(words).first().waitFor();
        await expectWell(page);
      }
      // One message in place of five.
      await page.goto(`${server.url}/ui/`);
      await page.getByText('tutti tokens create').waitFor();
      expect(await page.getByRole('alert').count()).toBe(0);
    });

    test('with a right for runs alone, Now says what is missing, and shows the rest', async () => {
      const token = await createToken({
        key: await ensureSigningKey(server.dataDir),
        clock: systemClock,
        subject: 'reader',
        resources: ['workflows'],
      });
      const { page } = await openTab(browser, server.url, look);
      await page.goto(`${server.url}/ui/`);
      await page.getByLabel('Token').fill(token);
      await page.keyboard.press('Enter');
      await page.getByText('tutti init').waitFor();
      expect(await page.getByRole('alert').count()).toBe(0);
      await expectWell(page);
    });

    test('a page that lost its server says since when, and keeps what it has', async () => {
      const other = await bench.server();
      const id = await start(other, oneJob('kept', [sh('true')], { 'runs-on': 'nowhere' }));
      await other.call('DELETE', `/workflows/${id}`);
      await ended(other, id);
      const { page } = await openPage(browser, other, '/runs', look);
      const row = page.getByRole('row').filter({ hasText: 'kept' });
      await row.waitFor();
      await other.child.kill('SIGKILL');
      await page
        .getByText(/not live since/)
        .first()
        .waitFor();
      expect(await row.count()).toBe(1);
      await expectWell(page);
    });
  });
});
