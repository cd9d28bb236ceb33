import { Ajv } from 'ajv';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { createPaint } from '../terminal/style.ts';
import { createTestCaseFormat } from './create-format.ts';
import type { TestCaseFormatName } from './test-case-format.ts';

const CONTEXT = {
  workflowId: 'w',
  version: '1',
  isOne: false,
  showsFailures: false,
  command: 'tutti',
  paint: createPaint(false),
};

/** A test case as a server sends it. */
const item = (suiteName: string, testCaseName: string, outcome = 'success', more: object = {}) => ({
  apiVersion: 'testing.x/v1alpha1',
  kind: 'TestCase',
  metadata: { name: `${suiteName}#${testCaseName}`, id: 'i', job_id: 'j' },
  test: { 'runs-on': ['linux', 'x'], technology: 'junit', job: 'unit', suiteName, testCaseName, outcome },
  status: outcome.toUpperCase(),
  execution: {
    startTime: '2026-01-31T12:34:56.000000',
    endTime: '2026-01-31T12:34:57.000000',
    duration: 1.5,
    ...more,
  },
}); // biome-ignore format: one line for each part

const HOSTILE = 'a <b> & "c" ]]> \u0000\u001b[31m\ud800 \ufffe é \n\t';
const HISTORY = { state: 'flaky', flakeRate: 0.024, failures: 5, executions: 100 };
const known = item('cart', 'adds');
const ITEMS = [
  { ...known, test: { ...known.test, history: HISTORY, newlyFailed: true, quarantined: true } },
  item('cart', HOSTILE, 'failure', {
    failureDetails: { message: HOSTILE, type: 'T', text: HOSTILE },
  }),
  item('shop', 'opens', 'error', { errorDetails: { message: 'no' } }),
  item('cart', 'ships', 'skipped'),
  {
    ...item('cart', 'repeats'),
    executionHistory: [
      { workflow_id: 'earlier', outcome: 'error', duration: 3 },
      { outcome: 'failure', duration: 2, failureDetails: { message: 'once' } },
    ],
  },
];

const FRAME = { apiVersion: 'v1', kind: 'Status', message: '' };
const page = (
  items: readonly object[],
  status: 'COMPLETE' | 'ONGOING' = 'COMPLETE',
  warnings: readonly string[] = [],
) => ({
  status,
  items: items.map((one) => ({ ...one })),
  warnings,
  document: { ...FRAME, details: { items, status, workers_count: 0 } },
});

/** The items in pages of that size. */
async function written(
  name: string,
  items: readonly object[] = ITEMS,
  size = 2,
  warnings: readonly string[] = [],
): Promise<string> {
  const format = await createTestCaseFormat(name, {
    ...CONTEXT,
    workflowId: 'w-1',
    version: '1.2.3',
  });
  const pages = Array.from({ length: Math.max(1, Math.ceil(items.length / size)) }, (_, index) =>
    page(
      items.slice(index * size, (index + 1) * size),
      index === 0 ? 'ONGOING' : 'COMPLETE',
      warnings,
    ),
  );
  const [first = page([])] = pages;
  const last = pages.at(-1) ?? first;
  return [
    format.begin(first),
    ...pages.map((one) => format.items(one.items)),
    format.end(last),
  ].join('');
}

test('names and columns of users are for scripts, without counts', async () => {
  const names = (await written('name')).trimEnd().split('\n');
  expect([names[0], names.length]).toEqual(['cart#adds', ITEMS.length]);
  const [titles, ...rows] = (await written('custom-columns=NAME:metadata.name,X:x')).split('\n');
  expect(titles).toMatch(/^NAME +X$/);
  expect(rows.length).toBe(ITEMS.length + 1);
  expect(rows[0]).toMatch(/ <none>$/);
  expect(await written('name', [])).toBe('');
  await expect(written('html')).rejects.toThrow('-o takes table,');
});

test('a table has a row for each test case, and counts', async () => {
  expect((await written('table')).split('\n')).toEqual([
    'NAME                        TECHNOLOGY  OUTCOME  DURATION',
    'cart#adds                   junit       success  2 ms',
    'cart#a <b> & "c" ]]> \ud800 \ufffe é  junit       failure  2 ms',
    'shop#opens                  junit       error    2 ms',
    'cart#ships                  junit       skipped  2 ms',
    'cart#repeats                junit       success  2 ms',
    '',
    '5 test cases: 2 success, 1 failure, 1 error, 1 skipped.',
    '',
  ]);
});

