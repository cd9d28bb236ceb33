/** Functions of Go, with the real tool. */
import { describe, expect, test } from 'vitest';
import { need, technologyBench } from './bench.ts';
import { findProgram, programFound } from './tools.ts';

const bench = await technologyBench();
const go = programFound('go', findProgram('go'));

describe('Go', () => {
  test('runs packages: what passes, fails, is skipped and cannot be built', async (context) => {
    need(go, 'Go', context);
    const call = { uses: 'go/test@v1', with: {} };
    const { cases, texts, hasPassed } = await bench.run('go', call);
    expect(cases).toEqual([
      'shop/broken: shop/broken ERROR',
      'shop/cart: TestAdds SUCCESS',
      'shop/cart: TestAdds/$(touch_breach)_[é] SUCCESS',
      'shop/cart: TestAdds/one SUCCESS',
      'shop/cart: TestAdds/two;_touch_breach SUCCESS',
      'shop/cart: TestDivides SKIPPED',
      'shop/cart: TestSubtracts FAILURE',
    ]);
    expect(texts.TestSubtracts).toContain('two less one is one');
    expect(texts['shop/broken']).toContain('noSuchFunction');
    expect(hasPassed).toBe(false);
  });

  test('runs one subtest, whatever its name has', async (context) => {
    need(go, 'Go', context);
    const test = './cart#TestAdds/$(touch_breach)_[é]';
    const { cases, hasPassed } = await bench.run('go', { uses: 'go/execute@v1', with: { test } });
    expect(cases).toEqual([
      'shop/cart: TestAdds SUCCESS',
      'shop/cart: TestAdds/$(touch_breach)_[é] SUCCESS',
    ]);
    expect(hasPassed).toBe(true);
  });

  test('takes no package for an option', async (context) => {
    need(go, 'Go', context);
    const call = { uses: 'go/execute@v1', with: { test: '-exec=touch breach' } };
    const { hasPassed } = await bench.run('go', call);
    expect(hasPassed).toBe(false);
  });
});
