/** Tasks for which people come to the page. Each takes three clicks at most, from the first page on. */
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findChromium, launchChromium } from '../support/browser.ts';
import { buildPage, openPage } from '../support/page.ts';
import { ended, oneJob, sh, start, workersEnded } from '../support/runs.ts';
import { reportStep } from '../support/sample-run.ts';
import { type AgentChild, type ServerChild, Workbench } from '../support/workbench.ts';

const program = findChromium();
const CLICKS_MAX = 3;
const FAILURE = '<failure message="expected 30" type="E">expected 30</failure>';

describe.skipIf(program === null)('a task takes three clicks at most', () => {
  let bench: Workbench;
  let browser: Browser;
  let server: ServerChild;
  let spare: AgentChild;

  beforeAll(async () => {
    await buildPage();
    bench = await Workbench.open();
    server = await bench.server();
    await bench.agent(server, { tags: ['linux'], name: 'builder' });
    spare = await bench.agent(server, { tags: ['spare'], name: 'spare one' });
    const nightly = (outcome: string, code: number) =>
      oneJob('nightly', [
        reportStep([{ name: 'sums', seconds: 0.1, outcome }]),
        sh(`seq 1 50; echo "the reason"; exit ${code}`, { name: 'Look' }),
      ]);
    for (const manifest of [nightly('', 0), nightly(FAILURE, 4)]) {
      const id = await start(server, manifest);
      await ended(server, id);
      await workersEnded(server, id);
    }
    await start(server, oneJob('render', [sh('true')], { 'runs-on': ['linux', 'gpu'] }));
    browser = await launchChromium(program ?? '');
  });
  afterAll(async () => {
    await browser.close();
    await bench.close();
  });

  /** The first page, and a pointer that counts. */
  async function begin() {
    const { page } = await openPage(browser, server);
    await page.getByRole('heading', { name: 'Now', exact: true }).waitFor();
    let clicks = 0;
    const click = async (target: Locator) => {
      clicks += 1;
      expect(clicks).toBeLessThanOrEqual(CLICKS_MAX);
      await target.click();
    };
    return { page, click };
  }

  const broken = (page: Page) =>
    page.getByRole('region', { name: /Broken now/ }).getByRole('link', { name: 'nightly' });

  test('find why a run failed', async () => {
    const { page, click } = await begin();
    await click(broken(page));
    const first = page.getByRole('region', { name: 'Failed first' });
    await first.getByText('exit code 4').waitFor();
    await first.getByText('expected 30').first().waitFor();
  });

  test('find why a job waits', async () => {
    const { page, click } = await begin();
    const waiting = page.getByRole('region', { name: /Waiting/ });
    await waiting.getByText('no environment with tag "gpu"', { exact: false }).waitFor();
    await click(page.getByRole('navigation').getByRole('link', { name: 'Queue' }));
    await page
      .getByRole('region', { name: 'What would help' })
      .getByText(/Start an agent/)
      .waitFor();
  });

  test('compare with the last good run, and find which tests are new failures', async () => {
    const { page, click } = await begin();
    await click(broken(page));
    await click(page.getByRole('link', { name: 'Compare' }));
    await click(page.getByRole('button', { name: 'The last that passed before it' }));
    const failed = page.getByRole('region', { name: 'Newly failed', exact: true });
    await failed.getByRole('link', { name: 'sums' }).waitFor();
  });

  test('find the line of the log', async () => {
    const { page, click } = await begin();
    await click(broken(page));
    await click(page.getByRole('link', { name: 'Open its log' }));
    const log = page.getByRole('region', { name: 'Log' });
    await log.getByText('the reason', { exact: true }).waitFor();
  });

  test('rerun what failed', async () => {
    const { page, click } = await begin();
    await click(broken(page));
    const before = page.url();
    await click(page.getByRole('button', { name: 'Rerun failed' }));
    await click(page.getByRole('button', { name: 'Rerun failed jobs' }));
    await page.waitForURL((url) => url.href !== before);
  });

  test('quarantine a test', async () => {
    const { page, click } = await begin();
    await click(page.getByRole('navigation').getByRole('link', { name: 'Tests' }));
    await click(page.getByRole('grid', { name: 'Tests' }).getByRole('link', { name: 'sums' }));
    await click(page.getByRole('button', { name: 'Quarantine…' }));
    await page.getByLabel('Reason').fill('is repaired soon');
    await page.keyboard.press('Enter');
    const band = page.getByRole('region', { name: 'Quarantine', exact: true });
    await band.getByText('is repaired soon').waitFor();
  });

  test('start a run', async () => {
    const { page, click } = await begin();
    await click(page.getByRole('link', { name: 'Start a run' }));
    const text =
      'metadata: {name: typed}\njobs:\n  a: {runs-on: linux, steps: [{run: echo typed}]}\n';
    await page.getByLabel('Text of the workflow').fill(text);
    await click(page.getByRole('button', { name: 'Start', exact: true }));
    await page.getByRole('heading', { name: /typed/ }).waitFor();
  });

  test('find the lost agent', async () => {
    await spare.child.kill('SIGKILL');
    const { page, click } = await begin();
    const environments = page.getByRole('region', { name: /Environments/ });
    await click(environments.getByRole('link', { name: 'spare one' }));
    await page.getByText('lost', { exact: true }).first().waitFor();
  });
});
