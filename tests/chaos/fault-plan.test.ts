import { expect, test } from 'vitest';
import { type ActionKind, planFaults, planText } from './program/fault-plan.ts';
import { specOf } from './program/run-spec.ts';

const MINUTE_MS = 60_000;

test('a plan is a function of its seed', () => {
  expect(planFaults(7, MINUTE_MS)).toEqual(planFaults(7, MINUTE_MS));
  expect(planFaults(8, MINUTE_MS)).not.toEqual(planFaults(7, MINUTE_MS));
});

test('a longer plan begins like a shorter one', () => {
  const short = planFaults(7, MINUTE_MS);
  expect(planFaults(7, 2 * MINUTE_MS).slice(0, short.length)).toEqual(short);
});

test('ten minutes have faults of every kind, in the order of their times', () => {
  const faults = planFaults(7, 10 * MINUTE_MS);
  const times = faults.map(({ atMs }) => atMs);
  expect(times).toEqual([...times].sort((left, right) => left - right));
  expect([...new Set(faults.map(({ action }) => action.kind))].sort()).toEqual([
    'cancel',
    'clock-jump',
    'cut',
    'cut-answers',
    'double-posts',
    'failing-disk',
    'full-disk',
    'inbox',
    'kill-agent',
    'kill-all',
    'kill-server',
    'kill-starting-agent',
    'kill-starting-server',
    'late-posts',
    'pause-agent',
    'pause-server',
    'refuse',
    'slow-disk',
    'stall',
    'stop-agent',
    'stop-server',
  ] satisfies ActionKind[]);
});

test('several replicas have all of these, and faults of what they share', () => {
  const kinds = (replicas: number) => [
    ...new Set(planFaults(7, 10 * MINUTE_MS, replicas).map(({ action }) => action.kind)),
  ];
  const [alone, several] = [kinds(1), kinds(3)];
  expect(several.filter((kind) => !alone.includes(kind)).sort()).toEqual([
    'bucket',
    'cut-between',
    'cut-database',
    'fail-over',
    'kill-leaving',
    'kill-two',
    'part-replica',
    'rolling-restart',
  ] satisfies ActionKind[]);
  expect(alone.filter((kind) => !several.includes(kind))).toEqual([]);
});

test('a plan is printed with a line for each fault', () => {
  expect(
    planText([
      { atMs: 800, action: { kind: 'cut', slot: null } },
      { atMs: 12_345, action: { kind: 'kill-agent', slot: 2, backMs: 40 } },
    ]),
  ).toBe('    800 ms cut slot=null\n  12345 ms kill-agent slot=2 backMs=40');
});

test('what a run has to do is a function of the seed and its number', () => {
  expect(specOf(7, 3)).toEqual(specOf(7, 3));
  expect(specOf(7, 4)).not.toEqual(specOf(7, 3));
});
