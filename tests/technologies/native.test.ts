/** Functions of Go and of Cargo, with the real tools. */
import { describe, expect, test } from 'vitest';
import { findProgram, need, programFound } from '../support/found-tool.ts';
import { technologyBench } from './bench.ts';
import { findGo } from './go.ts';

// Before there is an agent, which finds it then.
const go = findGo();
const bench = await technologyBench();
const cargo = programFound('cargo', findProgram('cargo'));

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

describe('Cargo', () => {
  test('runs a workspace: what passes, fails, breaks, is ignored and ends itself', async (context) => {
    need(cargo, 'Cargo', context);
    const call = { uses: 'cargo/test@v1', with: {} };
    const { cases, texts, hasPassed } = await bench.run('cargo', call);
    expect(cases).toEqual([
      'api (tests/api.rs) (2): works FAILURE',
      'api (tests/api.rs): works SUCCESS',
      'cart (doc-tests): cart/src/lib.rs - add (line 3) SUCCESS',
      'cart (doc-tests): cart/src/lib.rs - add (line 7) SUCCESS',
      'cart (src/lib.rs): tests::adds SUCCESS',
      'cart (src/lib.rs): tests::divides SKIPPED',
      'cart (src/lib.rs): tests::panics SUCCESS',
      'cart (src/lib.rs): tests::parses ERROR',
      'cart (src/lib.rs): tests::subtracts FAILURE',
      'cart (src/lib.rs): tests::takes ERROR',
      'ending (tests/ending.rs): ending (tests/ending.rs) ERROR',
    ]);
    expect(texts['tests::subtracts']).toContain('two less one is one');
    expect(texts['tests::takes']).toContain('index out of bounds');
    expect(texts['tests::parses']).toContain('InvalidDigit');
    expect(texts['ending (tests/ending.rs)']).toContain('Of 1 tests, 0 ended (exit status: 3).');
    expect(hasPassed).toBe(false);
  });

  test('runs one test of a package', async (context) => {
    need(cargo, 'Cargo', context);
    const call = { uses: 'cargo/execute@v1', with: { test: 'cart#tests::adds' } };
    const { cases, hasPassed } = await bench.run('cargo', call);
    expect(cases).toEqual(['cart (src/lib.rs): tests::adds SUCCESS']);
    expect(hasPassed).toBe(true);
  });

  test('tells what does not compile', async (context) => {
    need(cargo, 'Cargo', context);
    const call = { uses: 'cargo/execute@v1', with: { test: 'broken' } };
    const { cases, texts, hasPassed } = await bench.run('cargo', call);
    expect(cases).toEqual(['broken (test "shop"): broken (test "shop") ERROR']);
    expect(texts['broken (test "shop")']).toContain('no_such_function');
    expect(hasPassed).toBe(false);
  });

  test('takes no test for an option', async (context) => {
    need(cargo, 'Cargo', context);
    const test = 'cart#--logfile=breach; touch breach';
    const { cases } = await bench.run('cargo', { uses: 'cargo/execute@v1', with: { test } });
    expect(cases).toEqual([]);
  });

  test('chooses packages and names, with options of both', async (context) => {
    need(cargo, 'Cargo', context);
    const inputs = {
      package: ['cart'],
      filter: ['divides', 'adds'],
      options: ['--lib'],
      'test-options': ['--include-ignored'],
    };
    const call = { uses: 'cargo/test@v1', with: inputs };
    const { cases, hasPassed } = await bench.run('cargo', call);
    expect(cases).toEqual([
      'cart (src/lib.rs): tests::adds SUCCESS',
      'cart (src/lib.rs): tests::divides SUCCESS',
    ]);
    expect(hasPassed).toBe(true);
  });
});
