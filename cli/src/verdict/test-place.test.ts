/** Finds the place in the sources that a failed test names. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { testPlace } from './test-place.ts';

const directory = mkdtempSync(join(tmpdir(), 'tutti-place-'));
afterAll(() => rmSync(directory, { recursive: true }));
mkdirSync(join(directory, 'tests/unit'), { recursive: true });
mkdirSync(join(directory, 'node_modules/x'), { recursive: true });
for (const file of ['tests/cart.py', 'tests/unit/cart.test.js', 'cart.js', 'node_modules/x/i.js']) {
  writeFileSync(join(directory, file), '');
}

test.each([
  ['tests/cart.py:12: AssertionError', 'tests/cart.py', 12],
  ['  File "./tests/cart.py", line 7, in test_sells', 'tests/cart.py', 7],
  ['at f (/srv/agent/7/tests/unit/cart.test.js:3:15)', 'tests/unit/cart.test.js', 3],
  ['at C:\\agent\\7\\tests\\cart.py:9', 'tests/cart.py', 9],
  ['lib/gone.py:1: in f\ntests/cart.py:2: in g', 'tests/cart.py', 2],
  ['cart.js:5', 'cart.js', 5],
])('%j is at %s, line %d', (details, file, line) => {
  expect(testPlace(details, directory)).toEqual({ file, line });
});

test.each([
  [''],
  ['expected 3, not 2 at 12:30'],
  ['at f (/usr/lib/cart.js:5:1)'],
  ['node_modules/x/i.js:1'],
  ['../tests/cart.py:1'],
  ['tests/unit:1'],
  ['tests/gone.py:1'],
  [`${'x.y:1 '.repeat(30)}tests/cart.py:2`],
  [`${' '.repeat(30_000)}tests/cart.py:2`],
])('%j is nowhere in the build', (details) => {
  expect(testPlace(details, directory)).toBeNull();
});
