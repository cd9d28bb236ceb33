import type { WorkflowId } from '@tutti/manifests';
import { expect, test } from 'vitest';
import { PagePlaces } from './page-places.ts';

const question = { workflowId: 'w' as WorkflowId, scope: 'true', fieldSelector: null };

test('a place is found again for its question alone', () => {
  const places = new PagePlaces();
  places.of(question)?.remember(100, 4_711);
  expect(places.of(question)?.find(100)).toBe(4_711);
  expect(places.of(question)?.find(200)).toBeNull();
  expect(places.of({ ...question, scope: 'false' })?.find(100)).toBeNull();
  expect(places.of({ ...question, fieldSelector: 'true' })?.find(100)).toBeNull();
  expect(places.of({ ...question, workflowId: 'v' as WorkflowId })?.find(100)).toBeNull();
});

// Bound: Cached places of pages.
test('of many places those that were used last are kept', () => {
  const places = new PagePlaces().of(question);
  for (let page = 0; page < 1_000; page += 1) places?.remember(page, page);
  expect(places?.find(0)).toBe(0);
  places?.remember(1_000, 1_000);
  expect([places?.find(0), places?.find(1), places?.find(1_000)]).toEqual([0, null, 1_000]);
});

test('a question with a long text is not remembered', () => {
  expect(new PagePlaces().of({ ...question, scope: ' '.repeat(1_024) })).toBeNull();
});
