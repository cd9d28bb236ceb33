/** Functions of Go and of Cargo, with the real tools. */
import { describe, expect, test } from 'vitest';
import { need } from '../support/found-tool.ts';
import { technologyBench } from './bench.ts';
import { findGo } from './go.ts';
import { installNextest } from './tools.ts';

// Before there is an agent, which finds it then.
const go = findGo();
const bench = await technologyBench();
const nextest = await installNextest();

describe('Go', () => {
  test('runs packages: what passes, fails, is skipped and cannot be built', async (context) => {
    need(go, 'Go', context);
    const call = { uses: 'go/test@v1', with: {} };
    const { cases, texts, log, hasPassed } = await bench.run('go', call);
    expect(cases).toEqual([
      'shop/broken: shop/broken ERROR',
      'shop/cart: TestAdds/$(touch_breach)_[é] SUCCESS',
      'shop/cart: TestAdds/one SUCCESS',
      'shop/cart: TestAdds/two;_touch_breach SUCCESS',
      'shop/cart: TestDivides SKIPPED',
      'shop/cart: TestShips/"Oslo" SUCCESS',
      'shop/cart: TestShips/<Rome> FAILURE',
      'shop/cart: TestSubtracts FAILURE',
    ]);
    expect(log).toContain('broken_test.go:6:2: undefined: noSuchFunction');
    expect(log).toContain('--- FAIL: TestShips/<Rome>');
    expect(log).toMatch(/cart_test\.go:\d+: no\tship, "é"$/m);
    expect(texts.TestSubtracts).toContain('two less one is one');
    expect(texts['shop/broken']).toContain('noSuchFunction');
    expect(hasPassed).toBe(false);
  });

  test('runs one subtest, whatever its name has', async (context) => {
    need(go, 'Go', context);
    const test = './cart#TestAdds/$(touch_breach)_[é]';
    const { cases, hasPassed } = await bench.run('go', { uses: 'go/execute@v1', with: { test } });
    expect(cases).toEqual(['shop/cart: TestAdds/$(touch_breach)_[é] SUCCESS']);
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
  test('runs a workspace: what passes, fails, breaks and ends itself', async (context) => {
    const path = need(nextest, 'cargo-nextest', context);
    const call = { uses: 'cargo/test@v1', with: {} };
    const { cases, texts, hasPassed } = await bench.run('cargo', call, { path });
    expect(cases).toEqual([
      'cart: tests::adds SUCCESS',
      'cart: tests::panics SUCCESS',
      'cart: tests::parses FAILURE',
      'cart: tests::subtracts FAILURE',
      'cart: tests::takes FAILURE',
      'cart::api: works SUCCESS',
      'store::api: works FAILURE',
      'store::ending: ends FAILURE',
    ]);
    expect(texts['tests::subtracts']).toContain('two less one is one');
    expect(texts['tests::takes']).toContain('index out of bounds');
    expect(texts['tests::parses']).toContain('InvalidDigit');
    expect(texts.ends).toContain('exit code 3');
    expect(hasPassed).toBe(false);
  });

  test('runs one test of a package', async (context) => {
    const path = need(nextest, 'cargo-nextest', context);
    const call = { uses: 'cargo/execute@v1', with: { test: 'cart#tests::adds' } };
    const { cases, hasPassed } = await bench.run('cargo', call, { path });
    expect(cases).toEqual(['cart: tests::adds SUCCESS']);
    expect(hasPassed).toBe(true);
  });

  test('tells what does not compile', async (context) => {
    const path = need(nextest, 'cargo-nextest', context);
    const call = { uses: 'cargo/execute@v1', with: { test: 'broken' } };
    const options = { path, isBroken: true };
    const { cases, warnings, log, hasPassed } = await bench.run('cargo', call, options);
    expect([cases, hasPassed]).toEqual([[], false]);
    expect(log).toContain('no_such_function');
    expect(warnings).toEqual([expect.stringContaining('Report "cargo-report.xml" of job "main"')]);
  });

  test('takes no test for an option', async (context) => {
    const path = need(nextest, 'cargo-nextest', context);
    const test = 'cart#--logfile=breach; touch breach';
    const call = { uses: 'cargo/execute@v1', with: { test } };
    expect((await bench.run('cargo', call, { path })).cases).toEqual([]);
  });

  test('chooses packages and names, with options of both', async (context) => {
    const path = need(nextest, 'cargo-nextest', context);
    const inputs = {
      package: ['cart'],
      filter: ['divides', 'adds'],
      options: ['--lib'],
      'test-options': ['--include-ignored'],
    };
    const call = { uses: 'cargo/test@v1', with: inputs };
    const { cases, hasPassed } = await bench.run('cargo', call, { path });
    expect(cases).toEqual(['cart: tests::adds SUCCESS', 'cart: tests::divides SUCCESS']);
    expect(hasPassed).toBe(true);
  });
});
