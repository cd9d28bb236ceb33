const assert = require('node:assert');

it('adds', () => assert.equal(1 + 1, 2));

describe('cart', () => {
  for (const expected of [3, 2]) it('takes', () => assert.equal(1 + 1, expected));
});