test('columns of a table grow with later values', async () => {
  const items = [item('a', 'b'), item('a', 'much longer'), item('a', 'c')];
  expect((await written('table', items, 1)).split('\n').slice(0, 4)).toEqual([
    'NAME  TECHNOLOGY  OUTCOME  DURATION',
    'a#b   junit       success  2 ms',
    'a#much longer  junit       success  2 ms',
    'a#c            junit       success  2 ms',
  ]);
});

test('a wide table has environments, jobs and states', async () => {
  const [titles, first] = (await written('wide')).split('\n');
  expect(titles).toMatch(/OUTCOME +DURATION +RUNS_ON +JOB +STATE$/);
  expect(first).toMatch(/success +2 ms +linux,x +unit +flaky, quarantined$/);
});

const NO_ITEMS = { ...page([]), document: { message: 'No test cases matching scope false.' } };

test.each(['table', 'wide', 'custom-columns=NAME:metadata.name'])(
  'where there are none, %s has no lines, and says so beside them, with the reason of the server',
  async (name) => {
    const format = await createTestCaseFormat(name, CONTEXT);
    expect(format.begin(NO_ITEMS) + format.items([]) + format.end(NO_ITEMS)).toBe('');
    expect(format.emptyText?.(NO_ITEMS)).toBe(
      'There are no test cases. No test cases matching scope false.\n',
    );
  },
);

test.each(['name', 'json', 'yaml', 'junit', 'ctrf'])(
  'where there are none, %s shows it by itself',
  async (name) => {
    const format = await createTestCaseFormat(name, CONTEXT);
    expect(format.emptyText).toBeUndefined();
  },
);

const DOCUMENT = { ...FRAME, details: { items: ITEMS, status: 'COMPLETE', workers_count: 0 } };

describe.each<[TestCaseFormatName, (text: string) => unknown]>([
  ['json', (text) => JSON.parse(text)],
  ['yaml', (text) => parse(text)],
])('%s', (name, read) => {
  test('is the document of the server with the items of all pages and the status of the last', async () => {
    expect(read(await written(name))).toEqual(DOCUMENT);
  });

  test('may have no items', async () => {
    const { details } = DOCUMENT;
    const expected = { ...DOCUMENT, details: { ...details, items: [], status: 'ONGOING' } };
    expect(read(await written(name, []))).toEqual(expected);
  });
});

test.each(['1.1', '1.2'] as const)(
  'YAML is the same data for readers of version %s, whatever words are in it',
  async (version) => {
    const words = ['=', 'no', 'on', '12:30', '1_000', '2001-01-01', 'a\u2028b', '\u0085', '~'];
    const items = words.map((word) =>
      item(word, word, 'failure', { failureDetails: { message: word } }),
    );
    const document = { ...DOCUMENT, details: { ...DOCUMENT.details, items } };
    expect(parse(await written('yaml', items), { version })).toEqual(document);
  },
);

