/** The page with the keyboard alone: nothing of this file has a pointer. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { KEY_GROUPS } from '../../web/src/frame/key-list.ts';
import { findChromium, launchChromium } from '../support/browser.ts';
import { expectReachable, pressPair } from '../support/keyboard.ts';
import { buildPage, openPage, openTab } from '../support/page.ts';
import { ended, start, workersEnded } from '../support/runs.ts';
import { sharedServer } from '../support/shared-server.ts';
import { failingRun, openRun } from '../support/shown-runs.ts';

const program = findChromium();
/** One pixel. */
const PICTURE =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

describe.skipIf(program === null)('the keyboard alone', async () => {
  const { bench, server } = await sharedServer({ tags: ['linux'], slots: 2 });
  let browser: Browser;
  let failed: string;

  beforeAll(async () => {
    await buildPage();
    browser = await launchChromium(program ?? '');
    failed = await start(server, failingRun(PICTURE));
    await ended(server, failed);
    await workersEnded(server, failed);
    await start(server, openRun(bench.path('go')));
  }, 120_000);
  afterAll(() => browser.close());

  const heading = (page: Page, name: string | RegExp) =>
    page.getByRole('heading', { level: 1, name }).waitFor();

  async function press(page: Page, keys: string): Promise<void> {
    for (const key of keys.split(' ')) await page.keyboard.press(key);
  }

  async function openByName(page: Page, name: string): Promise<void> {
    await press(page, 'Control+k');
    await page.getByRole('combobox').waitFor();
    await page.keyboard.type(name);
    await page.getByRole('option', { name, exact: false }).first().waitFor();
    await press(page, 'Enter');
  }

  test('walks all pages: each action is reached, the focus is seen, and nothing holds it', async () => {
    const { page, complaints } = await openTab(browser, server.url);
    await page.goto(`${server.url}/ui/`);
    await page.getByLabel('Token').waitFor();
    await expectReachable(page);
    await page.getByLabel('Token').focus();
    await page.keyboard.type(server.token);
    await press(page, 'Enter');
    await heading(page, 'Now');
    await page.getByRole('region', { name: /Broken now/ }).waitFor();
    await expectReachable(page);
    for (const [key, name] of [
      ['r', 'Runs'],
      ['t', 'Tests'],
      ['q', 'Queue'],
      ['e', 'Environments'],
      ['w', 'Workflows'],
    ] as const) {
      await pressPair(page, key);
      await heading(page, name);
      await page.locator('main section, main [role=grid]').first().waitFor();
      await expectReachable(page);
    }
    await press(page, 'j Enter');
    await page.waitForURL(/\/workflows\/default\//);
    await page.getByRole('region', { name: 'Better or worse' }).waitFor();
    await expectReachable(page);
    for (const name of ['Settings', 'About']) {
      await openByName(page, name);
      await heading(page, name);
      await page.locator('main section').first().waitFor();
      await expectReachable(page);
    }
    await openByName(page, 'Tests in quarantine');
    await heading(page, 'Quarantine');
    await page.getByText('No test is in quarantine').waitFor();
    await expectReachable(page);
    await openByName(page, 'Start a run');
    await heading(page, 'Start a run');
    // Once the text is checked, it can be started.
    await page.locator('button:enabled', { hasText: 'Dry run' }).waitFor();
    await expectReachable(page);
    await openByName(page, 'Queue');
    await heading(page, 'Queue');
    expect(complaints.filter((text) => !text.includes('401'))).toEqual([]);
  });

  test('walks the pages of a run, and of two', async () => {
    const { page, complaints } = await openPage(browser, server, '/runs?status=FAILED');
    await page.getByRole('grid', { name: 'Runs' }).getByRole('row').nth(1).waitFor();
    await press(page, 'j Enter');
    await page.waitForURL(`**/runs/${failed}`);
    await page.getByRole('region', { name: 'Failed first' }).waitFor();
    await expectReachable(page);
    for (const [tab, content] of [
      ['jobs', '[role=row]'],
      ['log', '[aria-label=Log] *'],
      ['tests', '[aria-label="Test cases"] [role=row]'],
      ['files', 'main section'],
      ['gates', '[aria-label=Gates] button'],
      ['events', '[aria-label=Events] [role=row]'],
    ] as const) {
      await press(page, ']');
      await page.waitForURL(`**/runs/${failed}/${tab}`);
      await page.locator(content).first().waitFor();
      await expectReachable(page);
    }
    for (const view of ['graph', 'timeline']) {
      await page.goto(`${server.url}/ui/runs/${failed}/jobs?view=${view}&job=test`);
      await page.getByRole('complementary', { name: 'Job' }).waitFor();
      await expectReachable(page);
    }
    await press(page, 'c');
    await heading(page, 'Compare two runs');
    await page.getByRole('region', { name: 'After' }).getByRole('link').waitFor();
    await expectReachable(page);
    expect(complaints).toEqual([]);
  });

  test('each key does what the list of keys says', async () => {
    const { page } = await openPage(browser, server, `/runs/${failed}`);
    // The mark of the failure: all events have come.
    await page.locator('path[data-kind="failure"][d^="M"]').waitFor({ state: 'attached' });
    await press(page, '?');
    const list = page.getByRole('dialog', { name: 'Keys' });
    await list.waitFor();
    for (const [keys, what] of KEY_GROUPS.flatMap(({ keys }) => [...keys])) {
      await list.getByText(what, { exact: true }).waitFor();
      expect(await list.textContent()).toContain(keys.split(' ')[0]);
    }
    await press(page, 'Escape');
    await list.waitFor({ state: 'detached' });

    await press(page, 'r');
    const question = page.getByRole('alertdialog', { name: 'Run again what failed?' });
    await question.waitFor();
    // In a dialog, keys of the page do nothing.
    await press(page, 'l Escape');
    await question.waitFor({ state: 'detached' });
    expect(page.url()).toBe(`${server.url}/ui/runs/${failed}`);

    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await press(page, 'y');
    await page.getByText('Address copied').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(page.url());

    await press(page, ',');
    await page.waitForURL(/at=/);
    await press(page, '.');
    await page.waitForURL((url) => !url.searchParams.has('at'));
    await press(page, '<');
    await page.waitForURL(/at=/);
    await press(page, 'f');
    await page.getByText('The run as it was at event', { exact: false }).waitFor();
    await page.getByRole('button', { name: 'To the end' }).focus();
    await press(page, 'Enter');
    await page.getByText('The run as it was', { exact: false }).waitFor({ state: 'detached' });

    await press(page, 't');
    await page.waitForURL(/\/tests$/);
    await page.getByRole('grid', { name: 'Test cases' }).getByRole('row').nth(4).waitFor();
    for (const row of [2, 3]) {
      await press(page, 'j');
      await page.locator(`[role=row][aria-rowindex="${row}"]:focus`).waitFor();
    }
    await press(page, 'Enter');
    const panel = page.getByRole('complementary', { name: 'Test case' });
    await panel.getByRole('link', { name: 'Find it in the log' }).focus();
    await press(page, 'Escape');
    await panel.waitFor({ state: 'detached' });
    // The focus is back in the list, where it was.
    expect(await page.evaluate('document.activeElement.getAttribute("aria-rowindex")')).toBe('3');
    await press(page, '/');
    await page.keyboard.type('card');
    await page.waitForURL(/q=card/);
    await page.keyboard.press('Tab');

    await press(page, 'l');
    await page.waitForURL(/\/log$/);
    const log = page.getByRole('region', { name: 'Log' });
    await log.getByText('Tests run: 4', { exact: false }).first().waitFor();
    await log.focus();
    await press(page, 'Home j');
    await page.waitForURL(/line=1$/);
    await press(page, 'j');
    await page.waitForURL(/line=2$/);
    await press(page, 'J');
    await page.waitForURL(/line=2-3$/);
    await press(page, 'Control+f');
    await page.keyboard.type('shop');
    await page
      .getByRole('status')
      .getByText(/^1 of \d+ lines$/)
      .waitFor();
    await log.focus();
    await press(page, 'n');
    await page
      .getByRole('status')
      .getByText(/^2 of \d+ lines$/)
      .waitFor();
    await press(page, 'N');
    await page
      .getByRole('status')
      .getByText(/^1 of \d+ lines$/)
      .waitFor();
  });

  test('a letter right after the page has come is not the second key of a pair', async () => {
    const { page } = await openPage(browser, server, `/runs/${failed}`);
    const letter = page.locator('[data-press="r"]').first();
    await letter.waitFor();
    // A fast reader, on any machine: the time of the key is given.
    await page.evaluate(`(() => {
      const pressed = new KeyboardEvent('keydown', { key: 'r', bubbles: true, cancelable: true });
      Object.defineProperty(pressed, 'timeStamp', { value: 700 });
      document.body.dispatchEvent(pressed);
    })()`);
    await page.getByRole('alertdialog', { name: 'Run again what failed?' }).waitFor();
  });

  test('keys that are switched off do nothing, on pages of runs, too', async () => {
    const { page } = await openPage(browser, server, '/settings');
    await page.getByRole('checkbox', { name: /[Kk]eys/ }).focus();
    await press(page, 'Space');
    await page.goto(`${server.url}/ui/runs/${failed}/tests?test=none`);
    const panel = page.getByRole('complementary', { name: 'Test case' });
    await panel.waitFor();
    await press(page, 'l c ?');
    await pressPair(page, 'q');
    // This one writes nothing, so it always acts.
    await press(page, 'Escape');
    await panel.waitFor({ state: 'detached' });
    expect(page.url()).toBe(`${server.url}/ui/runs/${failed}/tests`);
    await press(page, 'Control+k');
    await page.getByRole('combobox').waitFor();
  });
});
