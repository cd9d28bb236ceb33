import { expect, test } from 'vitest';
import { areSlow, decideStart } from './start-decision.ts';

const BOUNDS = { runs: 10_000, runsWhenBusy: 100, waitWhenBusySeconds: 5 };

const IDLE = { isBusy: false, isForAgents: false };
const BUSY = { isBusy: true, isForAgents: false };
const FOR_AGENTS = { isBusy: true, isForAgents: true };

test.each([
  ['that has nothing to do', IDLE, 0, 0, 'accept'],
  ['that has time', IDLE, 9_999, 0, 'accept'],
  ['that has all it may have', IDLE, 10_000, 5_000, 'full'],
  ['that is busy accepting what waits for agents', FOR_AGENTS, 9_999, 0, 'accept'],
  ['with all it may have, which wait for agents', FOR_AGENTS, 10_000, 0, 'full'],
  ['that is busy and has few', BUSY, 99, 0, 'accept'],
  ['that is busy and ended none', BUSY, 100, 0, 'busy'],
  ['that is busy and ends fewer in time than it always takes', BUSY, 100, 19, 'busy'],
  ['that is busy and ends all of them in time', BUSY, 2_499, 500, 'accept'],
  ['that is busy and would end one more too late', BUSY, 2_500, 500, 'busy'],
  ['that is busy and ends one more than it always takes in time', BUSY, 101, 20.4, 'accept'],
  ['that is busy, quick, and has all it may have', BUSY, 10_000, 5_000, 'full'],
  // Bound: Unfinished runs that a busy server takes in any case.
])('a server %s: %o, %i runs, %d ended in a second: %s', (...row) => {
  const [, kind, runs, endedPerSecond, expected] = row;
  expect(decideStart({ ...kind, runs, endedPerSecond }, BOUNDS)).toBe(expected);
});

test.each([
  ['that end nothing', { results: 0, resultSeconds: 0, turns: 100 }, true],
  ['whose commands take minutes', { results: 0.5, resultSeconds: 60, turns: 100 }, true],
  ['whose commands take a second', { results: 10, resultSeconds: 10, turns: 20 }, true],
  ['whose commands take less', { results: 10, resultSeconds: 9, turns: 1_000 }, false],
  ['that a slow server serves late', { results: 400, resultSeconds: 800, turns: 9 }, false],
])('agents %s: %o are slow: %s', (_, work, expected) => {
  expect(areSlow(work)).toBe(expected);
});
