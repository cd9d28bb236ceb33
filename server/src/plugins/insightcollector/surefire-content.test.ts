import { describe, expect, test } from 'vitest';
import type { FoundCase } from '../interpreters/format-reader.ts';
import { createJunitReader } from '../interpreters/surefire/junit-reader.ts';
import { readText } from '../interpreters/testing/read-text.ts';
import { surefireContent } from './surefire-content.ts';
import {
  BROKEN,
  BROKEN_WARNING,
  caseManifest,
  gathered,
  memorySpool,
  RUN_ID,
  type SampleCase,
  sampleRun,
  sampleStore,
  shopCase,
  storeOf,
} from './testing.ts';

const ODD = 'a ]]> <b> & "c" \u0007 \ud83d\ude00 \ud800';
const contentOf = (store: ReturnType<typeof storeOf>, scope: string | null = null) =>
  surefireContent(store, sampleRun(), scope, memorySpool);
const xmlOf = (cases: readonly SampleCase[], scope?: string) =>
  gathered(contentOf(storeOf(cases), scope));
async function read(store: ReturnType<typeof storeOf>): Promise<readonly FoundCase[]> {
  const { cases, error } = await readText(
    createJunitReader,
    await gathered(contentOf(store)),
    4_096,
  );
  expect(error).toBeNull();
  return cases;
}

