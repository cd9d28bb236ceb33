import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { formatAmount, parseAmount, percentageOf } from '../src/money.js';

describe('money', () => {
  for (const [text, cents] of [
    ['0', 0],
    ['12', 1200],
    ['12.5', 1250],
    [' 0.07 ', 7],
  ]) {
    it(`reads ${text.trim()} as ${cents} cents`, () => {
      assert.equal(parseAmount(text), cents);
    });
  }

  it('refuses what is no amount', () => {
    for (const text of ['', '-1', '1.234', 'ten']) {
      assert.throws(() => parseAmount(text), RangeError);
    }
  });

  it('writes amounts with two digits', () => {
    assert.deepEqual([1250, 7, -7, 0].map(formatAmount), ['12.50', '0.07', '-0.07', '0.00']);
  });

  it('rounds percentages to the cent', () => {
    assert.equal(percentageOf(999, 15), 150);
  });
});
