import { expect, test } from 'vitest';
import { WaitingPublications } from './waiting-publications.ts';

function drained(waiting: WaitingPublications): unknown[] {
  const all: unknown[] = [];
  for (let news = waiting.next(); news !== null; news = waiting.next()) {
    all.push(news.type === 'missed' ? news.count : news.json);
  }
  return all;
}

test('publications come in their order', () => {
  const waiting = new WaitingPublications();
  for (const json of ['1', '2', '3']) waiting.add(json);
  expect(drained(waiting)).toEqual(['1', '2', '3']);
  expect(drained(waiting)).toEqual([]);
});

test('a slow reader misses publications beyond the limit, and learns where and how many', () => {
  const waiting = new WaitingPublications(4);
  for (const json of ['aa', 'bb', 'cc', 'd']) waiting.add(json);
  expect(waiting.next()).toEqual({ type: 'publication', json: 'aa' });
  waiting.add('e');
  expect(drained(waiting)).toEqual(['bb', 3]);
  waiting.add('f');
  expect(drained(waiting)).toEqual(['f']);
});

test('one that is larger than all that may wait comes where nothing else waits', () => {
  const waiting = new WaitingPublications(4);
  waiting.add('larger');
  waiting.add('x');
  expect(drained(waiting)).toEqual(['larger', 1]);
});

// Bound: Data that waits for all of these readers.
test('all readers together have a bound, which includes bytes under way', () => {
  const total = { bytesMax: 40, bytes: 0 };
  const [one, two] = [new WaitingPublications(100, total), new WaitingPublications(100, total)];
  one.add('1'.repeat(15));
  two.add('2'.repeat(5));
  two.add('left');
  expect(total.bytes).toBe(40);
  one.next();
  two.add('left out, too');
  expect(total.bytes).toBe(40);
  one.close();
  expect(total.bytes).toBe(10);
  expect([two.next(), two.next()]).toEqual([
    { type: 'publication', json: '22222' },
    { type: 'missed', count: 2 },
  ]);
  two.add('once more');
  two.close();
  expect(total.bytes).toBe(0);
});
