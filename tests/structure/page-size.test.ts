/** The bytes of the built page, as a browser loads them. */
import { beforeAll, expect, test } from 'vitest';
import { ensurePage } from '../../scripts/build.mjs';
import { bytesOf, type PageFiles, readPageFiles } from '../support/page-files.ts';
import { ROOT } from './source-files.ts';

const KIB = 1024;

let files: PageFiles;

beforeAll(async () => {
  await ensurePage(ROOT, process.execPath);
  files = readPageFiles();
}, 60_000);

const firstOf = (kind: string) => files.first.filter((name) => name.endsWith(kind));

// Bounds are what the page has, and some room. Its design allows 200, 20, 60 and 480 KiB.

test('the first page has at most 130 KiB of scripts and 4 KiB of styles', () => {
  expect(bytesOf(firstOf('.js'))).toBeLessThan(130 * KIB);
  expect(bytesOf(firstOf('.css'))).toBeLessThan(4 * KIB);
});

test('a browser makes at most 4 requests before it can show something', () => {
  expect(files.first.length + 1).toBeLessThanOrEqual(4);
});

test('no further file has more than 16 KiB; the check of workflows runs beside its page', () => {
  expect(files.further.filter((name) => bytesOf([name]) > 16 * KIB)).toEqual([]);
  expect(files.checks).toHaveLength(1);
  expect(bytesOf(files.checks)).toBeLessThan(127 * KIB);
});

test('the whole page has at most 430 KiB', () => {
  const { first, further, checks } = files;
  expect(bytesOf([...first, ...further, ...checks])).toBeLessThan(430 * KIB);
});
