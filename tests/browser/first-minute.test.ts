/** The first minute of somebody new: a red run of the README, its link, and its reason. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { runCli, startCli } from '../e2e/cli-process.ts';
import { blocksOf } from '../structure/document-blocks.ts';
import { ROOT } from '../structure/source-files.ts';
import { findChromium, launchChromium } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import { buildPage, DARK, expectAccessible, LIGHT, openTab, takePicture } from '../support/page.ts';

const program = findChromium();
const [WORKFLOW = ''] = blocksOf(readFileSync(join(ROOT, 'README.md'), 'utf8'), 'yaml');

describe.skipIf(program === null)('without a server', () => {
  let folder: string;
  /** The id of the run, as the last line of the terminal names it. */
  let red: string;

  beforeAll(async () => {
    await buildPage();
    folder = mkdtempSync(join(tmpdir(), 'tutti-first-'));
    writeFileSync(join(folder, 'shop.yaml'), WORKFLOW);
    const run = (args: readonly string[]) =>
      runCli(['run', '--local', 'shop.yaml', ...args], { cwd: folder });
    expect(await run([])).toMatchObject({ code: 0 });
    const { code, stdout, stderr } = await run(['-e', 'PRICE=5']);
    expect(code).toBe(1);
    [, red = ''] = /See it in a browser: .* ui (\S+)/.exec(`${stdout}\n${stderr}`) ?? [];
  }, 120_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test.each([
    ['light', LIGHT],
    ['dark', DARK],
  ] as const)('the link of the terminal shows why the run failed, %s', async (look, screen) => {
    const ui = startCli(['ui', red, '--no-browser'], { cwd: folder });
    onTestFinished(() => ui.kill('SIGKILL'));
    const [address = ''] = await ui.said(/http\S+/);
    const browser = await launchChromium(program ?? '');
    onTestFinished(() => browser.close());
    const { page, complaints } = await openTab(browser, new URL(address).origin, screen);
    await page.goto(address);
    const first = page.getByRole('region', { name: 'Failed first' });
    const reason = first.getByText('15 == 12').first();
    await reason.waitFor();
    await page.getByText('complete', { exact: true }).waitFor();
    await expectAccessible(page);
    const box = await reason.boundingBox();
    expect((box?.y ?? 1_000) + (box?.height ?? 0)).toBeLessThan(screen.viewport.height);
    if (look === 'light') await takePicture(page, 'page-run');
    // A directory has no stream of changes: the page asks again.
    expect(complaints.filter((text) => !text.includes('/changes?'))).toEqual([]);
    ui.kill('SIGINT');
    expect(await ui.ended).toBe(0);
  });

  test('each page shows what the directory has, and offers no action', async () => {
    const ui = startCli(['ui', '--no-browser'], { cwd: folder });
    onTestFinished(() => ui.kill('SIGKILL'));
    const [address = ''] = await ui.said(/http\S+/);
    const browser = await launchChromium(program ?? '');
    onTestFinished(() => browser.close());
    const { page } = await openTab(browser, new URL(address).origin);
    await page.goto(address);
    await page.getByRole('region', { name: /Broken now/ }).waitFor();
    const tabs = ['', '/jobs', '/log', '/tests', '/files', '/gates', '/events'];
    const places = ['', 'runs', 'queue', 'environments', 'workflows', 'workflows/default/shop'];
    for (const path of [...places, ...tabs.map((tab) => `runs/${red}${tab}`)]) {
      await page.goto(new URL(`/ui/${path}`, address).href);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await eventually('the placeholders to go', async () =>
        (await page.locator('main [aria-hidden] > div').count()) === 0 ? true : null,
      );
      expect(await page.getByRole('alert').allTextContents(), path).toEqual([]);
      const actions = page.getByRole('main').getByText(/^(Start a run|Rerun|Cancel|Drain)/);
      expect(await actions.count(), path).toBe(0);
    }
  });
});
