import type { WorkflowId } from '@tutti/manifests';
import { expect, test } from 'vitest';
import { RECENT_REDACTORS_LIMITS, RecentRedactors } from './recent-redactors.ts';

const run = (number: number) => `run ${number}` as WorkflowId;
const masksOf = (...masks: readonly string[]) => JSON.stringify(masks);

test('the redactor of a run is made once, and again when the run has other masks', () => {
  const redactors = new RecentRedactors();
  const first = redactors.of(run(1), masksOf('secret'));
  expect(redactors.of(run(1), masksOf('secret'))).toBe(first);
  expect(redactors.of(run(1), masksOf('secret', 'more'))).not.toBe(first);
});

test('the runs that were looked at last are known', () => {
  const redactors = new RecentRedactors();
  const many = Array.from({ length: RECENT_REDACTORS_LIMITS.runs }, (_, index) => run(index));
  const [first, second] = many.map((id) => redactors.of(id, masksOf('secret')));
  expect(redactors.of(run(0), masksOf('secret'))).toBe(first);
  redactors.of(run(99), masksOf('secret'));
  expect(redactors.of(run(0), masksOf('secret'))).toBe(first);
  expect(redactors.of(run(1), masksOf('secret'))).not.toBe(second);
});

// Bound: Cached masks of runs.
test('runs with many masks are forgotten sooner, as each takes its memory', () => {
  const redactors = new RecentRedactors();
  const long = masksOf('x'.repeat(RECENT_REDACTORS_LIMITS.masksLength / 2 - 10));
  const first = redactors.of(run(1), long);
  const second = redactors.of(run(2), long);
  expect(redactors.of(run(1), long)).toBe(first);
  redactors.of(run(3), long);
  expect(redactors.of(run(1), long)).toBe(first);
  expect(redactors.of(run(2), long)).not.toBe(second);
});