describe('junit', () => {
  test('escapes whatever is in names and texts', async () => {
    const name = 'a &lt;b&gt; &amp; &quot;c&quot; ]]&gt; \ufffd\ufffd[31m\ufffd \ufffd é &#10;&#9;';
    const text = 'a &lt;b&gt; &amp; "c" ]]&gt; \ufffd\ufffd[31m\ufffd \ufffd é \n\t';
    expect(await written('junit')).toContain(
      `<testcase name="${name}" classname="cart" time="0.0015">\n<failure message="${name}" type="T">${text}</failure>\n</testcase>\n`,
    );
  });

  test('warns of reports that are not whole in a suite without test cases', async () => {
    const xml = await written('junit', ITEMS, 2, ['Report "a & b" <c>.', 'And 1 more.']);
    const suite =
      '<testsuite name="Test results may be missing" tests="0" failures="0" errors="0" skipped="0" time="0">\n' +
      '<system-err>Report "a &amp; b" &lt;c&gt;.\nAnd 1 more.</system-err>\n</testsuite>\n';
    expect(xml.replace(suite, '')).toBe(await written('junit'));
  });

  test('has each outcome, and earlier executions', async () => {
    const xml = await written('junit');
    expect(xml).toContain('<error message="no"/>');
    expect(xml).toContain('<skipped/>');
    expect(xml).toContain('<flakyFailure message="once"/>');
    // An execution of another run.
    expect(xml).not.toContain('<flakyError');
  });

  test('has no character that XML cannot have', async () => {
    const xml = await written('junit');
    const codes = [...xml].map((character) => character.codePointAt(0) ?? 0);
    const isAllowed = (code: number) =>
      [0x9, 0xa, 0xd].includes(code) || (code >= 0x20 && code !== 0xfffe && code !== 0xffff);
    expect(codes.filter((code) => !isAllowed(code))).toEqual([]);
    expect(xml.isWellFormed()).toBe(true);
  });

  test('has the counts of each suite, also over the borders of pages', async () => {
    const suites = (await written('junit')).match(/<testsuite .*?>/g);
    expect(suites).toEqual([
      '<testsuite name="cart" tests="2" failures="1" errors="0" skipped="0" time="0.003" timestamp="2026-01-31T12:34:56">',
      '<testsuite name="shop" tests="1" failures="0" errors="1" skipped="0" time="0.0015" timestamp="2026-01-31T12:34:56">',
      '<testsuite name="cart" tests="2" failures="0" errors="0" skipped="1" time="0.003" timestamp="2026-01-31T12:34:56">',
    ]);
  });

  test('is a document without any test case, too', async () => {
    expect(await written('junit', [])).toBe(
      '<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="w-1">\n</testsuites>\n',
    );
  });
});

/** The schema of the format, and the types of our output. */
const integer = { type: 'integer' };
const text = { type: 'string' };
const STATUS = { enum: ['passed', 'failed', 'skipped', 'pending', 'other'] };
const counts = ['tests', 'passed', 'failed', 'skipped', 'pending', 'other', 'start', 'stop'];
const CTRF = {
  type: 'object',
  required: ['results', 'reportFormat', 'specVersion'],
  properties: {
    reportFormat: { const: 'CTRF' },
    specVersion: { type: 'string', pattern: '^\\d+\\.\\d+\\.\\d+$' },
    generatedBy: text,
    results: {
      type: 'object',
      required: ['tool', 'summary', 'tests'],
      properties: {
        tool: { type: 'object', required: ['name'], properties: { name: text, version: text } },
        summary: {
          type: 'object',
          required: counts,
          properties: Object.fromEntries(counts.map((name) => [name, integer])),
          additionalProperties: false,
        },
        extra: { type: 'object' },
        tests: {
          type: 'array',
          items: {
            type: 'object',
            required: ['name', 'status', 'duration'],
            properties: {
              name: { type: 'string', minLength: 1 },
              status: STATUS,
              duration: integer,
              start: integer,
              stop: integer,
              suite: { type: 'array', minItems: 1, items: text },
              message: text,
              trace: text,
              rawStatus: text,
              retries: integer,
              flaky: { type: 'boolean' },
              retryAttempts: {
                type: 'array',
                items: {
                  type: 'object',
                  required: ['attempt', 'status'],
                  properties: { attempt: integer, status: STATUS, duration: integer, message: text, trace: text },
                  additionalProperties: false,
                },
              },
              extra: { type: 'object' },
            },
            additionalProperties: false,
          },
        },
      },
      additionalProperties: false,
    },
  },
  additionalProperties: false,
}; // biome-ignore format: one line for each object

