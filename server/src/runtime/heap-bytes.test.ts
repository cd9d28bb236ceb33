import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { jsonHeapBytes } from '../http/json-heap.ts';
import { heapBytes } from './heap-bytes.ts';

const repeat = (text: string, count: number) => `[${`${text},`.repeat(count)}0]`;
const numbered = (count: number, one: (index: string) => string) =>
  Array.from({ length: count }, (_, index) => one(index.toString(36))).join(',');

const SHAPES: readonly (readonly [string, string])[] = [
  ['a long text', `"${'x'.repeat(3_000_000)}"`],
  ['a long text beyond Latin', `"€${'x'.repeat(3_000_000)}"`],
  ['empty lists', repeat('[]', 500_000)],
  ['empty objects', repeat('{}', 500_000)],
  ['small objects', repeat('{"run":"x"}', 200_000)],
  ['objects with keys of their own', `[${numbered(100_000, (index) => `{"k${index}":1}`)}]`],
  ['one object with many keys', `{${numbered(200_000, (index) => `"k${index}":"v${index}"`)}}`],
  ['short texts', `[${numbered(300_000, (index) => `"${index}"`)}]`],
  ['numbers', repeat('1', 500_000)],
];

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');

const used = () => {
  collect();
  return getHeapStatistics().used_heap_size;
};

const isWide = (text: string) => text.includes('€');

test.each(SHAPES)('the estimate for %s is hardly below its real size', (_name, shape) => {
  // A buffer of its own, because parts of this file's text may be shared.
  const content = Buffer.from(shape);
  const text = content.toString();
  const before = used();
  const value = JSON.parse(text);
  const taken = used() - before;
  expect(heapBytes(value)).toBeGreaterThan(0.8 * taken);
  // Texts beyond Latin take two bytes for a character, which is unknown before they are parsed.
  expect(jsonHeapBytes(content)).toBeGreaterThan((isWide(text) ? 0.45 : 0.75) * taken);
});

test('shared objects count once', () => {
  const shared = { list: Array.from({ length: 1_000 }, (_, index) => `text ${index}`) };
  const once = heapBytes({ one: shared });
  expect(heapBytes({ one: shared, other: shared }) - once).toBeLessThan(100);
});

test('maps and sets count with their content', () => {
  const text = 'x'.repeat(5_000);
  expect(heapBytes(new Map([['key', { text }]]))).toBeGreaterThan(5_000);
  expect(heapBytes(new Set([text]))).toBeGreaterThan(5_000);
});

test('counting stops once there is more than the bound', () => {
  const list = Array.from({ length: 1_000 }, () => ({ text: 'x' }));
  const all = heapBytes(list);
  const some = heapBytes(list, 20_000);
  expect(some).toBeGreaterThan(20_000);
  expect(some).toBeLessThan(all);
});
