import { expect, test } from 'vitest';
import { Purger } from './purger.ts';

/** Portions that are removed when the test says so. */
function setUp() {
  const portions: ((hasMore: boolean) => void)[] = [];
  const purger = new Purger(() => new Promise((resolve) => portions.push(resolve)));
  const finishPortion = async (hasMore: boolean) => {
    portions.at(-1)?.(hasMore);
    await new Promise<void>((resolve) => setImmediate(resolve));
  };
  return { portions, purger, finishPortion };
}

test('it goes on until nothing is left', async () => {
  const { portions, purger, finishPortion } = setUp();
  const done = purger.run();
  await finishPortion(true);
  await finishPortion(false);
  await done;
  expect(portions).toHaveLength(2);
});

test('a caller that asks while it works gets a portion that began after the question', async () => {
  const { portions, purger, finishPortion } = setUp();
  const first = purger.run();
  const second = purger.run();
  await finishPortion(false);
  expect(portions).toHaveLength(2);
  await finishPortion(false);
  await Promise.all([first, second]);
});

test('stopped, it ends after the portion that is under way', async () => {
  const { portions, purger, finishPortion } = setUp();
  const done = purger.run();
  purger.stop();
  await finishPortion(true);
  await done;
  expect(portions).toHaveLength(1);
});

test('a failure rejects, and the next call tries again', async () => {
  let fails = true;
  const purger = new Purger(async () => {
    if (fails) throw new Error('disk');
    return false;
  });
  await expect(purger.run()).rejects.toThrow('disk');
  fails = false;
  await purger.run();
});
