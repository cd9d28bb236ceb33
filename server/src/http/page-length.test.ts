import { expect, test } from 'vitest';
import { pageLength } from './answer-memory.ts';

// Bound: Pages of data sources under way, and test cases of gates (4 MiB each); one page.
test('a page with more text than there is memory for is refused, and may be asked for in parts', () => {
  const count = pageLength({ lengthMax: 4 });
  count('ab');
  count('cd');
  expect(() => count('e')).toThrow('Ask for fewer items with per_page.');
});