describe('ctrf', () => {
  test.each([ITEMS, [], [{}]].map((items) => [items]))(
    'has what the format requires: %#',
    async (items) => {
      const validate = new Ajv({ strict: false }).compile(CTRF);
      validate(JSON.parse(await written('ctrf', items)));
      expect(validate.errors).toBeNull();
    },
  );

  test('warns of reports that are not whole beside the test cases', async () => {
    const text = await written('ctrf', ITEMS, 2, ['Report "a".']);
    const validate = new Ajv({ strict: false }).compile(CTRF);
    const { results } = JSON.parse(text);
    expect(validate(JSON.parse(text))).toBe(true);
    expect(results.extra).toEqual({ warnings: ['Report "a".'] });
    expect(results.tests).toHaveLength(ITEMS.length);
  });

  test('has errors as failures, and the times of the tests', async () => {
    const { results } = JSON.parse(await written('ctrf'));
    const [start, stop] = [Date.UTC(2026, 0, 31, 12, 34, 56), Date.UTC(2026, 0, 31, 12, 34, 57)];
    expect(results.summary).toEqual(
      { tests: 5, passed: 2, failed: 2, skipped: 1, pending: 0, other: 0, start, stop }, // biome-ignore format: one line
    );
    expect(results.tests[2]).toMatchObject({ status: 'failed', rawStatus: 'error', message: 'no' });
    expect(results.tests[4]).toMatchObject({ flaky: true, retries: 1 });
  });
});

test('one test case has its facts, its whole report, and its executions before, newest first', async () => {
  const format = await createTestCaseFormat('table', { ...CONTEXT, isOne: true });
  const failing = { message: 'expected 3 to be 4\u001b[2J', text: 'at /srv/cart.test.ts:5:17' };
  const past = { startTime: '2026-01-30T12:00:00.123456', duration: 12 };
  const text = format.items([
    {
      metadata: { name: 'cart#adds', id: 'c1', workflow_id: 'w' },
      test: { job: 'unit', 'runs-on': ['linux'], technology: 'vitest', outcome: 'failure' },
      execution: { duration: 1500, startTime: '2026-01-31T12:00:00', failureDetails: failing },
      executionHistory: [
        { workflow_id: 'v', outcome: 'success', ...past },
        { workflow_id: 'w', outcome: 'error', ...past },
      ],
    },
  ]);
  expect(text).toBe(`cart#adds
  Outcome:     failure
  Place:       /srv/cart.test.ts:5
  Job:         unit, linux
  Technology:  vitest
  Duration:    1.5 s
  Step began:  2026-01-31T12:00:00
  Id:          c1

Message
  expected 3 to be 4

Report
  at /srv/cart.test.ts:5:17

Executions before
  OUTCOME  DURATION  STEP_BEGAN           RUN
  error    12 ms     2026-01-30T12:00:00  this run
  success  12 ms     2026-01-30T12:00:00  v
`);
});

test.each([
  [{ state: 'flaky', flakeRate: 0.024, failures: 5, executions: 100 }, false, 'flaky, 5 of 100 executions failed, flake rate 2.4 %'],
  [{ state: 'stable', flakeRate: 0.0012, failures: 0, executions: 9 }, true, 'stable, 0 of 9 executions failed, flake rate 0.12 %; it did not fail in the run before'],
  [{ state: 'new', flakeRate: 0, failures: 0, executions: 0 }, true, 'new'],
])('one test case has its history: %j', async (history, newlyFailed, shown) => {
  const format = await createTestCaseFormat('table', { ...CONTEXT, isOne: true });
  const text = format.items([{ test: { history, newlyFailed }, metadata: {}, execution: {} }]);
  expect(text).toContain(`  History:     ${shown}\n`);
}); // biome-ignore format: one line for each history

test('reports keep the failure of a test in quarantine, and say where it was', async () => {
  const failed = item('shop', 'pays', 'failure', { failureDetails: { message: 'no' } });
  const held = { ...failed, test: { ...failed.test, quarantined: true } };
  const texts = async (format: 'junit' | 'ctrf' | 'table') =>
    (await createTestCaseFormat(format, { ...CONTEXT, isOne: format === 'table' })).items([held]);
  const format = await createTestCaseFormat('junit', CONTEXT);
  expect(format.items([held, failed]) + format.end(page([]))).toContain(
    '>\n<properties>\n<property name="quarantined" value="true"/>\n</properties>\n<failure message="no"/>\n</testcase>\n<testcase name="pays" classname="shop" time="0.0015">\n<failure message="no"/>',
  );
  const { rawStatus, extra } = JSON.parse(await texts('ctrf'));
  expect([rawStatus, extra.quarantined]).toEqual(['failure', true]);
  expect(await texts('table')).toContain('  Quarantine:  yes: gates leave its failures out\n');
});
