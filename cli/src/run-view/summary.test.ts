import type { TestCase, TestCaseStatus } from '@tutti/client';
import { emptyRunView, LAST_LINES_MAX, reduceRunView } from '@tutti/run-view';
import { createRunLog, type RunLog, WORKFLOW_ID } from '@tutti/run-view/testing';
import { expect, test } from 'vitest';
import { createPaint } from '../terminal/style.ts';
import { LISTED_FAILURES_MAX } from './failed-tests.ts';
import { type Ended, jobTable, LISTED_JOBS_MAX, summaryLines } from './summary.ts';

const paint = createPaint(false);
const steps = [{ id: 's1', name: 'Run the tests', run: 'make' }];

const testCase = (name: string, status: TestCaseStatus, message?: string): TestCase => ({
  metadata: { name },
  test: {},
  status,
  execution: { duration: 1500, ...(message === undefined ? {} : { failureDetails: { message } }) },
});

function summary(
  status: 'DONE' | 'FAILED',
  testCases: readonly TestCase[],
  report: (log: RunLog) => void,
  more: Partial<Ended> = {},
): string {
  const log = createRunLog({ build: { steps }, test: { steps } });
  report(log);
  const view = log.events.reduce(reduceRunView, emptyRunView);
  const ended = { view, status, testCases, isComplete: true, mayBeMissing: false, ...more };
  return summaryLines(ended, paint, 'tutti').join('\n');
}

function ran(log: RunLog, job: string, exitCode: number, lines: readonly string[] = []): void {
  log.request(job);
  log.offer(job);
  log.step(job, 's1', 'make');
  log.done(job, 's1', exitCode, lines);
  log.release(job, exitCode === 0 ? 'success' : 'failure');
}

test('a run that succeeded has its jobs, its test cases and its result', () => {
  const cases = [testCase('cart#adds', 'SUCCESS'), testCase('cart#removes an item', 'SKIPPED')];
  const text = summary('DONE', cases, (log) => {
    ran(log, 'build', 0);
    ran(log, 'test', 0);
    log.complete();
  });
  expect(text).toBe(`
Jobs
  build  succeeded  2.0 s
  test   succeeded  2.0 s

Result: SUCCESS, 1 of 2 test cases passed, 1 skipped, success rate 100 %.

See it again: tutti status ${WORKFLOW_ID}
See all test cases: tutti testcases ${WORKFLOW_ID}
See it in a browser: tutti ui ${WORKFLOW_ID}`);
});

test('a step that could not run is no second failure', () => {
  const text = summary('FAILED', [], (log) => {
    log.request('build');
    log.offer('build');
    log.step('build', 's1', 'make');
    log.done('build', 's1', 1, ['ERROR,The agent was lost.']);
    log.step('build', 's2', 'make clean');
    log.notRun('build', 's2');
    log.release('build', 'failure');
    log.fail();
  });
  expect(text).toContain('Run the tests: exit code 1');
  expect(text).not.toContain('make clean');
});

test('a failed run shows its failures, with the end of their output', () => {
  const output = Array.from({ length: 40 }, (_, index) => `line ${index}`);
  const cases = [
    testCase('cart#adds', 'SUCCESS'),
    {
      ...testCase('cart#pays', 'FAILURE'),
      test: { job: 'unit' },
      execution: {
        duration: 1500,
        failureDetails: { message: 'expected 1\n\n to be 2', text: 'at tests/cart.test.ts:7:1' },
      },
    },
  ];
  const text = summary('FAILED', cases, (log) => {
    ran(log, 'build', 0);
    ran(log, 'test', 1, output);
    log.fail();
  });
  const last = output.slice(-LAST_LINES_MAX).map((line) => `    │ ${line}`);
  expect(text).toBe(`
Jobs
  build  succeeded  2.0 s
  test   failed     2.0 s

What failed
  test ▸ Run the tests: exit code 1 after 1.0 s, at line 40 of its output
${last.join('\n')}

Failed test cases
  ✗ cart#pays
    job unit, tests/cart.test.ts:7, 1.5 s
      expected 1
       to be 2

Result: FAILURE, 1 of 2 test cases passed (50 %), 1 failed.

See all that test printed: tutti logs ${WORKFLOW_ID} --job test
See what happened, step by step: tutti status ${WORKFLOW_ID} --log
See all of a failed test: tutti testcases ${WORKFLOW_ID} 'cart#pays'
See all test cases: tutti testcases ${WORKFLOW_ID}
See it in a browser: tutti ui ${WORKFLOW_ID}`);
});

