import { expect, test } from 'vitest';
import { loadedOnce } from './loaded-once.ts';

test('a module is loaded with the first call alone', async () => {
  let loads = 0;
  const load = loadedOnce(async () => {
    loads += 1;
    return { loads };
  });
  expect(loads).toBe(0);
  const [first, second] = await Promise.all([load(), load()]);
  expect(await load()).toBe(first);
  expect(second).toBe(first);
  expect(loads).toBe(1);
});
