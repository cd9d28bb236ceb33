/** The pages about tests over all runs, in a browser. Each question of a page has its test. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { itemsOf } from '../support/api.ts';
import { findChromium, launchChromium } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import { createGate } from '../support/gate.ts';
import {
  buildPage,
  DARK_PHONE,
  expectAccessible,
  expectToFit,
  LIGHT,
  openPage,
} from '../support/page.ts';
import { datasource, ended, oneJob, start, workersEnded } from '../support/runs.ts';
import { reportsOf } from '../support/sample-run.ts';
import { sharedServer } from '../support/shared-server.ts';

const program = findChromium();
/** Outcomes of each test in each run; several letters are attempts. */
const HISTORY: Readonly<Record<string, readonly string[]>> = {
  'pays by card': ['SSSFSSSSFS', 'S', 'S', 'FS'],
  'removes an item': ['SSSSS', 'FF', 'FF', 'FF'],
  'opens the shop': ['SSSSS', 'S', 'S', 'S'],
  'ships abroad': ['SSSSSSSSSS', 'SSSSS', 'SSSSS', 'FS'],
  'greets by name': ['', '', '', 'S'],
};
const STATES = {
  'pays by card': 'flaky',
  'removes an item': 'broken',
  'opens the shop': 'stable',
  'ships abroad': 'unsure',
  'greets by name': 'new',
};
const RUNS = 4;
/** For a machine that does much else. */
const PATIENCE = { timeout: 60_000 };

