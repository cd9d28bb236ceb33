/** The pages about all runs, in a browser. Each question of a page has its test. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ensureSigningKey } from '../../server/src/auth/signing-key.ts';
import { createToken } from '../../server/src/auth/tokens.ts';
import { systemClock } from '../../server/src/runtime/clock.ts';
import { findChromium, launchChromium } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import {
  buildPage,
  expectAccessible,
  expectToFit,
  openPage,
  openTab,
  SCREENS,
  takePicture,
} from '../support/page.ts';
import { ended, oneJob, sh, start, statusOf } from '../support/runs.ts';
import { type ServerChild, Workbench } from '../support/workbench.ts';

const program = findChromium();
/** For a machine that does much else. */
const PATIENCE = { timeout: 60_000 };
/** Markup, an escape sequence, a mark that turns text around, and an address. */
const HOSTILE =
  '<img src=x onerror="alert(1)"> \u001b[31mred\u001b[0m \u202Edesrever <script src="https://evil.example/x.js"></script>';

describe.skipIf(program === null)('the page of a server with runs', () => {
  let bench: Workbench;
  let browser: Browser;
  let server: ServerChild;
  let long: string;

  beforeAll(async () => {
    await buildPage();
    bench = await Workbench.open();
    server = await bench.server();
    await bench.agent(server, { tags: ['linux'], name: 'builder' });
    const nightly = (code: number) =>
      start(server, oneJob('nightly', [sh(`exit ${code}`, { name: 'Unit tests' })]));
    const first = [
      await nightly(0),
      await nightly(1),
      await start(server, oneJob('deploy', [sh('echo done')])),
    ];
    for (const id of first) await ended(server, id);
    long = await start(server, {
      metadata: { name: 'regression' },
      jobs: {
        slow: { 'runs-on': 'linux', steps: [sh('sleep 600')] },
        gpu: { 'runs-on': ['linux', 'gpu'], steps: [sh('true')] },
      },
    });
    browser = await launchChromium(program ?? '');
  });
  afterAll(async () => {
    await browser.close();
    await bench.close();
  });

  const region = (page: Page, name: string | RegExp) => page.getByRole('region', { name });
  const textOf = async (page: Page, name: string | RegExp) => {
    await region(page, name).waitFor();
    return (await region(page, name).textContent()) ?? '';
  };

  test('Now: is anything wrong, and what is waiting?', async () => {
    const { page, complaints } = await openPage(browser, server, '/');
    const broken = await textOf(page, /Broken now/);
    expect(broken).toContain('nightly');
    expect(broken).toContain('Unit tests');
    expect(broken).not.toContain('deploy');
    expect(await textOf(page, /Running/)).toContain('regression');
    expect(await textOf(page, /Waiting/)).toContain('no environment with tag "gpu"');
    expect(await textOf(page, /Environments/)).toContain('1 busy');
    expect(await textOf(page, /Last 24 hours/)).toContain('1 failed of 4');
    await takePicture(page, 'page-now');
    expect(complaints).toEqual([]);
  });

  describe('Runs: which run is mine, and how did it go?', () => {
    const rows = (page: Page) => page.getByRole('grid', { name: 'Runs' }).getByRole('row');

    test('filters are kept in the address, and become a command', async () => {
      const { page } = await openPage(browser, server, '/runs');
      await rows(page).nth(4).waitFor();
      await takePicture(page, 'page-runs');
      await page.getByText('Failed', { exact: true }).click();
      await page.waitForURL(/\?status=FAILED$/);
      await expect.poll(() => rows(page).count(), PATIENCE).toBe(2);
      await page.getByLabel('Search runs').fill('night');
      await page.waitForURL(/q=night/);
      await expect.poll(() => rows(page).count(), PATIENCE).toBe(2);
      expect(await rows(page).nth(1).textContent()).toMatch(/failed.*nightly.*admin/);
      await page.getByRole('button', { name: /tutti workflows .*status.phase==FAILED/ }).waitFor();
      await page.reload();
      await expect.poll(() => rows(page).count(), PATIENCE).toBe(2);
    });

    test('columns order the list on the server', async () => {
      const { page } = await openPage(browser, server, '/runs');
      await page.getByRole('columnheader', { name: 'Name' }).getByRole('button').click();
      await page.getByRole('columnheader', { name: 'Name' }).getByRole('button').click();
      await page.waitForURL(/sort=name$/);
      await expect
        .poll(async () => await rows(page).nth(1).textContent(), PATIENCE)
        .toContain('deploy');
    });

    test('keys move, select and open', async () => {
      const { page } = await openPage(browser, server, '/runs');
      await rows(page).nth(1).focus();
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Space');
      await page.keyboard.press('j');
      await page.keyboard.press('Space');
      await page.getByText('2 selected').waitFor();
      await page.getByRole('link', { name: 'Compare' }).waitFor();
      await page.keyboard.press('Home');
      await page.keyboard.press('Enter');
      await page.waitForURL(`**/ui/runs/${long}`);
    });

    test('a new run is there without a reload, and is canceled after a question', async () => {
      const { page } = await openPage(browser, server, '/runs');
      await rows(page).nth(1).waitFor();
      const id = await start(server, oneJob('urgent', [sh('sleep 600')]));
      const row = rows(page).filter({ hasText: 'urgent' });
      await row.getByRole('checkbox').check();
      await page.getByRole('button', { name: 'Cancel 1' }).click();
      const question = page.getByRole('alertdialog');
      expect(await question.textContent()).toContain('urgent');
      await expectAccessible(page);
      await question.getByRole('button', { name: 'Cancel 1 run' }).click();
      await row.getByText('canceled').waitFor();
      expect(await statusOf(server, id)).toBe('FAILED');
    });

    test('forgetting removes runs, with what is kept of them', async () => {
      const id = await start(server, oneJob('gone', [sh('true')], { 'runs-on': 'mars' }));
      await server.call('DELETE', `/workflows/${id}`);
      await ended(server, id);
      const { page } = await openPage(browser, server, '/runs?q=gone');
      await rows(page).nth(1).getByRole('checkbox').check();
      await page.getByRole('button', { name: 'Forget 1' }).click();
      await page.getByRole('alertdialog').getByRole('button', { name: 'Forget' }).click();
      await page.getByText('No run fits these filters.').waitFor();
      expect((await server.call('GET', `/workflows/${id}/status`)).code).toBe(404);
    });
  });

  test('Queue: what is waiting, why, and what would help?', async () => {
    const { page } = await openPage(browser, server, '/queue');
    expect(await textOf(page, /In the order of service/)).toMatch(
      /gpu.*regression.*no environment with tag "gpu"/,
    );
    expect(await textOf(page, 'What would help')).toMatch(/Start an agent with tags/);
  });

  test('a job that waits for a busy machine leads to the job that keeps it', async () => {
    const id = await start(server, oneJob('behind', [sh('true')], { 'runs-on': 'linux' }));
    const { page } = await openPage(browser, server, '/queue');
    const waiting = page.getByRole('listitem').filter({ hasText: 'behind' });
    await waiting.getByRole('link', { name: `run …${long.slice(-8)}` }).click();
    await page.waitForURL(`**/ui/runs/${long}/jobs?job=*`);
    await page
      .getByRole('complementary', { name: 'Job' })
      .getByRole('heading', { name: 'slow' })
      .waitFor();
    await server.call('DELETE', `/workflows/${id}`);
  });

  test('Workflows: is this workflow getting better or worse?', async () => {
    const { page } = await openPage(browser, server, '/workflows');
    await page.getByRole('main').getByRole('link', { name: 'nightly', exact: true }).click();
    await page.waitForURL('**/ui/workflows/default/nightly');
    expect(await textOf(page, 'Better or worse')).toMatch(/1 of 1.*0 of 1/);
    expect(await textOf(page, /Most frequent first failures/)).toContain('Unit tests');
    await page.getByRole('link', { name: 'Start again with changes' }).click();
    await expect
      .poll(() => page.getByLabel('Text of the workflow').inputValue(), PATIENCE)
      .toContain('Unit tests');
  });

  test('texts of others are shown as texts, and nothing of them runs or loads', async () => {
    await bench.agent(server, { tags: ['spare'], name: HOSTILE.split(' \u001b')[0] ?? '' });
    const id = await start(server, {
      metadata: { name: HOSTILE, labels: { team: 'shop' } },
      jobs: {
        hostile: {
          'runs-on': 'spare',
          name: HOSTILE,
          steps: [sh('exit 1', { name: HOSTILE })],
        },
      },
    });
    await ended(server, id);
    const { page, complaints } = await openPage(browser, server, '/runs?label=team%3Dshop');
    const row = page.getByRole('row').filter({ hasText: '<img src=x' });
    await row.waitFor();
    expect(await row.textContent()).toContain('\\u202Edesrever');
    for (const path of ['/', '/workflows', '/queue', '/environments']) {
      await page.goto(`${server.url}/ui${path}`);
      await page.getByRole('heading', { level: 2 }).first().waitFor();
    }
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill('img src');
    await page.getByRole('option').first().waitFor();
    expect(await page.locator('img[src="x"], script[src*=evil]').count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  test('actions appear only if the token allows them', async () => {
    const token = await createToken({
      key: await ensureSigningKey(server.dataDir),
      clock: systemClock,
      subject: 'reader',
      verbs: ['get', 'list'],
    });
    const { page } = await openTab(browser, server.url);
    await page.goto(`${server.url}/ui/runs`);
    await page.getByLabel('Token').fill(token);
    await page.keyboard.press('Enter');
    await page.getByRole('row').filter({ hasText: 'regression' }).getByRole('checkbox').check();
    await page.getByText('1 selected').waitFor();
    expect(await page.getByRole('button', { name: /Cancel|Forget|Rerun/ }).count()).toBe(0);
    expect(await page.getByRole('link', { name: 'Start a run' }).count()).toBe(0);
    await page.goto(`${server.url}/ui/environments`);
    await page.getByRole('link', { name: 'builder' }).click();
    await page.getByRole('heading', { name: 'builder' }).waitFor();
    expect(await page.getByRole('button', { name: 'Drain' }).count()).toBe(0);
  });

  describe.each(Object.entries(SCREENS))('%s', (_, screen) => {
    test('each page is accessible, and as wide as the screen', async () => {
      const { page, complaints } = await openPage(browser, server, '/', screen);
      for (const path of [
        '/',
        '/runs',
        '/queue',
        '/workflows',
        '/workflows/default/nightly',
        '/environments',
        '/start',
        '/settings',
        '/about',
      ]) {
        await page.goto(`${server.url}/ui${path}`);
        await page.locator('main section, main [role=grid]').first().waitFor();
        await eventually('the placeholders to go', async () =>
          (await page.locator('main [aria-hidden] > div').count()) === 0 ? true : null,
        );
        await expectAccessible(page);
        await expectToFit(page);
      }
      expect(complaints).toEqual([]);
    });
  });

  test('the page says when it is not live, and catches up after a restart of the server', async () => {
    const other = await bench.server();
    const { page } = await openPage(browser, other, '/runs');
    await page.getByText('No run yet.').waitFor();
    await other.child.kill('SIGKILL');
    await page.getByText(/not live since/).waitFor();
    expect(await page.getByText('No run yet.').count()).toBe(1);
    const again = await bench.server({
      dataDir: other.dataDir,
      port: Number(new URL(other.url).port),
    });
    await start(again, oneJob('after', [sh('true')]));
    await page.getByRole('row').filter({ hasText: 'after' }).waitFor();
    await page.getByText('live', { exact: true }).waitFor();
  });
});
