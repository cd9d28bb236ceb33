/** Quarantine of tests, in a browser: which there are, how one begins and ends, and what runs show of it. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { ensureSigningKey } from '../../server/src/auth/signing-key.ts';
import { createToken } from '../../server/src/auth/tokens.ts';
import { systemClock } from '../../server/src/runtime/clock.ts';
import { detailsOf, itemsOf } from '../support/api.ts';
import { findChromium, launchChromium } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import { OTHERS_IN_MAIN, TURNING } from '../support/hostile-texts.ts';
import { expectReachable } from '../support/keyboard.ts';
import {
  buildPage,
  DARK_PHONE,
  expectAccessible,
  expectToFit,
  LIGHT,
  openPage,
  openTab,
} from '../support/page.ts';
import { ended, start, workersEnded } from '../support/runs.ts';
import { reportsOf } from '../support/sample-run.ts';
import { sharedServer } from '../support/shared-server.ts';

const program = findChromium();
/** Outcomes of each test in each run; several letters are attempts. */
const HISTORY: Readonly<Record<string, readonly string[]>> = {
  'pays by card': ['SSSFSSSSFS', 'S', 'S', 'FS'],
  'removes an item': ['SSSSS', 'FF', 'FF', 'FF'],
  'opens the shop': ['SSSSS', 'S', 'S', 'S'],
  'ships abroad': ['S', 'S', 'S', 'S'],
};
const RUNS = 4;
const HOSTILE = '<img src=x onerror="document.title=\'evil\'"> \u202Edesrever';
const LINK = 'https://tracker.example.com/4711';