test('among very many failed test cases some are listed, and a command lists all', () => {
  const cases = Array.from({ length: LISTED_FAILURES_MAX + 3 }, (_, index) =>
    testCase(`t${index}`, 'ERROR'),
  );
  const text = summary('FAILED', cases, () => {});
  expect(text.match(/✗/g)).toHaveLength(LISTED_FAILURES_MAX);
  expect(text).toContain(
    `  … and 3 more failed test cases: tutti testcases ${WORKFLOW_ID} --outcome failure,error\n`,
  );
});

test('the name, the job and the message of a test case are no text for the terminal', () => {
  const clear = '\u001b[2J\n';
  const hostile = testCase(`a ${clear}b`, 'FAILURE', `wrong ${clear}`);
  const cases = [{ ...hostile, test: { job: `j${clear}` } }];
  const text = summary('FAILED', cases, () => {});
  expect(text).toContain('  ✗ a b\n    job j, 1.5 s\n      wrong \n');
  expect(text).not.toContain('\u001b');
});

test('the jobs of a bundle stand behind it', () => {
  const text = summary('DONE', [], (log) => {
    log.expand('build', { unit: { steps }, lint: { steps } });
    ran(log, 'build/unit', 0);
    log.endUnplaced('build/lint', 'skipped', 'Job "lint" skipped.');
    log.endUnplaced('build', 'success', 'Job "build" succeeded.');
  });
  expect(text.split('\n').slice(1, 6)).toEqual([
    'Jobs',
    '  build       succeeded  7.0 s',
    '  build/unit  succeeded  2.0 s',
    '  build/lint  skipped',
    '  test        waiting',
  ]);
});

test('the jobs of matrices in bundles have their path', () => {
  const cell = { name: 'os (linux)', steps };
  const text = summary('DONE', [], (log) => {
    log.expand('build', { os: { steps }, other: { steps } });
    log.expand('build/os', { 'os-linux': cell }, '.matrix');
    log.expand('build/os/os-linux', { os: { steps } });
    log.expand('build/os/os-linux/os', { 'os-linux': cell }, '.matrix');
    log.expand('test', { 'os-linux': cell }, '.matrix');
  });
  expect(
    text
      .split('\n')
      .slice(2, 10)
      .map((line) => line.trim().replace(/ {2}.*/, '')),
  ).toEqual([
    'build',
    'build/os',
    'build/os (linux)',
    'build/os (linux)/os',
    'build/os (linux)/os (linux)',
    'build/other',
    'test',
    'os (linux)',
  ]);
});

test('a run without test cases is distinct from one that passed', () => {
  expect(summary('DONE', [], () => {})).toContain('Result: NOTEST, no test results.');
  expect(summary('FAILED', [], () => {})).toContain('Result: FAILURE, no test results.');
});

test('test results that are not all there yet are marked', () => {
  const text = summary('DONE', [], () => {}, { isComplete: false });
  expect(text).toContain('these are not all.\nResult: NOTEST');
});

test('a share is rounded down, so that only all is 100 %', () => {
  const cases = [
    ...Array.from({ length: 999 }, (_, index) => testCase(`t${index}`, 'SUCCESS')),
    testCase('last', 'ERROR'),
  ];
  const text = summary('FAILED', cases, () => {});
  expect(text).toContain('999 of 1000 test cases passed (99.9 %), 1 failed.');
});

test('a job that got no environment leads to the list of environments', () => {
  const reason = { reason: 'no-environment', tags: [], namespace: 'x', missingTags: [] } as const;
  const text = summary('FAILED', [], (log) => {
    log.request('build');
    log.wait('build', reason, 'Job "build" waits: no environment.');
    log.cancel('enough');
    log.fail({ status: 'cancelled' });
  });
  expect(text.split('\n').slice(-3)).toEqual([
    'Job "build" waits: no environment.',
    'See which environments there are: tutti agents',
    `See it in a browser: tutti ui ${WORKFLOW_ID}`,
  ]);
});

test('a failure ends with the last state of overwritten lines', () => {
  const text = summary('FAILED', [], (log) => {
    log.request('test');
    log.offer('test');
    log.step('test', 's1', 'install');
    log.output('test', 's1', '1 %\r50 %\rnot found\r');
    log.done('test', 's1', 1);
  });
  expect(text).toContain('    │ not found\n');
});

test('nothing in it moves the cursor', () => {
  const clear = '\u001b[2J';
  const text = summary('FAILED', [], (log) => {
    log.expand('build', { cell: { name: `cell ${clear}`, steps: [] } }, '.matrix');
    log.request('test');
    log.offer('test');
    log.step('test', 's1', `make ${clear}`);
    log.done('test', 's1', 1);
    log.error('test', `wrong: ${clear}`);
    log.error(null, `wrong: ${clear}`);
    log.wait('build/cell', { reason: 'max-parallel', limit: 1, running: 1 }, `waits ${clear}`);
  });
  expect(text).toContain('cell');
  expect(text).not.toContain('\u001b');
});

