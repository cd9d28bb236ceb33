import { createRequire } from 'node:module';
import { describe, test } from 'vitest';

const { failing, passing, runs } = createRequire(import.meta.url)('../shop.cjs');

const [first, ...others] = failing;
test(first, () => runs(first));
describe('shelf', () => {
  for (const name of [...others, ...passing]) test(name, () => runs(name));
});
