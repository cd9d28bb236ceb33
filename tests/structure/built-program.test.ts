/** Which program `tutti` runs: what was built of its sources, or these. */
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { builtProgram, recordIn, stampOf } from '../../cli/bin/program.js';

let dist: string;
const record = (text: string) => writeFileSync(recordIn(dist), text);

beforeEach(() => {
  const folder = mkdtempSync(join(tmpdir(), 'tutti-built-'));
  dist = join(folder, 'dist');
  mkdirSync(join(dist, 'one'), { recursive: true });
  for (const name of ['a.ts', 'b.ts']) writeFileSync(join(folder, name), name);
  const sources = [stampOf(dist, '../a.ts'), stampOf(dist, '../b.ts')];
  record(JSON.stringify({ folder: 'one', sources }));
});

afterEach(() => rmSync(join(dist, '..'), { recursive: true, force: true }));

test('what was built is run while the sources are the same', () => {
  expect(builtProgram(dist)).toBe(join(dist, 'one'));
});

test.each([
  ['a source has become longer', () => appendFileSync(join(dist, '../b.ts'), ' ')],
  ['a source was written again', () => utimesSync(join(dist, '../b.ts'), 1, 1)],
  ['a source is gone', () => rmSync(join(dist, '../a.ts'))],
  ['what was built is gone', () => rmSync(join(dist, 'one'), { recursive: true })],
  ['nothing was built', () => rmSync(recordIn(dist))],
  ['the record was cut', () => record('{"folder": "on')],
])('the sources are run where %s', (_, change) => {
  change();
  expect(builtProgram(dist)).toBeNull();
});
