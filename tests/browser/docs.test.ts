/** The documentation as a browser shows it: built, and served by a server under its policy. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { pageOf, SECTIONS, titleOf } from '../../docs/.vitepress/pages.ts';
import { ROOT } from '../structure/source-files.ts';
import { findChromium, launchChromium } from '../support/browser.ts';
import { Workbench } from '../support/workbench.ts';

const program = findChromium();
const SITE = join(ROOT, 'server/dist/docs');
const pages = Object.values(SECTIONS)
  .flat()
  .map((path) => (path.endsWith('.md') ? path : `${path}/README.md`));

describe.skipIf(program === null)('the documentation in a browser', () => {
  let bench: Workbench;
  let browser: Browser;
  let base: string;

  beforeAll(async () => {
    // `npm test` has built it before.
    if (!existsSync(SITE)) spawnSync('npm', ['run', 'docs'], { cwd: ROOT });
    bench = await Workbench.open();
    const server = await bench.server({ config: { auth: { insecureDocs: true } } });
    base = `${server.url}/docs/`;
    browser = await launchChromium(program ?? '');
  });
  afterAll(async () => {
    await browser.close();
    await bench.close();
  });

  /** A page, and what it wanted of other hosts or complained of. */
  async function open(path = '', options = {}) {
    const context = await browser.newContext(options);
    onTestFinished(() => context.close());
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on('request', (request) => {
      const url = request.url();
      if (!url.startsWith(base) && !url.startsWith('data:')) complaints.push(url);
    });
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(error.message));
    await page.goto(`${base}${path}`, { waitUntil: 'networkidle' });
    return { page, complaints };
  }

  test.each(pages)('has the page %s', async (path) => {
    const answer = await fetch(`${base}${pageOf(path).replace(/\.md$/, '.html')}`);
    const [, heading = ''] = /<h1[^>]*>([\s\S]*?) <a /.exec(await answer.text()) ?? [];
    expect(heading.replace(/<[^>]*>/g, '')).toBe(titleOf(path));
  });

  test.each(['', 'reference/language.html', 'guides/reports.html', 'reference/commands/'])(
    'loads nothing from other hosts for /docs/%s, and keeps to its policy',
    async (path) => {
      expect((await open(path)).complaints).toEqual([]);
    },
  );

  test('finds words without the internet', async () => {
    const { page, complaints } = await open();
    await page.getByRole('button', { name: 'Search' }).first().click();
    await page.locator('#localsearch-input').fill('quality gate');
    const found = page.locator('.VPLocalSearchBox .result').first();
    await found.waitFor();
    await found.click();
    await page.waitForURL(/gates\.html/);
    expect(complaints).toEqual([]);
  });

  test('goes from page to page, with its parts in the dark', async () => {
    const { page, complaints } = await open('', { colorScheme: 'dark' });
    await page.locator('main').getByRole('link', { name: 'First run' }).click();
    await page.waitForURL(/start\/first-run\.html$/);
    expect(await page.locator('html').getAttribute('class')).toContain('dark');
    expect(complaints).toEqual([]);
  });
});
