/** Any moment of any run in a browser: the page folds events as the server does. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findChromium, launchChromium } from '../support/browser.ts';
import { buildPage, openPage } from '../support/page.ts';
import { createRandom } from '../support/random.ts';
import { ended, type Manifest, sh, start } from '../support/runs.ts';
import { sharedServer } from '../support/shared-server.ts';
import { expectJobs, jobsAt } from '../support/shown-jobs.ts';

const program = findChromium();
const RUNS = 20;
const MOMENTS = 3;

describe.skipIf(program === null)('the moments of a run', async () => {
  const { server } = await sharedServer({ tags: ['linux'], slots: 2 });
  let browser: Browser;

  beforeAll(async () => {
    await buildPage();
    browser = await launchChromium(program ?? '');
  });
  afterAll(() => browser.close());

  test('twenty random runs, moved to random moments, look as the server says', async () => {
    const random = createRandom(26);
    const step = () => sh(random.chance(0.25) ? 'echo failing; exit 1' : 'echo fine');
    const randomRun = (): Manifest => {
      const names = ['a', 'b', 'c', 'd'].slice(0, random.between(1, 4));
      const jobs = names.map((name, at) => {
        const needs = names.slice(0, at).filter(() => random.chance(0.5));
        const steps = Array.from({ length: random.between(1, 2) }, step);
        return [name, { 'runs-on': 'linux', steps, ...(needs.length > 0 && { needs }) }];
      });
      return { metadata: { name: 'random' }, jobs: Object.fromEntries(jobs) };
    };
    const ids = await Promise.all(Array.from({ length: RUNS }, () => start(server, randomRun())));
    const { page, complaints } = await openPage(browser, server);
    for (const id of ids) {
      await ended(server, id);
      await page.goto(`${server.url}/ui/runs/${id}/jobs`);
      const slider = page.getByRole('slider', { name: 'Moment of the run' });
      const total = Number(await slider.getAttribute('max'));
      for (let moment = 0; moment < MOMENTS; moment += 1) {
        const seq = random.between(2, total - 1);
        await slider.fill(String(seq));
        await page.getByText(`at event ${seq} of ${total}`).waitFor();
        await expectJobs(page, await jobsAt(server, id, seq));
      }
    }
    expect(complaints).toEqual([]);
  });
});
