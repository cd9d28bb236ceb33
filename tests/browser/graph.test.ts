/** The graph of a run in a browser: few boxes are elements, many are drawn, and alike ones are folded. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findChromium, launchChromium } from '../support/browser.ts';
import { buildPage, expectAccessible, openPage } from '../support/page.ts';
import { sh, start } from '../support/runs.ts';
import { sharedServer } from '../support/shared-server.ts';

const program = findChromium();
const LAYERS = 15;
const WIDTH = 30;

const waiting = (...needs: readonly string[]) => ({
  'runs-on': 'nowhere',
  steps: [sh('true')],
  ...(needs.length > 0 && { needs }),
});

/** Each job needs two of the layer before, so that no two are alike. */
const layered = () => ({
  metadata: { name: 'layers' },
  jobs: Object.fromEntries(
    Array.from({ length: LAYERS * WIDTH }, (_, number) => {
      const [layer, at] = [Math.floor(number / WIDTH), number % WIDTH];
      const nameOf = (of: number) => `j-${layer - 1}-${of % WIDTH}`;
      const needs = layer === 0 ? [] : [nameOf(at), nameOf(at + 7)];
      return [`j-${layer}-${at}`, waiting(...needs)];
    }),
  ),
});

/** Thirty jobs that need the same, and are needed by the same. */
const ALIKE = {
  metadata: { name: 'alike' },
  jobs: {
    build: waiting(),
    ...Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`t${at}`, waiting('build')])),
  },
};

describe.skipIf(program === null)('the graph of a run', async () => {
  const { server } = await sharedServer({ tags: ['linux'] });
  let browser: Browser;

  beforeAll(async () => {
    await buildPage();
    browser = await launchChromium(program ?? '');
  });
  afterAll(() => browser.close());

  const graphOf = (page: Page) => page.getByRole('group', { name: /^Graph of jobs/ });
  const drawer = (page: Page) => page.getByRole('complementary', { name: 'Job' });

  test('hundreds of boxes are drawn, and chosen by pointer and keys as in the list', async () => {
    const id = await start(server, layered());
    const { page, complaints } = await openPage(browser, server, `/runs/${id}/jobs?view=graph`);
    const canvas = graphOf(page).locator('canvas');
    await canvas.waitFor();
    const pixels = `(() => {
      const canvas = document.querySelector('main canvas');
      const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
      return data.filter((_, at) => at % 4 === 3).reduce((all, alpha) => all + (alpha > 0), 0);
    })()`;
    expect(await page.evaluate(pixels)).toBeGreaterThan(10_000);
    await canvas.click({ position: { x: 20, y: 12 } });
    await page.waitForURL(/job=j-0-/);
    await drawer(page).getByText('waiting').first().waitFor();
    await page.keyboard.press('Escape');
    await graphOf(page).focus();
    await page.keyboard.press('ArrowRight');
    await page.waitForURL(/job=/);
    // Further than the screen reaches: the graph moves along.
    for (let layer = 1; layer < LAYERS; layer += 1) {
      await page.keyboard.press('ArrowRight');
      await page.waitForURL(new RegExp(`job=j-${layer}-`));
    }
    expect(await graphOf(page).getAttribute('aria-label')).toContain(`Chosen: j-${LAYERS - 1}-`);
    await expect.poll(() => graphOf(page).evaluate('(place) => place.scrollLeft')).not.toBe(0);
    await page.getByRole('button', { name: 'Larger' }).click();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'List', exact: true }).click();
    const list = page.getByRole('treegrid', { name: 'Jobs' });
    expect(await list.getByRole('link', { name: `j-${LAYERS - 1}-0`, exact: true }).count()).toBe(
      1,
    );
    expect(complaints).toEqual([]);
  });

  test('jobs of one kind are one box with counts, opened by a click or Enter', async () => {
    const id = await start(server, ALIKE);
    const { page, complaints } = await openPage(browser, server, `/runs/${id}/jobs?view=graph`);
    const boxes = graphOf(page).locator('g');
    const folded = boxes.filter({ hasText: 't0 and 29 more' });
    await folded.getByText('⋯ 30').waitFor();
    expect(await boxes.count()).toBe(2);
    await folded.click();
    await expect.poll(() => boxes.count()).toBe(31);
    await page.getByRole('button', { name: 'Fold again' }).click();
    await expect.poll(() => boxes.count()).toBe(2);
    await graphOf(page).focus();
    await page.keyboard.press('ArrowRight');
    await page.waitForURL(/job=build/);
    await page.keyboard.press('ArrowRight');
    await page.waitForURL(/job=t0/);
    await page.keyboard.press('Enter');
    await expect.poll(() => boxes.count()).toBe(31);
    expect(complaints).toEqual([]);
  });
});
