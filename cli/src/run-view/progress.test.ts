import { emptyRunView, reduceRunView } from '@tutti/run-view';
import { createRunLog, type RunLog, START_MS } from '@tutti/run-view/testing';
import { expect, test } from 'vitest';
import { progressLine } from './progress.ts';

const steps = [{ id: 's1', name: 'Run the tests', run: 'make' }];

function started(log: RunLog, ...jobs: string[]): void {
  for (const job of jobs) {
    log.request(job);
    log.offer(job);
    log.step(job, 's1', 'make');
  }
}

const reason = { reason: 'max-parallel', limit: 1, running: 1 } as const;

test.each<[name: string, columns: number, report: (log: RunLog) => void, line: string]>([
  ['nothing yet', 80, () => {}, '0 of 3 jobs done · 3 waiting · 12 s'],
  [
    'two that run',
    100,
    (log) => started(log, 'a', 'b'),
    '0 of 3 jobs done · 2 running · 1 waiting · 12 s · a ▸ Run the tests, b ▸ Run the tests',
  ],
  [
    'a job that waits',
    100,
    (log) => log.wait('b', reason, 'Job "b" waits: max-parallel 1 reached.'),
    '0 of 3 jobs done · 3 waiting · 12 s · Job "b" waits: max-parallel 1 reached.',
  ],
  [
    'a run that waits',
    100,
    (log) => log.wait(null, reason, 'Workflow waits: group "g" is held.'),
    '0 of 3 jobs done · 3 waiting · 12 s · Workflow waits: group "g" is held.',
  ],
  [
    'test results',
    100,
    (log) => {
      started(log, 'a');
      log.tests('a', 'SUCCESS', 'FAILURE');
      log.done('a', 's1', 1);
      log.release('a', 'failure');
    },
    '1 of 3 jobs done · 2 waiting · 12 s · 2 tests, 1 failed',
  ],
  ['a narrow terminal', 24, () => {}, '0 of 3 jobs done · 3 w…'],
  ['a terminal without a width', 0, () => {}, ''],
  ['one cell', 2, () => {}, '…'],
])('the line of progress shows %s', (_name, columns, report, line) => {
  const log = createRunLog({ a: { steps }, b: { steps }, c: { steps } });
  report(log);
  const view = log.events.reduce(reduceRunView, emptyRunView);
  expect(progressLine(view, START_MS + 12_345, columns)).toBe(line);
});

test('for jobs and steps that are too deep, the line of progress names those around them', () => {
  const log = createRunLog({ tests: {}, lint: { steps } });
  log.expand('tests', { unit: { steps }, browsers: { steps } });
  started(log, 'tests/unit', 'tests/browsers');
  log.request('lint');
  log.offer('lint');
  log.provide('lint', 's1', 'check/all@v1', 'Check all');
  log.step('lint', 'x', 'check one', { origin: ['s1'] });
  const view = log.events.reduce(reduceRunView, emptyRunView);
  const line = (depths: object) =>
    progressLine(view, START_MS + 12_345, 200, depths)
      .split(' · ')
      .at(-1);
  expect(line({})).toBe(
    'tests/unit ▸ Run the tests, tests/browsers ▸ Run the tests, lint ▸ check one',
  );
  expect(line({ jobDepth: 1 })).toBe('tests: 0 of 2 jobs done, lint ▸ check one');
  expect(line({ jobDepth: 2, stepDepth: 1 })).toBe(
    'tests/unit ▸ Run the tests, tests/browsers ▸ Run the tests, lint ▸ Check all',
  );
});