test('a step that could not run says why once, without words of the protocol', () => {
  const text = summary('FAILED', [], (log) => {
    log.request('build');
    log.offer('build');
    log.step('build', 's1', 'make');
    log.notRun('build', 's1');
    log.release('build', 'failure');
    log.fail();
  });
  expect(failuresIn(text)).toEqual(['  build ▸ Run the tests: It could not run.']);
});

test('errors of the run and of jobs are shown', () => {
  const text = summary('FAILED', [], (log) => {
    log.request('build');
    log.error('build', 'no such function');
    log.error(null, 'no such workflow');
  });
  expect(failuresIn(text)).toEqual(['  build: no such function', '  no such workflow']);
});

/** Without the titles. */
const failuresIn = (text: string): readonly string[] =>
  text
    .split('\n\n')
    .filter((section) => /^What (?:failed|was stopped)/.test(section))
    .flatMap((section) => section.split('\n').slice(1));

test('a bundle that took too long is shown, also if no step failed', () => {
  const why = 'Job "build" canceled: it ran longer than 2 seconds.';
  const text = summary('FAILED', [], (log) => {
    log.expand('build', { unit: { steps } });
    log.request('build/unit');
    log.overtime('build', why);
    log.endUnplaced('build/unit', 'cancelled', 'Job "unit" canceled.');
    log.endUnplaced('build', 'cancelled', 'Job "build" was canceled.');
    log.fail();
  });
  expect(failuresIn(text)).toEqual([`  ${why}`]);
});

test('a job without an environment in time is shown, but not the failure of its bundle', () => {
  const why = 'Job "unit" canceled: no environment for it within 1 minute.';
  const text = summary('FAILED', [], (log) => {
    log.expand('build', { unit: { steps }, lint: { steps } });
    log.request('build/unit');
    log.endUnplaced('build/unit', 'cancelled', why);
    ran(log, 'build/lint', 1);
    log.endUnplaced('build', 'failure', 'Job "build" failed: job "lint" failed.');
    log.fail();
  });
  expect(failuresIn(text)).toEqual([
    `  build/unit: ${why}`,
    '  build/lint ▸ Run the tests: exit code 1 after 1.0 s',
  ]);
});

test('failures come in their order, without the steps stopped because of them', () => {
  const text = summary('FAILED', [], (log) => {
    for (const job of ['build', 'test']) {
      log.request(job);
      log.offer(job);
      log.step(job, 's1', 'make');
    }
    log.done('test', 's1', 2);
    log.stop('build', 's1', 'canceled');
    log.done('build', 's1', 143);
    log.release('build', 'cancelled');
    log.release('test', 'failure');
    log.fail();
  });
  expect(failuresIn(text)).toEqual(['  test ▸ Run the tests: exit code 2 after 1.0 s']);
});

test('the earlier of two failures comes first', () => {
  const text = summary('FAILED', [], (log) => {
    for (const job of ['build', 'test']) {
      log.request(job);
      log.offer(job);
      log.step(job, 's1', 'make');
    }
    log.done('test', 's1', 2);
    log.done('build', 's1', 1);
    log.release('build', 'failure');
    log.release('test', 'failure');
    log.fail();
  });
  expect(failuresIn(text).map((line) => line.replace(/:.*/, ''))).toEqual([
    '  test ▸ Run the tests',
    '  build ▸ Run the tests',
  ]);
});

test('if nothing failed by itself, stopped steps are shown', () => {
  const text = summary('FAILED', [], (log) => {
    log.request('build');
    log.offer('build');
    log.step('build', 's1', 'make');
    log.cancel('enough');
    log.stop('build', 's1', 'canceled');
    log.done('build', 's1', 143);
    log.release('build', 'cancelled');
    log.fail({ status: 'cancelled' });
  });
  expect(failuresIn(text)).toEqual([expect.stringContaining('Run the tests: it was stopped')]);
});

test('a bundle without jobs is shown', () => {
  const why = 'Job "build" failed: generator "a/b" gave no answer within 1 minute.';
  const text = summary('FAILED', [], (log) => {
    log.endUnplaced('build', 'failure', why);
    log.fail();
  });
  expect(failuresIn(text)).toEqual([`  ${why}`]);
});

test('among very many failures the first one is shown whole, and some others', () => {
  const names = Array.from({ length: 23 }, (_, index) => `job-${index}`);
  const log = createRunLog(Object.fromEntries(names.map((name) => [name, { steps }])));
  for (const name of names) {
    ran(
      log,
      name,
      1,
      Array.from({ length: 9 }, (_, index) => `line ${index}`),
    );
  }
  const view = log.events.reduce(reduceRunView, emptyRunView);
  const ended = { view, testCases: [], isComplete: true, mayBeMissing: false } as const;
  const lines = summaryLines({ ...ended, status: 'FAILED' }, paint, null);
  const first = lines.indexOf('What failed first');
  const after = lines.indexOf('What failed after it');
  expect(after - first).toBe(1 + 1 + 9 + 1);
  expect(lines.slice(after).filter((line) => line.startsWith('    │'))).toHaveLength(20 * 5);
  expect(lines).toContain('  … and 2 more failures');
});

