import { expect, test } from 'vitest';
import type { Holder } from '../runtime/shares.ts';
import { BodyMemory } from './body-memory.ts';

const holder = (subject: string, namespace = subject): Holder => ({
  subject,
  namespaces: new Set([namespace]),
});
const ALICE = holder('alice');
const BOB = holder('bob');
/** One read of a connection. */
const PIECE = 64 * 1024;

const memory = (total: number, subjectShare = 1, namespaceShare = 1) =>
  new BodyMemory({ total, things: 'bytes of tests', subjectShare, namespaceShare });

// Bound: Received bytes of their bodies in memory.
test('the memory of bodies is bounded, and a single one may have any size', () => {
  const all = memory(100);
  const large = all.open(ALICE, false);
  expect(large.take(150)).toBe(true);
  const other = all.open(BOB, false);
  expect(() => other.take(1)).toThrow(
    'The server has 100 bytes of tests, which is the limit. Try again later.',
  );
  large.end();
  large.end();
  expect(other.take(1)).toBe(true);
  expect(all.bytes).toBe(1);
});

test('bytes that went to a file are not held', () => {
  const all = memory(100);
  const [first, second] = [all.open(ALICE, false), all.open(BOB, false)];
  first.take(90);
  first.give(80);
  expect(second.take(90)).toBe(true);
});

// Bound: The part of one namespace in them.
test('each subject and each namespace has a share', () => {
  const all = memory(100, 0.25, 0.5);
  all.open(holder('first'), false).take(1);
  const [one, two] = [all.open(ALICE, false), all.open(ALICE, false)];
  one.take(20);
  expect(() => two.take(20)).toThrow('User "alice" may have 25 of the 100 bytes of tests');
  expect(all.open(BOB, false).take(20)).toBe(true);
  all.open(holder('carol', 'alice'), false).take(25);
  const last = all.open(holder('dave', 'alice'), false);
  all.open(holder('dave', 'alice'), false).take(1);
  expect(() => all.open(holder('dave', 'alice'), false).take(20)).toThrow(
    'Namespace "alice" may have 50 of the 100 bytes of tests',
  );
  last.end();
});

// Bound: Other bodies in memory, from the second 64 KiB to the answer.
test('a body that may wait is read again when there is room, and the oldest always goes on', () => {
  const all = memory(100);
  const resumed: string[] = [];
  const [oldest, next] = [all.open(ALICE, true), all.open(BOB, true)];
  oldest.take(90);
  // The piece is in memory already, so it counts.
  expect(next.take(20)).toBe(false);
  next.whenRoom(() => resumed.push('next'));
  expect(oldest.take(500)).toBe(true);
  expect(resumed).toEqual([]);
  oldest.end();
  expect(resumed).toEqual(['next']);
  expect(next.take(500)).toBe(true);
});

test('many subjects of one namespace leave room to another namespace', () => {
  const all = memory(100 * PIECE, 0.25, 0.5);
  const ofNamespace = Array.from({ length: 8 }, (_, n) =>
    all.open(holder(`subject ${n}`, 'theirs'), true),
  );
  const taken = ofNamespace.map((body) => body.take(12 * PIECE));
  expect(taken.filter((mayGoOn) => mayGoOn)).toHaveLength(4);
  // One piece of each waiting body is already in memory.
  expect(all.bytes).toBe(96 * PIECE);
  const resumed: string[] = [];
  const ours = all.open(BOB, true);
  expect(ours.take(5 * PIECE)).toBe(false);
  ours.whenRoom(() => resumed.push('ours'));
  for (const [n, body] of ofNamespace.entries()) body.whenRoom(() => resumed.push(`theirs ${n}`));
  ofNamespace[0]?.end();
  expect(resumed).toContain('ours');
});
