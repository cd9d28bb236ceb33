const { test } = require('@playwright/test');
const { failing, passing, runs } = require('../shop.cjs');

const [first, ...others] = failing;
test(first, () => runs(first));
test.describe('shelf', () => {
  for (const name of [...others, ...passing]) test(name, () => runs(name));
});
