/** Reports in a browser: on a screen, on paper, in the dark, on a phone, and for blind readers. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { SectionDefinition, Timestamp } from '@tutti/manifests';
import axe from 'axe-core';
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { summaryContent } from '../../server/src/plugins/insightcollector/summary-content.ts';
import {
  BROKEN,
  BROKEN_WARNING,
  type SampleCase,
  SHOP_JOBS,
  sampleRun,
  sampleStore,
  shopCase,
  storeOf,
  summaryOptions,
} from '../../server/src/plugins/insightcollector/testing.ts';
import { findChromium, LOOK_FOR_VIOLATIONS, launchChromium } from '../support/browser.ts';

const program = findChromium();
const NOW = '2026-01-31T13:00:00.000000' as Timestamp;
const MANY = 350;

/** A section of each kind, in each form. */
const TEMPLATE = [
  { name: 'Summary', kind: 'SummaryBlock' },
  { name: 'Jobs', kind: 'Cloud', datasource: 'jobs' },
  { name: 'Tags', kind: 'Table', datasource: 'tags' },
  {
    name: 'Times',
    kind: 'Table',
    datasource: 'testcases',
    columns: { Name: 'metadata.name', Begin: 'execution.startTime' },
  },
  { name: 'Outcomes', kind: 'ProgressBar', datasource: 'testcases', groupBy: 'test.suiteName' },
  {
    name: 'Mean',
    kind: 'ProgressBar',
    datasource: 'testcases',
    groupBy: 'test.job',
    data: 'execution.duration',
    aggregateFunction: 'avg',
  },
  {
    name: 'Upright',
    kind: 'BarChart',
    datasource: 'testcases',
    groupBy: 'test.outcome',
    primaryAxis: { data: 'test.suiteName' },
    secondaryAxis: { data: 'execution.duration' },
  },
  {
    name: 'Lying',
    kind: 'BarChart',
    datasource: 'testcases',
    orientation: 'horizontal',
    primaryAxis: { data: 'test.job' },
    secondaryAxis: { data: 'execution.duration' },
  },
  {
    name: 'Lines',
    kind: 'ScatterChart',
    datasource: 'testcases',
    groupBy: 'test.technology',
    primaryAxis: { data: 'execution.duration' },
  },
  {
    name: 'Points',
    kind: 'ScatterChart',
    datasource: 'testcases',
    groupBy: 'test.outcome',
    primaryAxis: { data: 'execution.duration' },
    secondaryAxis: { data: 'metadata.executions' },
  },
  { name: 'Nothing', kind: 'Table', datasource: 'testcases', scope: "test.job == 'none'" },
] as readonly SectionDefinition[];

