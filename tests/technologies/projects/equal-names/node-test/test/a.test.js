const assert = require('node:assert');
const { describe, test } = require('node:test');

test('adds', () => assert.equal(1 + 1, 3));

describe('cart', () => {
  for (const expected of [3, 2]) test('takes', () => assert.equal(1 + 1, expected));
});
