/** Functions of Playwright, with the real tool and a browser of the machine. */
import { describe, expect, test } from 'vitest';
import { installDebian, need } from '../support/found-tool.ts';
import { technologyBench } from './bench.ts';
import { installedTools } from './tools.ts';

const bench = await technologyBench();
const playwright = await installedTools('node_modules');
const chromium = installDebian('chromium', 'chromium');

describe('Playwright', () => {
  test('runs files: what passes, fails, breaks and is skipped', async (context) => {
    const packages = need(playwright, 'Playwright', context);
    const variables = { CHROMIUM: need(chromium, 'Playwright', context) };
    const call = { uses: 'playwright/npx@v1', with: { reporters: ['junit', 'html'] } };
    const { cases, texts, hasPassed } = await bench.run('playwright', call, {
      packages,
      variables,
    });
    expect(cases).toEqual([
      'cart.spec.js: cart › adds SUCCESS',
      'cart.spec.js: cart › divides SKIPPED',
      'cart.spec.js: cart › subtracts FAILURE',
      'cart.spec.js: cart › takes ERROR',
    ]);
    expect(texts['cart › subtracts']).toContain('the name of the button');
    expect(hasPassed).toBe(false);
  });

  test('runs the tests of a file that fit an expression', async (context) => {
    const packages = need(playwright, 'Playwright', context);
    const variables = { CHROMIUM: need(chromium, 'Playwright', context) };
    for (const expression of ['adds$', '(adds|$(touch breach); touch breach)$']) {
      const call = {
        uses: 'playwright/execute@v1',
        with: { test: `tests#cart.spec.js#${expression}` },
      };
      const { cases, hasPassed } = await bench.run('playwright', call, { packages, variables });
      expect(cases).toEqual(['cart.spec.js: cart › adds SUCCESS']);
      expect(hasPassed).toBe(true);
    }
  });

  test('tells the projects apart that a test runs for', async (context) => {
    const packages = need(playwright, 'Playwright', context);
    const variables = { CHROMIUM: need(chromium, 'Playwright', context), PROJECTS: 'both' };
    const call = { uses: 'playwright/npx@v1', with: { grep: 'adds$', reporters: ['junit'] } };
    const { cases } = await bench.run('playwright', call, { packages, variables });
    expect(cases).toEqual([
      'desktop > cart.spec.js: cart › adds SUCCESS',
      'phone > cart.spec.js: cart › adds SUCCESS',
    ]);
  });

  // Without a browser: what is tried again is none of its business.
  test('tells the attempts of tests that are tried again', async (context) => {
    const packages = need(playwright, 'Playwright', context);
    for (const call of [
      { uses: 'playwright/execute@v1', with: { test: 'tests/shop.spec.js' } },
      { uses: 'playwright/npx@v1', with: { reporters: ['junit'] } },
    ]) {
      const { executions } = await bench.run('playwright-retries', call, { packages });
      expect(executions).toEqual({ pays: ['FAILURE', 'FAILURE'], ships: ['FAILURE', 'SUCCESS'] });
    }
  });
});
