const { failing, passing, runs } = require('../shop.cjs');

const [first, ...others] = failing;
it(first, () => runs(first));
describe('shelf', () => {
  for (const name of [...others, ...passing]) it(name, () => runs(name));
});
