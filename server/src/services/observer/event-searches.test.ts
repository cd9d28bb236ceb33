import type { WorkflowId } from '@tutti/manifests';
import { expect, test } from 'vitest';
import { EVENT_SEARCHES_LIMITS, type EventQuestion, EventSearches } from './event-searches.ts';

const QUESTION: EventQuestion = {
  workflowId: 'w' as WorkflowId,
  fieldSelector: 'kind==Notification',
  labelSelector: '',
  masks: 0,
};
const FOUND = { seen: 9, seqs: [2, 5] };
const NOTHING = { seen: 0, seqs: [] };

test.each([
  ['another run', { workflowId: 'v' as WorkflowId }],
  ['another field selector', { fieldSelector: 'kind' }],
  ['another label selector', { labelSelector: 'a' }],
  ['more that is masked', { masks: 10 }],
])('found events do not count for %s', (_name, change) => {
  const searches = new EventSearches();
  searches.of(QUESTION).remember(FOUND);
  expect(searches.of(QUESTION).found).toMatchObject(FOUND);
  expect(searches.of({ ...QUESTION, ...change }).found).toEqual(NOTHING);
});

test('the longer one of two equal searches counts', () => {
  const searches = new EventSearches();
  const [one, other] = [searches.of(QUESTION), searches.of(QUESTION)];
  one.remember({ seen: 20, seqs: [2, 5, 12] });
  other.remember(FOUND);
  expect(searches.of(QUESTION).found).toMatchObject({ seen: 20, seqs: [2, 5, 12] });
});

test('events found before more masks came are forgotten', () => {
  const searches = new EventSearches();
  const masked = { ...QUESTION, masks: 10 };
  searches.of(QUESTION).remember({ seen: 20, seqs: [2, 5, 12] });
  searches.of(masked).remember(FOUND);
  expect(searches.of(masked).found).toMatchObject(FOUND);
  expect(searches.of(QUESTION).found).toEqual(NOTHING);
});

test('a question with long selectors is not remembered', () => {
  const searches = new EventSearches();
  const long = { ...QUESTION, labelSelector: 'a'.repeat(EVENT_SEARCHES_LIMITS.selectorsLength) };
  searches.of(long).remember(FOUND);
  expect(searches.of(long).found).toEqual(NOTHING);
});

const numbered = (number: number): EventQuestion => ({
  ...QUESTION,
  fieldSelector: `metadata.name==${number}`,
});

test('the latest of many questions are remembered', () => {
  const searches = new EventSearches();
  const { questions } = EVENT_SEARCHES_LIMITS;
  for (let number = 0; number < questions; number += 1) {
    searches.of(numbered(number)).remember(FOUND);
  }
  searches.of(numbered(0)).remember(FOUND);
  searches.of(numbered(questions)).remember(FOUND);
  expect(searches.of(numbered(0)).found).toMatchObject(FOUND);
  expect(searches.of(numbered(1)).found).toEqual(NOTHING);
});

test('more events than the limit push out earlier questions', () => {
  const searches = new EventSearches();
  const half = Array.from({ length: EVENT_SEARCHES_LIMITS.found / 2 }, (_, index) => index + 1);
  const found = { seen: half.length, seqs: half };
  for (const number of [0, 1, 2]) searches.of(numbered(number)).remember(found);
  const kept = [0, 1, 2].map((number) => searches.of(numbered(number)).found.seen > 0);
  expect(kept).toEqual([false, true, true]);
});

test('a run with more chosen events than may be remembered leaves nothing', () => {
  const searches = new EventSearches();
  const seqs = Array.from({ length: EVENT_SEARCHES_LIMITS.found + 1 }, (_, index) => index + 1);
  searches.of(QUESTION).remember({ seen: seqs.length, seqs });
  expect(searches.of(QUESTION).found).toEqual(NOTHING);
});
