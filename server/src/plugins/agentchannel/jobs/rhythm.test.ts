import { describe, expect, test } from 'vitest';
import {
  createRhythm,
  deliveryUnconfirmed,
  learnPause,
  noteHandout,
  noteResult,
  noteWork,
  type Rhythm,
  readPoll,
  silentWhileRunning,
} from './rhythm.ts';

/** An agent that slept so often for so long before it got its command, at the time 0. */
function rhythmOf(idlePauses: readonly number[], isOld = false): Rhythm {
  const rhythm = createRhythm(isOld, 0);
  for (const pause of idlePauses) {
    rhythm.lastIdleAnswerMs = 0;
    learnPause(rhythm, pause);
  }
  noteHandout(rhythm, 0);
  return rhythm;
}

/** The meanings of the agent's polls after a command. The server answers each of them with 204. */
function meanings(rhythm: Rhythm, pauses: readonly number[]): readonly string[] {
  let nowMs = 0;
  return [0, ...pauses].map((pause) => {
    nowMs += pause;
    const meaning = readPoll(rhythm, nowMs);
    rhythm.lastIdleAnswerMs = nowMs;
    return meaning;
  });
}

const times = (count: number, pause: number): readonly number[] => Array(count).fill(pause);

describe('when an agent has lost its command', () => {
  test.each<[string, readonly number[], readonly number[], string]>([
    ['sleeps as it did before', times(3, 5_000), times(6, 5_000), 'idle'],
    ['sleeps as it did before, for a short time each', times(3, 2_000), times(15, 2_000), 'idle'],
    ['sleeps as it did before, too few times', times(3, 2_000), times(14, 2_000), 'unknown'],
    ['sleeps for long, too few times', times(3, 20_000), times(5, 20_000), 'unknown'],
    ['sleeps for long', times(3, 20_000), times(6, 20_000), 'idle'],
    ['sleeps for less than before', times(3, 5_000), times(60, 4_000), 'works'],
    ['asked once sooner than it ever would', times(3, 5_000), [...times(9, 5_000), 1_000], 'works'],
    ['was never seen without a command', [], times(10, 3_000), 'idle'],
    ['was hardly seen without a command', [2_000, 2_000], times(60, 2_000), 'works'],
    ['sleeps like one that works', times(8, 1_000), times(60, 1_000), 'works'],
    ['was once seen to ask again at once', [0, ...times(8, 2_000)], times(15, 2_000), 'idle'],
  ])('one that %s', (_, before, pauses, expected) => {
    expect(meanings(rhythmOf(before), pauses).at(-1)).toBe(expected);
  });

  test('a synchronous one, however short it sleeps', () => {
    const rhythm = rhythmOf([]);
    noteResult(rhythm, true);
    expect(meanings(rhythm, times(30, 1_000)).at(-1)).toBe('idle');
    expect(meanings(rhythmOf([], true), times(30, 1_000)).at(-1)).toBe('idle');
    expect(deliveryUnconfirmed(rhythm)).toBe(false);
  });
});

test('an agent that tells its variables is synchronous, unless it has posted output before its result', () => {
  const rhythm = rhythmOf([]);
  noteResult(rhythm, false);
  expect(rhythm.mode).toBeNull();
  noteWork(rhythm);
  noteResult(rhythm, true);
  expect(rhythm.mode).toBe('asynchronous');
});

test('a poll proves that the command is there only if no agent without one would ask so soon', () => {
  const idlePause = rhythmOf(times(3, 5_000));
  const unmarked = rhythmOf(times(3, 1_000));
  meanings(idlePause, [1_000]);
  meanings(unmarked, [1_000]);
  expect([deliveryUnconfirmed(idlePause), deliveryUnconfirmed(unmarked)]).toEqual([false, true]);
});

test('an agent is mute until it asks for work, and for good if it is synchronous', () => {
  const unknown = rhythmOf([]);
  const synchronous = rhythmOf([], true);
  expect([silentWhileRunning(unknown), silentWhileRunning(synchronous)]).toEqual([true, true]);
  meanings(unknown, []);
  meanings(synchronous, []);
  expect([silentWhileRunning(unknown), silentWhileRunning(synchronous)]).toEqual([false, true]);
});