describe('a report in JUnit XML', () => {
  test('says of each test case what our own reader understands', async () => {
    const found = await read(sampleStore(1_500, shopCase));
    const expected = Array.from({ length: 1_500 }, (_, index) => {
      const {
        suite,
        name,
        status = 'SUCCESS',
        duration,
        failureDetails,
        errorDetails,
      } = shopCase(index);
      const details = {
        ...(failureDetails && { failureDetails }),
        ...(errorDetails && { errorDetails }),
      };
      return { suite, name, status, duration, ...details };
    });
    expect(found.filter(({ isAttempt }) => isAttempt !== true)).toEqual(expected);
  });

  test('warns of reports that are not whole, and counts no test case for it', async () => {
    const cases = [{ name: 'a' }];
    const xml = await gathered(contentOf(storeOf(cases, [], [BROKEN])));
    const warning = BROKEN_WARNING.replace('<', '&lt;').replace('>', '&gt;');
    const suite =
      '<testsuite name="Test results may be missing" tests="0" failures="0" errors="0" skipped="0" time="0">\n' +
      `<system-err>${warning}</system-err>\n</testsuite>\n`;
    expect(xml.replace(suite, '')).toBe(await xmlOf(cases));
    expect(xml).toContain(suite);
    expect(await read(storeOf(cases, [], [BROKEN]))).toHaveLength(1);
  });

  test('takes whatever tests are called and print', async () => {
    const failureDetails = { message: `${ODD}\n2`, type: ODD, text: `${ODD}\n  2\t3` };
    const [found] = await read(
      storeOf([{ suite: ODD, name: ODD, status: 'FAILURE', failureDetails }]),
    );
    const shown = 'a ]]> <b> & "c" \ufffd \ud83d\ude00 \ufffd';
    expect(found).toMatchObject({
      suite: shown,
      name: shown,
      failureDetails: { message: `${shown}\n2`, type: shown, text: `${shown}\n  2\t3` },
    });
  });

  test('has counts, times and properties', async () => {
    const xml = await xmlOf([
      { suite: 'A', duration: 1_500, job: 'unit', technology: 'junit', tags: ['linux', 'arm'] },
      { suite: 'A', duration: 0.25, status: 'SKIPPED' },
      { suite: 'B', status: 'ERROR', job: 'web' },
    ]);
    expect(xml).toContain(
      '<testsuites name="nightly" tests="3" failures="0" errors="1" skipped="1">',
    );
    expect(xml).toContain(
      '<testsuite name="A" tests="2" failures="0" errors="0" skipped="1" time="1.50025" timestamp="2026-01-31T12:00:01">',
    );
    expect(xml).toContain('<property name="runs-on" value="linux,arm"/>');
    expect(xml).toContain('<testsuite name="B" tests="1"');
    expect(xml).toContain('<property name="job" value="web"/>');
  });

  test('tells apart suites of one name in other jobs, and parts of what is large', async () => {
    const large = Array.from({ length: 450 }, (): SampleCase => ({ suite: 'A' }));
    const xml = await xmlOf([...large, { suite: 'A', job: 'web' }]);
    const sizes = [...xml.matchAll(/<testsuite name="A" tests="(\d+)"/g)].map(([, size]) => size);
    expect(sizes).toEqual(['200', '200', '50', '1']);
  });

  test('tells earlier executions as Surefire does', async () => {
    const failureDetails = { message: 'once' };
    const earlier = [{ status: 'FAILURE', failureDetails }, { status: 'SUCCESS' }] as const;
    const xml = await xmlOf([
      { earlier },
      { earlier, status: 'FAILURE', failureDetails: { message: 'again' } },
    ]);
    expect(xml).toContain('<flakyFailure message="once"/>');
    expect(xml).toContain('<failure message="again"/>\n<rerunFailure message="once"/>');
    const found = await read(storeOf([{ earlier }]));
    expect(found.map(({ status, isAttempt = false }) => [status, isAttempt])).toEqual([
      ['FAILURE', true],
      ['SUCCESS', false],
    ]);
  });

  test('has the test cases of its scope', async () => {
    const cases: readonly SampleCase[] = [{ job: 'unit' }, { job: 'web' }];
    const xml = await xmlOf(cases, "test.job == 'web'");
    expect(xml).toContain('tests="1"');
    expect(xml).not.toContain('value="unit"');
    await expect(xmlOf(cases, 'test.')).rejects.toThrow('[SCOPE ERROR]');
  });

  test('of a run without test cases is a report without suites', async () => {
    expect(await xmlOf([])).toMatch(
      /<testsuites name="nightly" tests="0"[^>]*>\n<\/testsuites>\n$/,
    );
  });

  test('is written while it is read: one piece after the other', async () => {
    let reads = 0;
    const store = sampleStore(100_000, (index) => {
      reads += 1;
      return { name: `case ${index}` };
    });
    let atFirst = 0;
    await gathered(
      surefireContent(store, sampleRun(), null, (content) =>
        memorySpool(
          (async function* () {
            for await (const piece of content) {
              atFirst ||= reads;
              yield piece;
            }
          })(),
        ),
      ),
    );
    expect(atFirst).toBeLessThan(10_000);
    // It is read once.
    expect(reads).toBe(100_000);
  });

  test('counts what it shows, also while test cases come and get other outcomes', async () => {
    let reads = 0;
    const store = {
      ...storeOf([]),
      testCases: (_: unknown, offset: number, limit: number) => {
        reads += 1;
        const total = 600 + 100 * reads;
        const status = reads % 2 === 0 ? 'SUCCESS' : 'FAILURE';
        return sampleStore(total, () => ({ status })).testCases(RUN_ID, offset, limit);
      },
    };
    const xml = await gathered(contentOf(store));
    const [, tests, failures] = /<testsuites .* tests="(\d+)" failures="(\d+)"/.exec(xml) ?? [];
    expect(Number(tests)).toBe(xml.match(/<testcase /g)?.length);
    expect(Number(failures)).toBe(xml.match(/<failure/g)?.length);
  });

  test('says that it was made too early to have all test cases', async () => {
    const run = sampleRun({ phase: 'RUNNING' });
    const xml = await gathered(surefireContent(storeOf([{}]), run, null, memorySpool));
    expect(xml).toContain(
      '<system-err>This was made while the workflow was running: test cases may be missing. Make it again when the workflow is over.</system-err>',
    );
  });
});

test('a test case of a sample is one that a run would have', () => {
  expect(caseManifest({ suite: 'A', name: 'a' }, 0).metadata.name).toBe('A#a');
});
