/** Functions of Playwright, with the real tool and a browser of the machine. */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { launchChromium } from '../support/browser.ts';
import { installDebian, need } from '../support/found-tool.ts';
import { freePort } from '../support/free-port.ts';
import { buildPage, openPage } from '../support/page.ts';
import { technologyBench } from './bench.ts';
import { evidenceOf, whileOpen } from './evidence.ts';
import { installedTools, projectFolder } from './tools.ts';

const reportsPort = await freePort();
const bench = await technologyBench(() => ({ config: { ui: { reportsPort } } }));
await buildPage();
const playwright = await installedTools('node_modules');
const chromium = installDebian('chromium', 'chromium');

describe('Playwright', () => {
  test('runs files: what passes, fails, breaks and is skipped', async (context) => {
    const packages = need(playwright, 'Playwright', context);
    const variables = { CHROMIUM: need(chromium, 'Playwright', context) };
    const call = { uses: 'playwright/npx@v1', with: { reporters: ['junit', 'html'] } };
    const { id, cases, texts, hasPassed } = await bench.run('playwright', call, {
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
    // The report, its picture and its trace, as a browser shows them.
    const [picture, trace] = await evidenceOf(bench.shared, id, '*subtracts', /\.(?:png|zip)$/);
    const browser = await launchChromium(variables.CHROMIUM);
    try {
      const page = await browser.newPage();
      await whileOpen(bench.shared, [id], async (address) => {
        await page.goto(address);
        await page.getByText('subtracts').click();
        await page.locator('img[src*="/data/"]').first().waitFor();
      });
      await whileOpen(bench.shared, [id, picture ?? ''], async (address) => {
        expect((await fetch(address)).headers.get('content-type')).toBe('image/png');
      });
      await whileOpen(bench.shared, [id, trace ?? ''], async (address) => {
        await page.goto(address);
        await page.getByText('Set content').first().click();
        const shown = page.frameLocator('iframe.snapshot-visible').getByRole('button');
        expect(await shown.textContent()).toBe('Add');
      });
      // The same from the page of the run: on a port of its own, out of reach of the session.
      const { page: run } = await openPage(browser, bench.shared.server, `/runs/${id}/files`);
      await run.getByRole('link', { name: /playwright-report/ }).click();
      const tab = run.context().waitForEvent('page');
      await run.getByRole('button', { name: 'Open report' }).click();
      const report = await tab;
      await report.getByText('subtracts').click();
      await report.locator('img[src*="/data/"]').first().waitFor();
      expect(new URL(report.url()).port).toBe(String(reportsPort));
      expect(await report.evaluate('[document.cookie, opener]')).toEqual(['', null]);
      const viewer = run.context().waitForEvent('page');
      await run.getByRole('link', { name: /^Trace .*subtracts/ }).click();
      const traced = await viewer;
      await traced.getByText('Set content').first().click();
      const button = traced.frameLocator('iframe.snapshot-visible').getByRole('button');
      expect(await button.textContent()).toBe('Add');
    } finally {
      await browser.close();
    }
  }, 240_000);

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

describe('Cypress', () => {
  test.each<[uses: string, inputs: Readonly<Record<string, string>>]>([
    ['cypress/cypress@v1', {}],
    ['cypress/execute@v1', { test: 'cypress/e2e/cart.cy.js' }],
  ])('%s attaches the pictures and videos that it left', async (uses, inputs) => {
    const path = join(projectFolder('cypress'), 'bin');
    const { id, cases } = await bench.run('cypress', { uses, with: inputs }, { path });
    expect(cases).toContain('subtracts: cart in a basket subtracts FAILURE');
    expect(await evidenceOf(bench.shared, id, '*subtracts', /./)).toEqual([
      'videos/cart.cy.js.mp4',
      'screenshots/cart.cy.js/cart -- in a basket -- subtracts (failed) (attempt 2).png',
      'screenshots/cart.cy.js/cart -- in a basket -- subtracts (failed).png',
    ]);
  });
});
