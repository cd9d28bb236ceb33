import type { SubscriptionId } from '@tutti/manifests';
import { expect, test } from 'vitest';
import { Backlogs } from './backlogs.ts';

const inbox = (id: string, ...namespaces: readonly string[]) => ({
  id: id as SubscriptionId,
  scope: namespaces.length === 0 ? ('*' as const) : new Set(namespaces),
});

const backlogs = () => new Backlogs({ undeliveredBytes: 10, undeliveredNamespaceBytes: 15 });

test('an inbox has room for so many bytes, and for one publication of any size', () => {
  const waiting = backlogs();
  const one = inbox('one');
  expect(waiting.fullFor(one, 99)).toBeNull();
  waiting.added(one, 8);
  expect([waiting.fullFor(one, 2), waiting.fullFor(one, 3)]).toEqual([null, 'inbox full']);
  waiting.removed(one.id, { entries: 1, bytes: 8 });
  expect([waiting.bytesOf(one.id), waiting.fullFor(one, 99)]).toEqual([0, null]);
});

test('inboxes share the room of each namespace that they reach', () => {
  const waiting = backlogs();
  const [a, ab, b] = [inbox('a', 'a'), inbox('ab', 'a', 'b'), inbox('b', 'b')];
  for (const each of [a, ab]) waiting.added(each, 7);
  waiting.added(b, 1);
  expect([a, ab, b].map((each) => waiting.fullFor(each, 2))).toEqual([
    'namespace full',
    'namespace full',
    null,
  ]);
  waiting.removed(ab.id, { entries: 1, bytes: 7 });
  expect(waiting.fullFor(a, 2)).toBeNull();
});

test('inboxes that reach all namespaces have a room of their own', () => {
  const waiting = backlogs();
  for (const id of ['x', 'y']) waiting.added(inbox(id), 7);
  expect(waiting.fullFor(inbox('x'), 2)).toBe('namespace full');
  waiting.added(inbox('a', 'a'), 7);
  expect(waiting.fullFor(inbox('a', 'a'), 2)).toBeNull();
});

test('what is removed of an inbox that nobody knows changes nothing', () => {
  const waiting = backlogs();
  waiting.removed(inbox('gone').id, { entries: 1, bytes: 5 });
  expect(waiting.bytesOf(inbox('gone').id)).toBe(0);
});
