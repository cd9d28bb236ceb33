import { expect, test } from 'vitest';
import {
  type NumberedExecution,
  packExecutions,
  partOf,
  unpackExecutions,
} from './execution-parts.ts';

const execution = (variant: number, more: Partial<NumberedExecution> = {}): NumberedExecution => ({
  ...{ variant, attempt: 1, outcome: 0, place: 0, startedMs: 1_500, durationUs: 2_000 },
  ...more,
});

test('executions are what they were, in the order of variants and attempts', () => {
  const all = [
    execution(64, { outcome: 3 }),
    execution(70, { startedMs: -1, durationUs: 0 }),
    execution(70, { attempt: 70_000, place: 300 }),
    execution(95, { startedMs: 2 ** 50, durationUs: 2 ** 52, outcome: 7 }),
  ];
  const bytes = packExecutions(all.toReversed());
  expect(all.map(({ variant }) => partOf(variant))).toEqual([2, 2, 2, 2]);
  expect(unpackExecutions(2, bytes)).toEqual(all);
});

test('an execution takes few bytes', () => {
  const all = Array.from({ length: 32 }, (_, at) => execution(at));
  expect(packExecutions(all).length).toBeLessThanOrEqual(7 * 32);
});