describe.skipIf(program === null)('the pages of tests', async () => {
  const { bench, server } = await sharedServer({ tags: ['linux'], name: 'build-7' });
  let browser: Browser;
  const runs: string[] = [];

  const tests = async (query = '') => itemsOf(await server.call('GET', '/tests', { query }));
  const idOf = async (search: string) =>
    String(Object((await tests(new URLSearchParams({ search }).toString()))[0]).metadata.id);

  async function ran(name: string, outcomes: Readonly<Record<string, string>>, query: string) {
    const id = await start(server, oneJob(name, reportsOf(outcomes)), query);
    await ended(server, id);
    await workersEnded(server, id);
    return id;
  }

  beforeAll(async () => {
    await buildPage();
    browser = await launchChromium(program ?? '');
    for (let run = 0; run < RUNS; run++) {
      const outcomes = Object.entries(HISTORY).map(([name, all]) => [name, all[run] ?? '']);
      const query = `version=v${run + 1}&branch=main`;
      runs.push(await ran('shop', Object.fromEntries(outcomes), query));
      await eventually(`the history of run ${run}`, async () =>
        (await tests('search=opens')).some(
          (item) => Object(item).metadata.lastVersion === `v${run + 1}`,
        ),
      );
    }
    await ran('trial', { 'tries an idea': 'F' }, 'branch=idea');
    await eventually('the history of the trial', async () => (await tests()).length === 6);
  }, 120_000);
  afterAll(() => browser.close());

  const rows = (page: Page, name: string) => page.getByRole('grid', { name }).getByRole('row');
  const rowOf = (page: Page, name: string) => rows(page, 'Tests').filter({ hasText: name });

  test('Tests: which cost us most, and which are flaky or broken?', async () => {
    const { page, complaints } = await openPage(browser, server, '/tests');
    for (const [name, state] of Object.entries(STATES)) {
      expect(await rowOf(page, name).textContent()).toMatch(new RegExp(`^${state}${name}`));
    }
    expect(await rowOf(page, 'removes').textContent()).toMatch(
      /75 % \(30 to 95 %\) of 4.*3 runs lost/,
    );
    await rowOf(page, 'removes').getByRole('img', { name: '6 of the last 11 failed' }).waitFor();
    // The test that cost most runs comes first.
    expect(await rows(page, 'Tests').nth(1).textContent()).toContain('removes an item');
    await page
      .getByText('1 of these tests ran without a known version', { exact: false })
      .waitFor();
    await page.getByRole('button', { name: 'flaky' }).click();
    await page.getByRole('button', { name: 'broken' }).click();
    await page.waitForURL(/\/tests\?state=broken,flaky$/);
    await expect.poll(() => rows(page, 'Tests').count(), PATIENCE).toBe(3);
    await page.getByRole('button', { name: 'tutti tests --state=broken,flaky' }).waitFor();
    await page.getByRole('searchbox').fill('card');
    await page.waitForURL(/q=card/);
    await expect.poll(() => rows(page, 'Tests').count(), PATIENCE).toBe(2);
    await page.getByRole('searchbox').fill('nowhere');
    await page.getByText('No test fits these filters.').waitFor();
    await page.getByRole('link', { name: 'Show all tests' }).click();
    await rowOf(page, 'tries an idea').getByRole('link', { name: 'trial' }).click();
    await page.waitForURL(/project=trial/);
    await expect.poll(() => rows(page, 'Tests').count(), PATIENCE).toBe(2);
    expect(complaints).toEqual([]);
  });

  test('A test: what does its state rest on?', async () => {
    const { page, complaints } = await openPage(browser, server, `/tests/${await idOf('pays')}`);
    const evidence = page.getByRole('region', { name: 'Job main' });
    await evidence.getByText('Run again, it will probably pass.', { exact: false }).waitFor();
    const text = (await evidence.textContent()) ?? '';
    expect(text).toMatch(/flaky since .*version v1, run …/);
    expect(text).toMatch(/flaky with a probability of (9\d|>99)/);
    expect(text).toContain('1 of 4 first attempts: 25 %, 95 % interval 4.6 to 70 %');
    expect(text).toMatch(/\d+ of \d+ passes in a row/);
    const versions = evidence.getByRole('table', { name: 'Failed and passed on one version' });
    expect(await versions.getByRole('row').allTextContents()).toEqual([
      'VersionWhenRuns',
      expect.stringMatching(/^v4/),
      expect.stringMatching(/^v1/),
    ]);
    await versions.locator(`a[href$="${runs[3]}"]`).waitFor();
    await page.getByRole('region', { name: 'Journal' }).getByText('flaky').waitFor();
    expect(complaints).toEqual([]);
  });

  test('A broken test is not called flaky: since when is it broken?', async () => {
    const { page } = await openPage(browser, server, `/tests/${await idOf('removes')}`);
    const evidence = page.getByRole('region', { name: 'Job main' });
    await evidence.getByText('so somebody has to repair it', { exact: false }).waitFor();
    const text = (await page.getByRole('main').textContent()) ?? '';
    expect(text).toMatch(/Failssince .*version v2, run …/);
    expect(text).toMatch(/broken with a probability of (9\d|>99)/);
    expect(text).not.toContain('flaky');
    await page.getByText('3, in which no other test failed').waitFor();
  });

  test('Causes: what breaks tests, since when, and where?', async () => {
    const { page, complaints } = await openPage(browser, server, `/tests/${await idOf('removes')}`);
    const band = page.getByRole('region', { name: 'Causes' });
    await band.getByText('last seen', { exact: false }).waitFor();
    await band.getByRole('link', { name: 'All causes' }).click();
    await page.waitForURL(/\/causes$/);
    const row = rows(page, 'Causes').filter({ hasText: 'shop' });
    await row.waitFor();
    await page.getByRole('searchbox').fill('nowhere');
    await page.getByText('No cause fits these filters.').waitFor();
    await page.getByRole('button', { name: 'tutti causes --search=nowhere' }).waitFor();
    await page.getByRole('link', { name: 'Show all causes' }).click();
    await expectAccessible(page);
    await row.getByRole('link').first().click();
    await page.waitForURL(/\/causes\/[0-9a-f-]{36}$/);
    const tests = page.getByRole('region', { name: 'Tests' });
    await tests.getByRole('link', { name: 'removes an item' }).waitFor();
    await page.getByRole('region', { name: 'Versions' }).getByText('v2').waitFor();
    await page.getByRole('region', { name: 'Environments' }).getByText('build-7').waitFor();
    await page.getByRole('region', { name: 'Sample' }).waitFor();
    await page.getByText(/since .*version v1, run …/).waitFor();
    await expectAccessible(page);
    await page.getByRole('region', { name: 'Runs' }).getByRole('link').first().click();
    await page.waitForURL(/\/runs\//);
    await page.goto(`${server.url}/ui/causes/11111111-1111-4111-8111-111111111111`);
    await page.getByRole('alert').getByText('not found').waitFor();
    await page.getByRole('link', { name: 'All causes' }).waitFor();
    expect(complaints.filter((text) => !text.includes('404'))).toEqual([]);
  });

  test('Where, when and how did it run? Its failures lead to the test in their run', async () => {
    const { page } = await openPage(browser, server, `/tests/${await idOf('removes')}`);
    const executions = page.getByRole('region', { name: 'Executions' });
    await page.locator('[role=grid][aria-rowcount="12"]').waitFor();
    await rows(page, 'Executions').nth(1).waitFor();
    expect(await rows(page, 'Executions').nth(1).textContent()).toMatch(
      /^failed.*v4mainmainbuild-72250 ms$/,
    );
    await executions.getByRole('button', { name: 'passed' }).click();
    await page.waitForURL(/outcome=success/);
    await page.locator('[role=grid][aria-rowcount="6"]').waitFor();
    await executions.getByRole('button', { name: 'All' }).click();
    await executions.getByRole('listitem').first().getByRole('link').click();
    await page.waitForURL(`**/runs/${runs[3]}/tests?q=removes+an+item&outcome=failure`);
    await rows(page, 'Test cases').filter({ hasText: 'removes an item' }).waitFor();
  });

  test('A test without a run on a main branch, or without a version, says what to do', async () => {
    const { page } = await openPage(browser, server, `/tests/${await idOf('tries')}`);
    await page.getByText('No run on a main branch yet', { exact: false }).waitFor();
    await rows(page, 'Executions').nth(1).getByText('does not count').waitFor();
    await page.getByText('This test ran without a known version', { exact: false }).waitFor();
    const docs = page.getByRole('link', { name: 'Which branches count' });
    expect(await docs.getAttribute('href')).toBe('../docs/guides/flaky-tests.html#states');
    await page.goto(`${server.url}/ui/tests/11111111-1111-4111-8111-111111111111`);
    await page.getByRole('alert').getByText('not found').waitFor();
    await page.getByRole('link', { name: 'All tests' }).waitFor();
  });

  test('A run: is a failure new? One question tells it of all failures', async () => {
    const { page, complaints } = await openPage(browser, server, '/about');
    const asked: string[] = [];
    page.on('request', (request) => {
      if (/\/workflows\/[^/]+\/tests\?/.test(request.url())) asked.push(request.url());
    });
    await page.goto(`${server.url}/ui/runs/${runs[1]}`);
    const failed = page.getByRole('region', { name: 'Failed tests' });
    const history = failed.getByRole('link', { name: /History: *broken *6 of the last 11 failed/ });
    await history.waitFor();
    expect(new Set(asked).size).toBe(1);
    await page.goto(`${server.url}/ui/runs/${runs[3]}/tests`);
    const cases = rows(page, 'Test cases');
    await cases.filter({ hasText: 'removes' }).getByText('broken').waitFor();
    expect(await cases.filter({ hasText: 'opens' }).getByText('stable').count()).toBe(0);
    await cases.filter({ hasText: 'opens' }).click();
    const panel = page.getByRole('complementary', { name: 'Test case' });
    await panel.getByRole('link', { name: /History: *stable/ }).click();
    await page.getByRole('heading', { level: 1, name: 'opens the shop' }).waitFor();
    expect(complaints).toEqual([]);
  });

  test('a failure whose test was in no earlier run has no history yet', async () => {
    const gate = createGate(bench);
    const steps = [...reportsOf({ 'begins anew': 'F' }), gate.step];
    const id = await start(server, oneJob('first', steps));
    await datasource(server, id, 'testcases', { count: 1 });
    const { page } = await openPage(browser, server, `/runs/${id}/tests?outcome=failure`);
    await rows(page, 'Test cases').getByText('no history yet').waitFor();
    await gate.open();
    await ended(server, id);
  });

  test('the palette finds a test by a part of its name', async () => {
    const { page } = await openPage(browser, server, '/about');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill('by card');
    await page.getByRole('option', { name: 'pays by card' }).click();
    await page.getByRole('heading', { level: 1, name: 'pays by card' }).waitFor();
  });

  test.each([
    ['a light screen', LIGHT],
    ['a dark phone', DARK_PHONE],
  ])('each state is accessible, and fits on %s', async (_, look) => {
    const { page, complaints } = await openPage(browser, server, '/about', look);
    for (const [path, words] of [
      ['tests', 'greets by name'],
      ['tests?project=shop&namespace=default&state=new', 'greets by name'],
      ['tests?q=none', 'No test fits'],
      [`tests/${await idOf('pays')}`, 'Failed and passed on one version'],
      [`tests/${await idOf('removes')}?outcome=failure`, 'Fails'],
      [`tests/${await idOf('tries')}`, 'No run on a main branch yet'],
      ['causes', 'is not'],
      ['causes?q=none', 'No cause fits'],
      [`runs/${runs[3]}`, 'broken'],
      [`runs/${runs[3]}/tests?outcome=failure`, 'broken'],
    ] as const) {
      await page.goto(`${server.url}/ui/${path}`);
      await page.locator('main').getByText(words).first().waitFor();
      await page.waitForLoadState('networkidle');
      await expectAccessible(page);
      await expectToFit(page);
    }
    expect(complaints).toEqual([]);
  });
});
