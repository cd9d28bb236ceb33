import type { SubscriptionId } from '@tutti/manifests';
import { expect, test } from 'vitest';
import { Backlogs } from './backlogs.ts';

const inbox = (id: string, ...namespaces: readonly string[]) => ({
  id: id as SubscriptionId,
  scope: namespaces.length === 0 ? ('*' as const) : new Set(namespaces),
});

const KB = 1_000;
/** An entry takes less than two hundred bytes beside its body. */
const backlogs = () =>
  new Backlogs({ undeliveredBytes: 10.4 * KB, undeliveredNamespaceBytes: 15.8 * KB });

const entry = (kilobytes: number) => ({ entries: 1, bytes: kilobytes * KB });

test('an inbox has room for so many bytes, and for one publication of any size', () => {
  const waiting = backlogs();
  const one = inbox('one');
  expect(waiting.fullFor(one, 99 * KB)).toBeNull();
  waiting.added(one, entry(8));
  expect([waiting.fullFor(one, 2 * KB), waiting.fullFor(one, 3 * KB)]).toEqual([
    null,
    'inbox full',
  ]);
  waiting.removed(one.id, entry(8));
  expect([waiting.bytesOf(one.id), waiting.fullFor(one, 99 * KB)]).toEqual([0, null]);
});

test('inboxes share the room of each namespace that they reach', () => {
  const waiting = backlogs();
  const [a, ab, b] = [inbox('a', 'a'), inbox('ab', 'a', 'b'), inbox('b', 'b')];
  for (const each of [a, ab]) waiting.added(each, entry(7));
  waiting.added(b, entry(1));
  expect([a, ab, b].map((each) => waiting.fullFor(each, 2 * KB))).toEqual([
    'namespace full',
    'namespace full',
    null,
  ]);
  waiting.removed(ab.id, entry(7));
  expect(waiting.fullFor(a, 2 * KB)).toBeNull();
});

test('inboxes that reach all namespaces have a room of their own', () => {
  const waiting = backlogs();
  for (const id of ['x', 'y']) waiting.added(inbox(id), entry(7));
  expect(waiting.fullFor(inbox('x'), 2 * KB)).toBe('namespace full');
  waiting.added(inbox('a', 'a'), entry(7));
  expect(waiting.fullFor(inbox('a', 'a'), 2 * KB)).toBeNull();
});

test('an entry removed from the backlog of an unknown inbox changes nothing', () => {
  const waiting = backlogs();
  waiting.removed(inbox('gone').id, entry(5));
  expect(waiting.bytesOf(inbox('gone').id)).toBe(0);
});

test('an entry takes room beside its body', () => {
  const waiting = backlogs();
  const one = inbox('one');
  let count = 0;
  for (; count < 60 && waiting.fullFor(one, 10) === null; count += 1)
    waiting.added(one, { entries: 1, bytes: 10 });
  expect(count).toBeLessThan(60);
});
