/** Functions of test runners for JavaScript, with the real tools. */
import { describe, expect, test } from 'vitest';
import { need } from '../support/found-tool.ts';
import { technologyBench } from './bench.ts';
import { installedTools, installNode, ownPackages } from './tools.ts';

const bench = await technologyBench();
const [jest, cucumber, mocha, newman] = await Promise.all([
  installNode('jest'),
  installNode('cucumber-js'),
  installNode('mocha'),
  installedTools('node_modules'),
]);

describe('Jest', () => {
  test('runs files: what passes, fails, is skipped and cannot be loaded', async (context) => {
    const packages = need(jest, 'Jest', context);
    const call = { uses: 'jest/jest@v1', with: {} };
    const { cases, texts, hasPassed } = await bench.run('jest', call, { packages });
    expect(cases).toEqual([
      'Test suite failed to run: test/broken.test.js ERROR',
      'cart: adds $(touch breach) [é] SUCCESS',
      'cart: adds SUCCESS',
      'cart: divides SKIPPED',
      'cart: ships SKIPPED',
      'cart: subtracts FAILURE',
    ]);
    expect(texts.subtracts).toContain('Expected: 0');
    expect(hasPassed).toBe(false);
  });

  test('runs one test of a file, whatever its title has', async (context) => {
    const packages = need(jest, 'Jest', context);
    for (const title of ['adds', 'cart adds $(touch breach) [é]']) {
      const call = { uses: 'jest/execute@v1', with: { test: `test/cart.test.js#${title}` } };
      const { cases, hasPassed } = await bench.run('jest', call, { packages });
      expect(cases.filter((each) => each.endsWith('SUCCESS'))).toEqual([
        `cart: ${title.replace('cart ', '')} SUCCESS`,
      ]);
      expect(hasPassed).toBe(true);
    }
  });
});

describe('Vitest', () => {
  test('runs files: what passes, fails, is skipped and cannot be loaded', async (context) => {
    const packages = need(ownPackages, 'Vitest', context);
    const call = { uses: 'vitest/vitest@v1', with: {} };
    const { cases, texts, hasPassed } = await bench.run('vitest', call, { packages });
    expect(cases).toEqual([
      'broken.test.js: broken.test.js FAILURE',
      'cart.test.js: cart > adds $(touch breach) [é] SUCCESS',
      'cart.test.js: cart > adds SUCCESS',
      'cart.test.js: cart > divides SKIPPED',
      'cart.test.js: cart > ships SKIPPED',
      'cart.test.js: cart > subtracts FAILURE',
    ]);
    expect(texts['cart > subtracts']).toContain('two less one is one');
    expect(hasPassed).toBe(false);
  });

  test('runs one test of a file, whatever its title has', async (context) => {
    const packages = need(ownPackages, 'Vitest', context);
    for (const title of ['adds', 'cart adds $(touch breach) [é]']) {
      const call = { uses: 'vitest/execute@v1', with: { test: `cart.test.js#${title}` } };
      const { cases, hasPassed } = await bench.run('vitest', call, { packages });
      expect(cases.filter((each) => each.endsWith('SUCCESS'))).toEqual([
        `cart.test.js: cart > ${title.replace('cart ', '')} SUCCESS`,
      ]);
      expect(hasPassed).toBe(true);
    }
  });
});

describe('Mocha', () => {
  test('runs a file: what passes, fails and is skipped', async (context) => {
    const packages = need(mocha, 'Mocha', context);
    const call = { uses: 'mocha/mocha@v1', with: { test: 'test' } };
    const { cases, texts, log, hasPassed } = await bench.run('mocha', call, { packages });
    expect(cases).toEqual([
      'cart: adds $(touch breach) [é] SUCCESS',
      'cart: adds SUCCESS',
      'cart: divides SKIPPED',
      'cart: ships SKIPPED',
      'cart: subtracts FAILURE',
      'cart: takes FAILURE',
    ]);
    expect(texts.takes).toContain('the shelf is empty');
    expect(log).toMatch(/2 passing .*/);
    expect(log).toContain('1) subtracts');
    expect(hasPassed).toBe(false);
  });

  test('runs one test of a file, whatever its title has', async (context) => {
    const packages = need(mocha, 'Mocha', context);
    for (const title of ['adds', 'cart adds $(touch breach) [é]']) {
      const call = { uses: 'mocha/execute@v1', with: { test: `test/cart.js#${title}` } };
      const { cases, hasPassed } = await bench.run('mocha', call, { packages });
      expect(cases).toEqual([`cart: ${title.replace('cart ', '')} SUCCESS`]);
      expect(hasPassed).toBe(true);
    }
  });
});

test('Cucumber-js runs a folder and one scenario, whatever its name has', async (context) => {
  const packages = need(cucumber, 'Cucumber-js', context);
  const call = { uses: 'cucumber-js/cucumber-js@v1', with: {} };
  const { cases, texts, hasPassed } = await bench.run('cucumber-js', call, { packages });
  expect(cases).toEqual([
    'Cart: Adding $(touch breach) [é] SUCCESS',
    'Cart: Adding SUCCESS',
    'Cart: Dividing SKIPPED',
    'Cart: Shipping FAILURE',
    'Cart: Subtracting FAILURE',
  ]);
  expect(texts.Subtracting).toContain('2 !== 0');
  expect(hasPassed).toBe(false);
  const title = 'Adding $(touch breach) [é]';
  const one = { uses: 'cucumber-js/execute@v1', with: { test: `features/cart.feature#${title}` } };
  const chosen = await bench.run('cucumber-js', one, { packages });
  expect([chosen.cases, chosen.hasPassed]).toEqual([[`Cart: ${title} SUCCESS`], true]);
});

describe('Postman', () => {
  // Newman's report does not name skipped tests. It counts broken scripts and requests without an answer.
  test('runs a collection: what passes and fails', async (context) => {
    const packages = need(newman, 'Newman', context);
    const inputs = { collection: 'shop.json', 'env-var': { address: bench.shared.server.url } };
    const call = { uses: 'postman/postman@v1', with: inputs };
    const { cases, texts, hasPassed } = await bench.run('postman', call, { packages });
    expect(cases).toEqual([
      'Cart / Takes; touch breach: Cart / Takes; touch breach ERROR',
      'CartAdds: is a teapot FAILURE',
      'CartAdds: is answered SUCCESS',
      'CartAdds: is later SUCCESS',
      'Elsewhere: is not asked for SUCCESS',
    ]);
    expect(texts['is a teapot']).toContain('to have status code 418');
    expect(hasPassed).toBe(false);
  });

  // These know no address: there is no answer.
  test('runs one request of a collection, whatever its name has', async (context) => {
    const packages = need(newman, 'Newman', context);
    for (const [name, found] of [
      ['Elsewhere#', ['Elsewhere: Elsewhere ERROR', 'Elsewhere: is not asked for SUCCESS']],
      [
        'Cart#Takes; touch breach',
        ['Cart / Takes; touch breach: Cart / Takes; touch breach ERROR'],
      ],
    ] as const) {
      const call = { uses: 'postman/execute@v1', with: { test: `shop.json#${name}` } };
      const variables = { address: bench.shared.server.url };
      const { cases, log } = await bench.run('postman', call, { packages, variables });
      expect(cases).toEqual(found);
      expect(log).toContain(name.replace(/^.*#(?=.)|#$/g, ''));
    }
  });
});
