/** The bytes of the built page, as a browser loads them. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { ensurePage } from '../../scripts/build.mjs';
import { ROOT } from './source-files.ts';

const KIB = 1024;
const PAGE = join(ROOT, 'server/dist/ui');
const sizeOf = (name: string): number => {
  const file = join(PAGE, 'assets', name);
  return statSync(`${file}.gz`, { throwIfNoEntry: false })?.size ?? statSync(file).size;
};

let names: readonly string[];
let first: readonly string[];

beforeAll(async () => {
  await ensurePage(ROOT, process.execPath);
  names = readdirSync(join(PAGE, 'assets')).filter((name) => !/\.(?:br|gz)$/.test(name));
  const index = readFileSync(join(PAGE, 'index.html'), 'utf8');
  first = [...index.matchAll(/assets\/([^"]+)"/g)].map(([, name = '']) => name);
}, 60_000);

const sum = (of: readonly string[]): number => of.reduce((all, name) => all + sizeOf(name), 0);

// Bounds are what the page has, and some room. Its design allows 200, 20, 60 and 480 KiB.

test('the first page has at most 130 KiB of scripts and 4 KiB of styles', () => {
  expect(sum(first.filter((name) => name.endsWith('.js')))).toBeLessThan(130 * KIB);
  expect(sum(first.filter((name) => name.endsWith('.css')))).toBeLessThan(4 * KIB);
});

test('a browser makes at most 4 requests before it can show something', () => {
  expect(first.length + 1).toBeLessThanOrEqual(4);
});

const isWorker = (name: string): boolean => name.startsWith('check-worker-');

test('no further file has more than 16 KiB; the check of workflows runs beside its page', () => {
  const further = names.filter((name) => !first.includes(name));
  expect(further.filter((name) => !isWorker(name) && sizeOf(name) > 16 * KIB)).toEqual([]);
  expect(sum(further.filter(isWorker))).toBeLessThan(127 * KIB);
});

test('the whole page has at most 420 KiB', () => {
  expect(sum(names)).toBeLessThan(420 * KIB);
});