describe.skipIf(program === null)('quarantine', async () => {
  const { server } = await sharedServer({ tags: ['linux'], name: 'build-7', slots: 2 }, () => ({
    // Small projects have room for one test otherwise.
    config: { quarantine: { share: 1 } },
  }));
  let browser: Browser;

  const tests = async (query = '') => itemsOf(await server.call('GET', '/tests', { query }));
  const idOf = async (search: string) =>
    String(Object((await tests(new URLSearchParams({ search }).toString()))[0]).metadata.id);
  const pathOf = async (search: string) => `/tests/${await idOf(search)}`;
  const quarantined = async () => itemsOf(await server.call('GET', '/quarantine'));

  async function quarantine(search: string, body: Readonly<Record<string, unknown>>) {
    const answer = await server.call('POST', `${await pathOf(search)}/quarantine`, { body });
    expect(answer.code).toBe(201);
  }

  /** No test is in quarantine after it. */
  async function releaseAll(): Promise<void> {
    for (const item of await quarantined())
      await server.call('DELETE', `/tests/${Object(item).test_id}/quarantine`);
    expect(await quarantined()).toEqual([]);
  }

  /** Two jobs run the same tests, so each test has two variants. */
  async function ran(outcomes: Readonly<Record<string, string>>, query: string) {
    const unit = { 'runs-on': 'linux', steps: reportsOf(outcomes) };
    const browserJob = { 'runs-on': 'linux', steps: reportsOf({ 'ships abroad': 'S' }) };
    const jobs = { unit, browser: browserJob };
    const id = await start(server, { metadata: { name: 'shop' }, jobs }, query);
    await ended(server, id);
    await workersEnded(server, id);
    return id;
  }

  beforeAll(async () => {
    await buildPage();
    browser = await launchChromium(program ?? '');
    for (let run = 0; run < RUNS; run++) {
      const outcomes = Object.entries(HISTORY).map(([name, all]) => [name, all[run] ?? '']);
      await ran(Object.fromEntries(outcomes), `version=v${run + 1}&branch=main`);
      await eventually(`the history of run ${run}`, async () =>
        (await tests('search=opens')).some(
          (item) => Object(item).metadata.lastVersion === `v${run + 1}`,
        ),
      );
    }
  }, 120_000);
  afterAll(() => browser.close());

  const rows = (page: Page, name = 'Quarantine') =>
    page.getByRole('grid', { name }).getByRole('row');
  const band = (page: Page, name: string | RegExp = 'Quarantine') =>
    page.getByRole('region', { name, exact: true });
  const question = (page: Page) => page.getByRole('dialog');
  const journal = (page: Page) =>
    page.getByRole('region', { name: 'Journal' }).getByRole('listitem');

  test('Which tests are in quarantine, and until when?', async () => {
    await releaseAll();
    const { page, complaints } = await openPage(browser, server, '/tests');
    await page.getByRole('main').getByRole('link', { name: 'Quarantine' }).click();
    await page.getByText('No test is in quarantine, so all failures count.').waitFor();
    const until = new Date(Date.now() + 7 * 86_400_000).toISOString();
    await quarantine('pays', { reason: 'waits for the driver', until, link: LINK });
    await quarantine('removes', { reason: 'is repaired soon', force: true });
    const abroad = detailsOf(await server.call('GET', await pathOf('ships')));
    const variant = Object(abroad.spec).variants.find(({ job }: { job: string }) => job === 'unit');
    await quarantine('ships', { reason: 'only here', variant: variant.id });
    await page.reload();
    const row = rows(page).filter({ hasText: 'pays by card' });
    const day = new Intl.DateTimeFormat('en-US', { month: 'short', day: 'numeric' });
    expect(await row.textContent()).toMatch(
      new RegExp(
        `^flaky.*pays by card.*shopwaits for the driveradmin.* ago${day.format(new Date(until))}, .*or when it recovers$`,
      ),
    );
    const broken = rows(page).filter({ hasText: 'removes an item' });
    await broken.getByText('failures count: it is broken').waitFor();
    await rows(page).filter({ hasText: 'one job' }).getByText('only here').waitFor();
    await page.getByText('3 quarantines.', { exact: false }).waitFor();
    await row.getByRole('link', { name: 'shop', exact: true }).click();
    await page.waitForURL(/\/quarantine\?project=shop&namespace=default$/);
    const command = 'tutti tests quarantined --project=shop --namespace=default';
    await page.getByRole('button', { name: command }).waitFor();
    await page.goto(`${server.url}/ui/quarantine?project=other`);
    await page.getByText('No test fits these filters.').waitFor();
    await page.getByRole('link', { name: 'Show all tests in quarantine' }).click();
    await rows(page).filter({ hasText: 'one job' }).click();
    await page.waitForURL(new RegExp(`/tests/[0-9a-f-]{36}\\?variant=${variant.id}$`));
    await band(page, 'Quarantine of job unit').getByText('only here').waitFor();
    expect(complaints).toEqual([]);
  });

  test('Is this test in quarantine? It begins and ends with the keyboard alone', async () => {
    await releaseAll();
    const { page, complaints } = await openPage(browser, server, await pathOf('pays'));
    await band(page).getByText('None. Its failures count.').waitFor();
    await page.getByRole('button', { name: 'Quarantine…' }).focus();
    await page.keyboard.press('Enter');
    await question(page).getByText('its failures do not count', { exact: false }).waitFor();
    await page.getByLabel('Reason').and(page.locator(':focus')).waitFor();
    expect(await question(page).getByRole('button', { name: 'Put in' }).isEnabled()).toBe(false);
    await page.keyboard.type('waits for the driver');
    await page.keyboard.press('Tab');
    await page.keyboard.type('soon');
    await question(page).getByText('A number above 0 is needed').waitFor();
    await page.keyboard.press('Control+a');
    await page.keyboard.type('7');
    await page.keyboard.press('Tab');
    await page.keyboard.type('javascript:alert(1)');
    await question(page).getByText('A link begins with https://').waitFor();
    await page.keyboard.press('Control+a');
    await page.keyboard.type(LINK);
    await page.keyboard.press('Enter');
    await question(page).waitFor({ state: 'detached' });
    const text = (await band(page).textContent()) ?? '';
    expect(text).toContain('its failures do not count');
    expect(text).toMatch(/Reasonwaits for the driverLink.*4711Begunby admin, .* agoEnds/);
    const [item] = await quarantined();
    const { until, from } = Object(item);
    expect(Math.round((Date.parse(until) - Date.parse(from)) / 86_400_000)).toBe(7);
    const link = band(page).getByRole('link', { name: LINK });
    expect(await link.getAttribute('rel')).toBe('noopener noreferrer');
    expect(await journal(page).first().textContent()).toMatch(
      /quarantinedby admin until .*: waits for the driver$/,
    );
    await expectReachable(page);
    await page.getByRole('button', { name: 'Release' }).focus();
    await page.keyboard.press('Enter');
    await question(page).getByText('Its failures count again').waitFor();
    await page.keyboard.type('the driver came');
    await page.keyboard.press('Enter');
    await band(page).getByText('None. Its failures count.').waitFor();
    expect(await journal(page).first().textContent()).toMatch(/releasedby admin: the driver came$/);
    expect(complaints).toEqual([]);
  });

  test('what the server refuses is said, and what was entered stays', async () => {
    await releaseAll();
    const { page } = await openPage(browser, server, await pathOf('removes'));
    await page.getByRole('button', { name: 'Quarantine…' }).click();
    await page.getByLabel('Reason').fill('is repaired soon');
    await page.getByLabel('Days').fill('61');
    await page.keyboard.press('Enter');
    const alert = question(page).getByRole('alert');
    await alert.getByText('60 days at most').waitFor();
    await page.getByLabel('Days').fill('');
    await page.keyboard.press('Enter');
    await alert.getByText('The test is broken', { exact: false }).waitFor();
    expect(await quarantined()).toEqual([]);
    await page.getByRole('checkbox', { name: 'Although it is broken' }).check();
    await question(page).getByRole('button', { name: 'Put in quarantine' }).click();
    await question(page).waitFor({ state: 'detached' });
    await band(page).getByText('It is broken, so its failures count').waitFor();
    // Another one has released it meanwhile.
    await page.getByRole('button', { name: 'Release' }).click();
    await releaseAll();
    await question(page).getByRole('button', { name: 'Release it' }).click();
    await alert.getByText('is not in quarantine').waitFor();
  });

  test('what the server would refuse cannot be sent', async () => {
    await releaseAll();
    const { page } = await openPage(browser, server, await pathOf('pays'));
    await page.getByRole('button', { name: 'Quarantine…' }).click();
    const send = question(page).getByRole('button', { name: 'Put in quarantine' });
    for (const [label, texts, problem] of [
      ['Reason', ['a\tb', 'a\u009bb'], 'no other control characters'],
      ['Reason', ['😀'.repeat(1_001)], '1000 characters'],
      ['Days', ['soon', '0', '-1', '1e3', '0,0', '9999999'], 'above 0'],
      ['Link', ['javascript:alert(1)', 'https://', 'https://a b'], 'A link begins with'],
      ['Link', [`https://${'a'.repeat(2_000)}`], '2000 characters'],
    ] as const) {
      await page.getByLabel('Reason').fill('waits');
      await expect.poll(() => send.isEnabled()).toBe(true);
      for (const text of texts) {
        await page.getByLabel(label).fill(text);
        await question(page).getByText(problem, { exact: false }).waitFor();
        expect(await send.isEnabled()).toBe(false);
      }
      await page.getByLabel(label).fill('');
    }
    await page.getByLabel('Reason').fill(' ');
    expect(await send.isEnabled()).toBe(false);
    await page.getByLabel('Reason').fill('😀'.repeat(1_000));
    await page.getByLabel('Days').fill(' 0,5 ');
    await page.keyboard.press('Enter');
    await band(page).getByText('😀', { exact: false }).waitFor();
    const { until, from } = Object((await quarantined())[0]);
    expect(Math.round((Date.parse(until) - Date.parse(from)) / 3_600_000)).toBe(12);
  });

  test('one job of a test is in quarantine alone', async () => {
    await releaseAll();
    const { page } = await openPage(browser, server, await pathOf('ships'));
    await page.getByRole('button', { name: 'Quarantine…' }).click();
    await page.getByLabel('Reason').fill('only there');
    await page.getByLabel('Jobs').selectOption('Job browser');
    await question(page).getByRole('button', { name: 'Put in quarantine' }).click();
    await band(page, 'Quarantine of job browser').getByText('only there').waitFor();
    await page.getByRole('button', { name: 'Quarantine…' }).click();
    await page.getByLabel('Jobs').selectOption('Job browser');
    await question(page).getByText('This replaces the quarantine').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Release' }).click();
    await question(page).getByText('Release “ships abroad” of job browser?').waitFor();
    await question(page).getByRole('button', { name: 'Release it' }).click();
    await band(page).getByText('None. Its failures count.').waitFor();
  });

  test('without the right, the page says who began it, and offers no action', async () => {
    await releaseAll();
    await quarantine('pays', { reason: 'waits for the driver' });
    const token = await createToken({
      key: await ensureSigningKey(server.dataDir),
      clock: systemClock,
      subject: 'reader',
      verbs: ['get', 'list'],
    });
    const { page } = await openTab(browser, server.url);
    await page.goto(`${server.url}/ui${await pathOf('pays')}`);
    await page.getByLabel('Token').fill(token);
    await page.keyboard.press('Enter');
    await band(page).getByText('by admin', { exact: false }).waitFor();
    await page.getByRole('heading', { name: 'Executions' }).waitFor();
    expect(await page.getByRole('button', { name: /Quarantine…|Release/ }).count()).toBe(0);
  });

  test('A run: which of its failures are of tests in quarantine?', async () => {
    await releaseAll();
    await quarantine('pays', { reason: 'waits for the driver' });
    const outcomes = { 'pays by card': 'F', 'removes an item': 'F', 'opens the shop': 'S' };
    const id = await ran(outcomes, 'version=v9&branch=trial');
    const { page, complaints } = await openPage(browser, server, `/runs/${id}`);
    const failed = page.getByRole('region', { name: 'Failed tests' }).getByRole('listitem');
    await failed.filter({ hasText: 'pays' }).getByText('quarantined').waitFor();
    expect(await failed.filter({ hasText: 'removes' }).getByText('quarantined').count()).toBe(0);
    await page.goto(`${server.url}/ui/runs/${id}/tests`);
    const cases = rows(page, 'Test cases');
    await cases.filter({ hasText: 'pays' }).getByText('quarantined').waitFor();
    expect(await cases.getByText('quarantined').count()).toBe(1);
    await cases.filter({ hasText: 'pays' }).click();
    const panel = page.getByRole('complementary', { name: 'Test case' });
    await panel.getByText('quarantined').waitFor();
    await page.goto(`${server.url}/ui/tests`);
    await rows(page, 'Tests').filter({ hasText: 'pays' }).getByText('quarantined').waitFor();
    expect(await rows(page, 'Tests').getByText('quarantined').count()).toBe(1);
    expect(complaints).toEqual([]);
  });

  test('the palette knows the page', async () => {
    const { page } = await openPage(browser, server, '/about');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill('quarantine');
    await page.getByRole('option', { name: 'Tests in quarantine' }).click();
    await page.getByRole('heading', { level: 1, name: 'Quarantine' }).waitFor();
  });

  test.each([
    ['a light screen', LIGHT],
    ['a dark phone', DARK_PHONE],
  ])(
    'each state is accessible, fits, and shows hostile reasons as texts, on %s',
    async (_, look) => {
      await releaseAll();
      const pays = await pathOf('pays');
      const { page, complaints } = await openPage(browser, server, '/about', look);
      const expectWell = async (words: string) => {
        await page.locator('main').getByText(words).first().waitFor({ state: 'attached' });
        await page.waitForLoadState('networkidle');
        await expectAccessible(page);
        await expectToFit(page);
        expect(await page.title()).not.toBe('evil');
        expect(await page.locator(OTHERS_IN_MAIN).count()).toBe(0);
        expect(await page.evaluate(TURNING)).toEqual([]);
      };
      // Axe sometimes does not see a dialog that has just opened, and finds no content.
      const expectDialog = () => vi.waitFor(() => expectAccessible(page), { timeout: 20_000 });
      const go = (path: string) => page.goto(`${server.url}/ui${path}`);
      await go('/quarantine');
      await expectWell('No test is in quarantine');
      await go(pays);
      await expectWell('None. Its failures count.');
      await quarantine('pays', { reason: HOSTILE });
      await quarantine('removes', { reason: 'is repaired soon', force: true });
      await quarantine('opens', { reason: 'x'.repeat(1_000) });
      await go('/quarantine');
      await expectWell('onerror');
      await go('/quarantine?project=none');
      await expectWell('No test fits');
      await go('/tests');
      await expectWell('quarantined');
      await go(pays);
      await expectWell('onerror');
      await page.getByRole('button', { name: 'Release' }).click();
      await question(page).locator(':focus').waitFor();
      await expectDialog();
      await page.keyboard.press('Escape');
      await go(await pathOf('removes'));
      await page.getByRole('button', { name: 'Quarantine…' }).click();
      await page.getByLabel('Days').fill('never');
      await question(page).getByText('A number above 0 is needed').waitFor();
      await expectDialog();
      await expectToFit(page);
      expect(complaints).toEqual([]);
    },
  );
});
