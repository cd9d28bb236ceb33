import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Cart } from '../src/cart.js';
import { oneFreeOf, percentOff } from '../src/discounts.js';

const filled = new Cart().add('tea', 400, 2).add('cup', 900);

describe('cart', () => {
  it('begins empty', () => {
    assert.equal(new Cart().isEmpty, true);
    assert.equal(new Cart().total(), 0);
  });

  it('sums up its lines', () => {
    assert.equal(filled.total(), 1700);
  });

  it('keeps the same article in one line', () => {
    assert.deepEqual(filled.add('tea', 400).lines[0], { article: 'tea', price: 400, quantity: 3 });
  });

  it('forgets what is removed, and stays as it was itself', () => {
    assert.equal(filled.remove('tea').total(), 900);
    assert.equal(filled.lines.length, 2);
  });

  it('takes the best discount only', () => {
    assert.equal(filled.total([percentOff(10), oneFreeOf(2, 'tea')]), 1300);
  });

  it('never costs less than nothing', () => {
    assert.equal(filled.total([() => 5000]), 0);
  });

  it('refuses quantities that are no numbers of pieces', () => {
    for (const quantity of [0, -1, 1.5]) {
      assert.throws(() => filled.add('tea', 400, quantity), RangeError);
    }
  });
});
