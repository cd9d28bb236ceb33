import { expect, test } from 'vitest';
import { leftOut } from './chart-parts.ts';

test.each([
  [0, undefined],
  [1, '<p class="note">1 more is left out.</p>'],
  [2, '<p class="note">2 more are left out.</p>'],
])('a chart or a table says that %d are left out', (left, note) => {
  expect(leftOut(left)?.markup).toBe(note);
});