describe.skipIf(program === null)('a report in a browser', () => {
  let browser: Browser;
  let folder: string;
  let files = 0;

  beforeAll(async () => {
    browser = await launchChromium(program ?? '');
    folder = await mkdtemp(join(tmpdir(), 'tutti-report-'));
  });
  afterAll(async () => {
    await browser.close();
    await rm(folder, { recursive: true, force: true });
  });

  async function written(
    store = sampleStore(MANY, shopCase, SHOP_JOBS, [BROKEN]),
    more: object = {},
  ): Promise<string> {
    files += 1;
    const file = join(folder, `${files}.html`);
    await writeFile(
      file,
      summaryContent({ store, run: sampleRun(), generatedAt: NOW }, summaryOptions(more)),
    );
    return file;
  }

  /** The open page, and what it wanted of the network or complained of. */
  async function open(file: string, options: BrowserContextOptions = {}) {
    const context = await browser.newContext(options);
    onTestFinished(() => context.close());
    const page = await context.newPage();
    const wishes = new Set<string>();
    const complaints: string[] = [];
    const url = pathToFileURL(file).href;
    page.on('request', (request) => request.url().startsWith(url) || wishes.add(request.url()));
    // The browser reports a request that the page's policy forbids like any other, but never sends it.
    page.on('requestfailed', (request) => {
      if (request.failure()?.errorText === 'csp') wishes.delete(request.url());
    });
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('dialog', (dialog) => complaints.push(dialog.message()));
    await page.goto(url);
    return { page, wishes, complaints };
  }

  const table = (page: Page, name: string) =>
    page.getByRole('region', { name: `${name}: table`, exact: true });
  const rowsOf = (page: Page, name: string) => table(page, name).locator('tbody tr');

  test('whose results are not whole says so where one looks first', async () => {
    const { page } = await open(await written(storeOf([{}], [], [BROKEN])));
    const notice = page.getByRole('complementary', { name: 'Test results may be missing' });
    expect(await notice.getByRole('listitem').allTextContents()).toEqual([BROKEN_WARNING]);
    const top = async (locator: Locator) => (await locator.boundingBox())?.y ?? Number.NaN;
    expect(await top(notice)).toBeLessThan(await top(page.locator('main')));
    expect(await top(notice)).toBeLessThan(await top(page.getByRole('navigation')));
    await page.emulateMedia({ media: 'print' });
    expect(await notice.isVisible()).toBe(true);
  });

  const LOOKS = [
    ['in the light', { colorScheme: 'light' }],
    ['in the dark', { colorScheme: 'dark' }],
    ['on a phone', { viewport: { width: 360, height: 740 } }],
    ['on a phone in the dark', { colorScheme: 'dark', viewport: { width: 360, height: 740 } }],
  ] as const;

  describe.each(LOOKS)('%s', (_name, options) => {
    test.each([
      ['of our own', null],
      ['of a template', TEMPLATE],
    ])('with sections %s has nothing that axe finds wrong', async (_what, template) => {
      const { page, wishes, complaints } = await open(
        await written(undefined, { template }),
        options,
      );
      // As part of a script of the page it would be refused by the policy of the page.
      await page.evaluate(axe.source);
      const closed = await violations(page);
      await page.evaluate(
        "for (const each of document.querySelectorAll('details')) each.open = true",
      );
      expect([...closed, ...(await violations(page))]).toEqual([]);
      expect([...wishes, ...complaints]).toEqual([]);
    });

    test('is as wide as the window', async () => {
      const { page } = await open(await written(undefined, { template: TEMPLATE }), options);
      const tooWide = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
      expect(await page.evaluate(tooWide)).toBe(0);
    });
  });

  async function violations(page: Page): Promise<readonly string[]> {
    const found = await page.evaluate(LOOK_FOR_VIOLATIONS);
    const { violations: all } = found as axe.AxeResults;
    return all.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}: ${nodes[0]?.failureSummary}`);
  }

  test('shows a hundred rows, and turns its pages', async () => {
    const { page } = await open(await written());
    const all = page.locator('section', {
      has: page.getByRole('heading', { name: 'All test cases' }),
    });
    expect(await rowsOf(page, 'All test cases').count()).toBe(100);
    const next = all.getByRole('button', { name: 'Next' });
    await next.click();
    await next.click();
    await next.click();
    expect(await all.getByRole('status').textContent()).toBe('301 to 350 of 350');
    expect(await next.isDisabled()).toBe(true);
    expect(await rowsOf(page, 'All test cases').count()).toBe(50);
  });

  test('breaks no word of a table that fits, and tells a message once', async () => {
    const { page } = await open(await written(), { viewport: { width: 1100, height: 800 } });
    const failure = rowsOf(page, 'Failures').filter({ hasText: 'contract' }).first();
    const lines = (text: string) =>
      failure.getByText(text, { exact: true }).evaluate((each) => each.getClientRects().length);
    expect(await lines('contract')).toBe(1);
    const message = failure.locator('td').last();
    expect((await message.textContent())?.match(/expected: </g)).toHaveLength(1);
    await message.locator('summary').click();
    expect(await message.locator('pre').isVisible()).toBe(true);
    expect(await message.locator('pre').textContent()).toMatch(/^\s*at com\.example/);
  });

  test('draws all points of a chart, those beyond its axes hollow and at its edge', async () => {
    const data = 'execution.duration';
    const axes = { primaryAxis: { data, max: 300 }, secondaryAxis: { data, min: 100, max: 200 } };
    const chart = { name: 'Ends', kind: 'ScatterChart', datasource: 'testcases' };
    const template = [{ ...chart, groupBy: 'test.outcome', ...axes }];
    const { page } = await open(await written(undefined, { template }));
    const outside = `(() => {
      const picture = document.querySelector('svg.chart');
      const frame = picture.getBoundingClientRect();
      return [...picture.querySelectorAll('path, text')].filter((each) => {
        const { left, right, top, bottom } = each.getBoundingClientRect();
        return left < frame.left || right > frame.right || top < frame.top || bottom > frame.bottom;
      }).length;
    })()`;
    expect(await page.evaluate(outside)).toBe(0);
    const picture = page.getByRole('img', { name: /^Ends: / });
    expect(await picture.locator('path').count()).toBe(MANY);
    const durations = Array.from({ length: MANY }, (_, index) => shopCase(index).duration ?? 0);
    const beyond = durations.filter((duration) => duration < 100 || duration > 200).length;
    const hollow = picture.locator('path.hollow');
    expect(await hollow.count()).toBe(beyond);
    const fill = "getComputedStyle(document.querySelector('path.hollow')).fill";
    expect(await page.evaluate(fill)).toBe('none');
    await page.getByText(`at the edge: ${beyond} of ${MANY} points.`).waitFor();
  });

  test('filters by text and by outcome', async () => {
    const { page } = await open(await written());
    const all = page.locator('section', {
      has: page.getByRole('heading', { name: 'All test cases' }),
    });
    await all.getByRole('searchbox', { name: 'Filter' }).fill('VARIANT 341 ');
    await all.getByText('1 to 1 of 1').waitFor();
    expect(await rowsOf(page, 'All test cases').textContent()).toContain('variant 341');
    await all.getByRole('searchbox', { name: 'Filter' }).fill('');
    await all.getByRole('combobox', { name: 'Outcome' }).selectOption('skipped');
    await all.getByText(/^1 to \d\d? of \d\d?$/).waitFor();
    const outcomes = await rowsOf(page, 'All test cases')
      .locator('td:first-child')
      .allTextContents();
    expect(new Set(outcomes)).toEqual(new Set(['– skipped']));
    await all.getByRole('searchbox', { name: 'Filter' }).fill('no such test');
    await all.getByText('No rows').waitFor();
  });

  test('sorts by numbers, and with the keyboard', async () => {
    const { page } = await open(await written());
    const heading = table(page, 'All test cases').getByRole('columnheader', { name: 'Duration' });
    await heading.getByRole('button').focus();
    await page.keyboard.press('Enter');
    expect(await heading.getAttribute('aria-sort')).toBe('ascending');
    await page.keyboard.press('Enter');
    expect(await heading.getAttribute('aria-sort')).toBe('descending');
    const longest = Math.max(
      ...Array.from({ length: MANY }, (_, index) => shopCase(index).duration ?? 0),
    );
    const first = await rowsOf(page, 'All test cases').first().textContent();
    expect(first).toContain(`${(longest / 1000).toFixed(2)} s`);
  });

  test('without scripts has its first rows, its charts, and says that there is more', async () => {
    const { page } = await open(await written(), { javaScriptEnabled: false });
    expect(await rowsOf(page, 'All test cases').count()).toBe(100);
    expect(await page.getByText('These are the first 100 of 350 rows.').isVisible()).toBe(true);
    expect(await page.getByRole('searchbox').count()).toBe(0);
  });

  test('is printed with all its rows, all details and no controls', async () => {
    const { page } = await open(await written(), { colorScheme: 'dark' });
    await page.emulateMedia({ media: 'print' });
    await page.evaluate("dispatchEvent(new Event('beforeprint'))");
    expect(await rowsOf(page, 'All test cases').count()).toBe(MANY);
    expect(await page.locator('details:not([open])').count()).toBe(0);
    expect(await page.getByRole('searchbox').count()).toBe(0);
    expect(await page.getByRole('navigation').count()).toBe(0);
    const ground = await page.evaluate('getComputedStyle(document.body).backgroundColor');
    expect(ground).toBe('rgb(255, 255, 255)');
    await page.evaluate("dispatchEvent(new Event('afterprint'))");
    expect(await rowsOf(page, 'All test cases').count()).toBe(100);
    expect((await page.pdf({ format: 'A4' })).length).toBeGreaterThan(10_000);
  });

  test('does nothing that names and messages of tests ask for', async () => {
    const attacks = [
      '</script><img src="https://example.com/x" onerror="alert(1)">',
      '<script>alert(2)</script><!--',
      '</style></title><svg onload=alert(3)>',
      '\u202eright to left\u202c \u2066isolated',
      '\u0000\u0007\u001b[31m \ud83d\ude00 \ud83d',
      'x'.repeat(10_000),
      '{{alert(4)}} javascript:alert(5)',
      "' onmouseover='alert(7)",
    ];
    const cases = attacks.flatMap((text): readonly SampleCase[] => {
      const failureDetails = { message: text, type: text, text: `${text}\n${text}` };
      return [
        { suite: text, name: text, job: text, technology: text, status: 'FAILURE', failureDetails },
      ];
    });
    const more = Array.from({ length: 200 }, (_, index) => ({ ...cases[index % cases.length] }));
    const store = storeOf([...cases, ...more], cases);
    const options = { viewport: { width: 360, height: 740 } };
    for (const template of [null, TEMPLATE]) {
      const { page, wishes, complaints } = await open(
        await written(store, { title: attacks[0], template }),
        options,
      );
      for (const next of await page.getByRole('button', { name: 'Next' }).all()) {
        if (await next.isEnabled()) await next.click();
      }
      expect(
        await page.locator('img, iframe, main script:not([type="application/json"])').count(),
      ).toBe(0);
      expect(await page.title()).toBe(attacks[0]);
      const tooWide = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
      expect(await page.evaluate(tooWide)).toBe(0);
      expect([...wishes, ...complaints]).toEqual([]);
    }
  });

  test('has the style and the script of its definition, which can load nothing', async () => {
    const style =
      "h1 { color: rgb(1, 2, 3) } body { background: url('https://example.com/a.png') } /* </style> */";
    const scripts =
      "document.title = 'mine </script>'; fetch('https://example.com/b').catch(() => undefined);";
    const { page, wishes } = await open(await written(undefined, { style, scripts }));
    expect(await page.title()).toBe('mine </script>');
    expect(await page.evaluate("getComputedStyle(document.querySelector('h1')).color")).toBe(
      'rgb(1, 2, 3)',
    );
    expect([...wishes]).toEqual([]);
  });
});
