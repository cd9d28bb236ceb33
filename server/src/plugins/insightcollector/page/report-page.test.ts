/** Content of the file; tests in a browser check how it looks. */
import { createHash } from 'node:crypto';
import type { SectionDefinition, Timestamp } from '@tutti/manifests';
import { describe, expect, test } from 'vitest';
import { summaryContent } from '../summary-content.ts';
import {
  BROKEN,
  BROKEN_WARNING,
  gathered,
  type SampleCase,
  SHOP_JOBS,
  sampleRun,
  sampleStore,
  shopCase,
  storeOf,
  summaryOptions,
} from '../testing.ts';
import { formatDuration, formatNumber } from './format.ts';
import { verdictOf } from './overview-page.ts';

const NOW = '2026-01-31T13:00:00.000000' as Timestamp;
const HOSTILE = '</script></style><img src=x onerror=alert(1)>"\'\u202e';

async function pageOf(
  store: Parameters<typeof summaryContent>[0]['store'],
  more: object = {},
): Promise<string> {
  const content = summaryContent(
    { store, run: sampleRun(), generatedAt: NOW },
    summaryOptions(more),
  );
  return await gathered(content);
}

const hash = (text = ''): string =>
  `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

describe('a page', () => {
  test('allows what stands in it by its hash, and nothing else', async () => {
    const page = await pageOf(storeOf([{}]), {
      style: 'b { color: red }',
      scripts: 'x = "</script>"\r\n',
    });
    const [, policy = ''] = /Content-Security-Policy" content="([^"]*)"/.exec(page) ?? [];
    const styles = [...page.matchAll(/<style>([\s\S]*?)<\/style>/g)].map(([, text]) => hash(text));
    const scripts = [...page.matchAll(/<script>([\s\S]*?)<\/script>/g)].map(([, text]) =>
      hash(text),
    );
    expect([styles.length, scripts.length]).toEqual([2, 2]);
    expect(policy.replaceAll('&#39;', "'")).toBe(
      `default-src 'none'; style-src ${styles.join(' ')}; script-src ${scripts.join(' ')}; img-src data:; base-uri 'none'; form-action 'none'`,
    );
    expect(page).not.toMatch(/ style=| on\w+=|https?:/);
  });

  test('escapes everything that a run says', async () => {
    const all: SampleCase = {
      suite: HOSTILE,
      name: HOSTILE,
      job: HOSTILE,
      technology: HOSTILE,
      status: 'FAILURE',
    };
    const failureDetails = { message: HOSTILE, type: HOSTILE, text: `${HOSTILE}\n${HOSTILE}` };
    const kinds = [
      {
        kind: 'BarChart',
        primaryAxis: { data: 'test.job' },
        secondaryAxis: { data: 'test.job' },
        groupBy: 'test.job',
      },
      { kind: 'ScatterChart', groupBy: 'test.job', primaryAxis: { data: 'execution.duration' } },
      { kind: 'Table', columns: { [HOSTILE]: 'test.job' } },
      { kind: 'Table', scope: "test.job == 'none'" },
    ].map((each) => ({ name: HOSTILE, datasource: 'testcases', ...each }) as SectionDefinition);
    const broken = { ...BROKEN, job: HOSTILE, step: HOSTILE, file: HOSTILE, problem: HOSTILE };
    const store = storeOf([{ ...all, failureDetails }], [all], [broken]);
    const pages = await Promise.all([
      pageOf(store, { title: HOSTILE }),
      pageOf(store, { title: HOSTILE, template: kinds }),
    ]);
    for (const page of pages) {
      expect(page).toContain('&lt;img src=x onerror=alert(1)&gt;');
      expect(page).not.toContain('<img');
      expect(page).not.toMatch(/\p{Bidi_Control}/u);
      expect(page.match(/<\/script>/g)?.length).toBe(page.match(/<script[ >]/g)?.length);
    }
  });

  test('says what is beyond the axes of its charts', async () => {
    const durations = [10, 20, 30].map((duration) => ({ name: `t${duration}`, duration }));
    const data = 'execution.duration';
    const template = [
      { kind: 'ScatterChart', groupBy: 'test.job', primaryAxis: { data, max: 15 } },
      {
        kind: 'BarChart',
        primaryAxis: { data: 'metadata.name' },
        secondaryAxis: { data, max: 25 },
      },
      { kind: 'ScatterChart', groupBy: 'test.job', primaryAxis: { data } },
    ].map((each) => ({ name: 's', datasource: 'testcases', ...each }) as SectionDefinition);
    const page = await pageOf(storeOf(durations), { template });
    const [scatter, bars, all] = page.split('<section').slice(1);
    const hollow = (text = '') => text.match(/class="hollow /g)?.length ?? 0;
    expect([hollow(scatter), hollow(all)]).toEqual([2, 0]);
    expect(scatter).toContain(
      'Beyond the ends of the axes, so hollow and at the edge: 2 of 3 points.',
    );
    expect(bars).toContain('Beyond the ends of the axis, so cut: 1 of 3 bars.');
    expect(all).not.toContain('Beyond');
  });

  test('has every row as data, and the first hundred without a script', async () => {
    const page = await pageOf(sampleStore(5_000, shopCase, SHOP_JOBS));
    const [, json = ''] = /id="section-7-data">(.*?)<\/script>/s.exec(page) ?? [];
    const data = JSON.parse(json);
    expect(data.rows).toBe(5_000);
    for (const { values } of data.columns) expect(values).toHaveLength(5_000);
    const [outcome, name] = data.columns;
    expect(outcome.words[outcome.values[41]]).toBe(
      { SUCCESS: 'success', SKIPPED: 'skipped', FAILURE: 'failure', ERROR: 'error' }[
        shopCase(41).status ?? 'SUCCESS'
      ],
    );
    expect(name.values[4_999]).toBe(shopCase(4_999).name);
    const [, table = ''] = /id="section-7">[\s\S]*?<tbody>([\s\S]*?)<\/tbody>/.exec(page) ?? [];
    expect(table.match(/<tr>/g)).toHaveLength(100);
    expect(page).toContain('These are the first 100 of 5000 rows.');
  });

  test('has its headings in order, named sections and named tables', async () => {
    const page = await pageOf(sampleStore(50, shopCase, SHOP_JOBS));
    expect([...page.matchAll(/<(h\d)/g)].map(([, level]) => level)).toEqual([
      'h1',
      ...Array(7).fill('h2'),
    ]);
    expect(page.match(/<section aria-labelledby="section-\d"/g)).toHaveLength(7);
    expect(page.match(/<table>/g)?.length).toBe(page.match(/<caption/g)?.length);
    for (const landmark of ['<header>', '<nav aria-label', '<main id', '<footer>'])
      expect(page).toContain(landmark);
  });
});

describe('of reports that are not whole', () => {
  test('a page says so in front of everything else, whatever its sections and their scopes are', async () => {
    const template = [{ name: 'T', kind: 'Table', scope: "test.job == 'none'" }];
    const store = storeOf([{}], [], Array(22).fill(BROKEN));
    for (const more of [{}, { template }, { scope: "test.job == 'none'" }]) {
      const page = await pageOf(store, more);
      const [, text = '', rest = ''] =
        /<\/header>\s*<aside class="notice" aria-labelledby="notice">(.*?)<\/aside>(.*)/s.exec(
          page,
        ) ?? [];
      const items = [...text.matchAll(/<li><bdi>(.*?)<\/bdi><\/li>/g)].map(([, item]) => item);
      expect(items).toHaveLength(21);
      expect(items[0]).toBe(
        BROKEN_WARNING.replaceAll('"', '&quot;').replace('<', '&lt;').replace('>', '&gt;'),
      );
      expect(items[20]).toBe('And 2 more reports of which test cases may be missing.');
      expect(rest).toContain('<main');
    }
  });

  test('a verdict is not told without them', async () => {
    const page = await pageOf(storeOf([{}], [], [BROKEN]));
    expect(page).toContain('All 1 test cases passed; others may be missing.');
    expect(await pageOf(storeOf([], [], [BROKEN]))).toContain('No test cases could be read.');
  });

  test('nothing is said where there are none', async () => {
    expect(await pageOf(storeOf([{}]))).not.toContain('may be missing');
  });
});

describe('the verdict', () => {
  const model = (counts: object, total: number) =>
    ({
      kind: 'SummaryBlock',
      total,
      durationMs: 0,
      repeated: 0,
      counts: { success: 0, failure: 0, error: 0, skipped: 0, cancelled: 0, ...counts },
    }) as const;

  test.each([
    ['success', { success: 3 }, 3, 'Passed', 'All 3 test cases passed.'],
    ['success', { success: 2, skipped: 1 }, 3, 'Passed', '2 test cases passed, 1 were skipped.'],
    ['success', {}, 0, 'Passed', 'There are no test cases.'],
    [
      'success',
      { success: 1, failure: 1, error: 1 },
      3,
      'Failed',
      '2 of 3 test cases did not pass.',
    ],
    ['failure', { success: 3 }, 3, 'Failed', 'The workflow failed; no test case did.'],
    ['cancelled', { success: 3 }, 3, 'Cancelled', 'The workflow was stopped.'],
    ['running', { failure: 1 }, 2, 'Running', '1 of 2 test cases did not pass.'],
  ] as const)('of a run that is %s with %j of %d is %s', (state, counts, total, word, reason) => {
    expect(verdictOf(state, model(counts, total))).toMatchObject({ word, reason });
  });
});

test.each([
  [0, '0 ms'],
  [0.4, '< 1 ms'],
  [350.4, '350 ms'],
  [1_234, '1.23 s'],
  [12_340, '12.3 s'],
  [125_000, '2 min 5 s'],
  [7_320_000, '2 h 2 min'],
])('a duration of %d ms is %s', (ms, expected) => {
  expect(formatDuration(ms)).toBe(expected);
});

test.each([
  [1_234_567, '1\u202f234\u202f567'],
  [999, '999'],
  [0.12345, '0.123'],
  [12.345, '12.3'],
])('the number %d is %s', (value, expected) => {
  expect(formatNumber(value)).toBe(expected);
});
