/** Test cases of a run are counted while it goes on. */

import { expect, test } from 'vitest';
import { linesOf } from './lines.ts';
import { emptyRunView, reduceRunView } from './run-view.ts';
import { NO_TESTS } from './test-tally.ts';
import { createRunLog, type RunLog } from './testing.ts';

const CALL = 'jest/jest@v1';

/** The final counts, and the lines about results. */
function shownBy(send: (log: RunLog) => void) {
  const log = createRunLog({ test: { 'runs-on': 'linux', steps: [] } });
  log.request('test');
  log.offer('test');
  send(log);
  let view = emptyRunView;
  const lines: string[] = [];
  for (const event of log.events) {
    const before = view;
    view = reduceRunView(before, event);
    lines.push(...linesOf(before, event, view).map(({ text }) => text));
  }
  const { passed, failed, skipped } = view.tests.tally.counts;
  return {
    counts: [passed, failed, skipped],
    lines: lines.filter((line) => /test case/.test(line)),
  };
}

test('a test case that a report shows twice counts once, by the worse result', () => {
  const { counts, lines } = shownBy((log) => {
    log.step('test', 's', 'make');
    log.attach('test', 's', 'a');
    log.report('test', 'a', ['adds', 'FAILURE'], ['adds', 'SUCCESS'], ['takes', 'SKIPPED']);
    log.report('test', 'a', ['adds', 'SUCCESS'], ['takes', 'SUCCESS'], ['gives', 'SUCCESS']);
  });
  expect(counts).toEqual([2, 1, 0]);
  expect(lines).toEqual(['2 test cases: 1 failed, 1 skipped', '3 test cases: 2 passed, 1 failed']);
});

test('a later report counts more, also if an earlier one is read to its end behind it', () => {
  const { counts } = shownBy((log) => {
    log.step('test', 's', 'make');
    log.attach('test', 's', 'a');
    log.step('test', 't', 'make again');
    log.attach('test', 't', 'b');
    log.report('test', 'a', ['adds', 'FAILURE']);
    log.report('test', 'b', ['adds', 'SUCCESS'], ['takes', 'FAILURE']);
    log.report('test', 'a', ['takes', 'SUCCESS']);
  });
  expect(counts).toEqual([1, 1, 0]);
});

test('a report in pieces is shown once, after it was read', () => {
  const { counts, lines } = shownBy((log) => {
    log.step('test', 's', 'make');
    log.attach('test', 's', 'a');
    log.attach('test', 's', 'b');
    log.reading('test', 'a', 'setup');
    log.report('test', 'a', ['adds', 'SUCCESS'], ['takes', 'FAILURE']);
    log.reading('test', 'b', 'setup');
    log.report('test', 'b', ['gives', 'SKIPPED']);
    // A server that was killed begins again.
    log.reading('test', 'a', 'setup');
    log.report('test', 'a', ['ships', 'SUCCESS']);
    log.reading('test', 'b', 'teardown');
    log.reading('test', 'a', 'teardown');
  });
  expect(counts).toEqual([2, 1, 1]);
  expect(lines).toEqual(['1 test case: 1 skipped', '3 test cases: 2 passed, 1 failed']);
});

test('a report that a step uploads is shown beside the one that it attaches', () => {
  const { counts, lines } = shownBy((log) => {
    log.step('test', 's', 'make');
    log.upload('test', 'a');
    log.attach('test', 's', 'b');
    for (const id of ['a', 'b']) {
      log.reading('test', id, 'setup');
      log.report('test', id, [`adds ${id}`, 'SUCCESS']);
      log.reading('test', id, 'teardown');
    }
  });
  expect(counts).toEqual([2, 0, 0]);
  expect(lines).toEqual(['1 test case: 1 passed', '1 test case: 1 passed']);
});

test('a report without test cases is not shown', () => {
  const { lines } = shownBy((log) => {
    log.reading('test', 'a', 'setup');
    log.reading('test', 'a', 'teardown');
  });
  expect(lines).toEqual([]);
});

test('a test case that a later step skips keeps its earlier result', () => {
  const { counts } = shownBy((log) => {
    log.step('test', 's', 'make');
    log.attach('test', 's', 'a');
    log.report('test', 'a', ['pays', 'FAILURE'], ['ships', 'FAILURE'], ['packs', 'SKIPPED']);
    log.step('test', 't', 'make ships');
    log.attach('test', 't', 'b');
    log.report('test', 'b', ['pays', 'SKIPPED'], ['ships', 'SUCCESS'], ['packs', 'SKIPPED']);
  });
  expect(counts).toEqual([1, 1, 1]);
});

test('attempts count for nothing', () => {
  const { counts, lines } = shownBy((log) => {
    log.report('test', 'a', ['adds', 'FAILURE', 'again']);
    log.report('test', 'a', ['adds', 'SUCCESS']);
  });
  expect(counts).toEqual([1, 0, 0]);
  expect(lines).toEqual(['1 test case: 1 passed']);
});

test('two calls of functions with one test have the same test cases, others have not', () => {
  const call = (log: RunLog, step: string, test: string) => {
    log.provide('test', step, CALL, undefined, { test });
    log.report('test', step, ['adds', 'FAILURE']);
  };
  const { counts } = shownBy((log) => {
    for (const [step, test] of [
      ['s', 'a.js'],
      ['t', 'b.js'],
      ['u', 'a.js'],
    ] as const)
      call(log, step, test);
  });
  expect(counts).toEqual([0, 2, 0]);
});

test('runs have nothing of each other', () => {
  const send = (log: RunLog) => log.report('test', 'a', ['adds', 'SUCCESS']);
  shownBy(send);
  expect(shownBy(send).counts).toEqual([1, 0, 0]);
  expect(emptyRunView.tests.tally.counts).toEqual(NO_TESTS);
});
