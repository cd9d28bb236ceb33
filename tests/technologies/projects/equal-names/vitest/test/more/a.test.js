import assert from 'node:assert';
import { describe, test } from 'vitest';

test('adds', () => assert.equal(1 + 1, 2));

describe('cart', () => {
  for (const expected of [3, 2]) test('takes', () => assert.equal(1 + 1, expected));
});
