import { describe, expect, test } from 'vitest';
import { readText, shownCases } from '../testing/read-text.ts';
import { createCtrfReader } from './ctrf-reader.ts';

const report = (tests: readonly object[]): string =>
  JSON.stringify({
    reportFormat: 'CTRF',
    specVersion: '0.0.0',
    results: { tool: { name: 'playwright' }, summary: { tests: tests.length, passed: 1 }, tests, environment: { a: 1 } },
  }); // biome-ignore format: one line

describe('a test', () => {
  test.each<[object, readonly string[]]>([
    [{ name: 'adds', status: 'passed', duration: 12 }, ['null#adds SUCCESS 12']],
    [
      { name: 'removes', status: 'failed', duration: 5, message: '1 != 2', trace: 'at x', suite: 'cart > inner' },
      ['cart > inner#removes FAILURE 5 1 != 2'],
    ],
    [{ name: 'ships', status: 'skipped', duration: 0, suite: ['cart', 'inner'] }, ['cart > inner#ships SKIPPED 0']],
    [{ name: 'later', status: 'pending', duration: 0, filePath: '/ws/cart.spec.ts' }, ['cart.spec.ts#later SKIPPED 0']],
    [{ name: 'odd', status: 'other', rawStatus: 'timedOut', duration: 1 }, ['null#odd ERROR 1 timedOut']],
    [
      {
        name: 'flaky', status: 'passed', flaky: true, retries: 1, duration: 3,
        retryAttempts: [{ attempt: 1, status: 'failed', duration: 2, message: 'late', attachments: [{ a: 1 }] }],
      },
      ['null#flaky FAILURE 2 attempt late', 'null#flaky SUCCESS 3'],
    ],
    [{ name: 'long', status: 'passed', duration: 1e300 }, ['null#long SUCCESS 0']],
    [{}, ['null#(unnamed) ERROR 0 ']],
  ])('%j', async (given, expected) => {
    const reading = await readText(createCtrfReader, report([given]));
    expect(reading).toMatchObject({ error: null, generalErrors: [] });
    expect(shownCases(reading)).toEqual(expected);
  }); // biome-ignore format: a table
});

test('the place of a test that failed follows its trace, unless the trace has it', async () => {
  const failed = { status: 'failed', filePath: '/ws/cart.spec.ts', line: 7 };
  const traces = ['at x', 'at /ws/cart.spec.ts:9:1'];
  const tests = traces.map((trace) => ({ ...failed, name: 'a', message: '1 != 2', trace }));
  const { cases } = await readText(createCtrfReader, report(tests));
  const texts = cases.map(({ failureDetails }) => failureDetails?.text);
  expect(texts).toEqual(['at x\n\n/ws/cart.spec.ts:7', traces[1]]);
});

test.each([
  ['{"results": {}}', /no results\.tests$/],
  ['{"results": {"tests": [{"name": "a"}, {"na', /the document ends too early$/],
  ['{"results": {"tests": [{"name": }', /^line 1, column 32: unexpected "}"$/],
  [' ', /the document is empty$/],
])('%s is refused', async (text, error) => {
  expect((await readText(createCtrfReader, text)).error).toMatch(error);
});
