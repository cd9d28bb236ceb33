const assert = require('node:assert');

describe('cart', () => {
  it('adds', () => assert.equal(1 + 1, 2));
  it('adds $(touch breach) [é]', () => assert.equal(1 + 1, 2));
  it('subtracts', () => assert.equal(2 - 1, 0, 'two less one is one'));
  it('takes', () => {
    throw new TypeError('the shelf is empty');
  });
  it.skip('divides', () => {}); // Shows what a skipped case becomes.
  it('ships'); // What one is that is to be written.
});
