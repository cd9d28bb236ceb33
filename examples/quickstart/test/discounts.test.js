import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { oneFreeOf, percentOff } from '../src/discounts.js';

const lines = [
  { article: 'tea', price: 400, quantity: 7 },
  { article: 'cup', price: 900, quantity: 1 },
];

describe('discounts', () => {
  it('takes a share of everything', () => {
    assert.equal(percentOff(10)(lines), 370);
  });

  it('gives every third piece for free', () => {
    assert.equal(oneFreeOf(3, 'tea')(lines), 800);
  });

  it('gives nothing for articles that are not in the cart', () => {
    assert.equal(oneFreeOf(2, 'spoon')(lines), 0);
  });

  it('refuses shares beyond 100 %', () => {
    assert.throws(() => percentOff(120), RangeError);
  });
});