test('among very many jobs the failed ones are listed, and as many others as fit', () => {
  const names = Array.from({ length: LISTED_JOBS_MAX + 20 }, (_, index) => `job-${index}`);
  const log = createRunLog(Object.fromEntries(names.map((name) => [name, { steps }])));
  for (const [index, name] of names.entries()) ran(log, name, index >= LISTED_JOBS_MAX ? 1 : 0);
  const view = log.events.reduce(reduceRunView, emptyRunView);
  const table = jobTable([...view.jobs.values()], paint);
  expect(table).toHaveLength(1 + LISTED_JOBS_MAX + 1);
  expect(table.filter((line) => line.includes('failed'))).toHaveLength(20);
  expect(table[1]).toMatch(/^ {2}job-0 +succeeded/);
  expect(table.at(-1)).toBe('  … and 20 more jobs');
});

test('jobs that are too deep are not listed, except failed ones', () => {
  const log = createRunLog({ tests: {} });
  log.expand('tests', { unit: { steps }, lint: { steps } });
  ran(log, 'tests/unit', 0);
  ran(log, 'tests/lint', 1);
  log.endUnplaced('tests', 'failure', 'Job "tests" failed: job "lint" failed.');
  const view = log.events.reduce(reduceRunView, emptyRunView);
  const names = (jobDepth: number) =>
    jobTable([...view.jobs.values()], paint, jobDepth).map((row) => row.trim().split(' ')[0]);
  expect(names(1)).toEqual(['Jobs', 'tests', 'tests/lint']);
  expect(names(0)).toEqual(['Jobs', 'tests', 'tests/unit', 'tests/lint']);
});

test('where there are many test cases, the slowest are named', () => {
  const timed = (index: number): TestCase => ({
    ...testCase(`t${index}`, 'SUCCESS'),
    execution: { duration: index * 300 },
  });
  const cases = Array.from({ length: 12 }, (_, index) => timed(index));
  const sections = summary('DONE', cases, () => {}).split('\n\n');
  expect(sections.find((section) => section.startsWith('Slowest'))).toBe(`Slowest test cases
  3.3 s  t11
  3.0 s  t10
  2.7 s  t9
  2.4 s  t8
  2.1 s  t7`);
  expect(summary('DONE', cases.slice(0, 9), () => {})).not.toContain('Slowest');
});

test('the end names the commands for the results of the run', () => {
  const text = summary('DONE', [], (log) => {
    log.attach('build', 's1', 'a1');
    log.upload('build', 'u1');
    log.publish('r1');
  });
  expect(text.split('\n').slice(-3)).toEqual([
    `Save 1 report on it: tutti report ${WORKFLOW_ID} --save-to reports`,
    `See 2 attachments: tutti attachments ${WORKFLOW_ID}`,
    `See it in a browser: tutti ui ${WORKFLOW_ID}`,
  ]);
});

test('a run of a server has an address for browsers', () => {
  const text = summary('DONE', [], () => {}, { server: 'https://tutti.example.org' });
  expect(text).toContain(`See it in a browser: https://tutti.example.org/ui/runs/`);
});

test("the answer of the server's gate stands below the result", () => {
  const view = createRunLog({}).events.reduce(reduceRunView, emptyRunView);
  const cases = [testCase('a', 'SUCCESS')];
  const ended = { view, testCases: cases, isComplete: true, mayBeMissing: false };
  const lines = summaryLines({ ...ended, status: 'DONE', gate: 'SUCCESS' }, paint, null);
  expect(lines.at(-1)).toBe('Quality gate "strict": SUCCESS.');
});

test('a result never stands alone where reports could not be read whole', () => {
  const resultOf = (cases: readonly TestCase[]) =>
    summary('DONE', cases, () => {}, { mayBeMissing: true })
      .split('\n')
      .find((line) => line.startsWith('Result'));
  expect(resultOf([testCase('a', 'SUCCESS')])).toBe(
    'Result: SUCCESS, 1 of 1 test case passed (100 %); others may be missing.',
  );
  expect(resultOf([testCase('a', 'SUCCESS'), testCase('b', 'FAILURE')])).toBe(
    'Result: FAILURE, 1 of 2 test cases passed (50 %), 1 failed; others may be missing.',
  );
  expect(resultOf([])).toBe('Result: NOTEST, no test results could be read.');
});
