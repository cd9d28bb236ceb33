/** Names that people and programs choose, at their worst: long, with markup, with marks that turn text around. */
import { writeFile } from 'node:fs/promises';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ensureSigningKey } from '../../server/src/auth/signing-key.ts';
import { createToken } from '../../server/src/auth/tokens.ts';
import { systemClock } from '../../server/src/runtime/clock.ts';
import { itemsOf } from '../support/api.ts';
import { findChromium, launchChromium } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import { OTHERS_IN_MAIN, TURNING } from '../support/hostile-texts.ts';
import { buildPage, DARK_PHONE, expectToFit, LIGHT, openTab } from '../support/page.ts';
import { ended, oneJob, sh, start, workersEnded } from '../support/runs.ts';
import { reportStep } from '../support/sample-run.ts';
import { type ServerChild, Workbench } from '../support/workbench.ts';

const program = findChromium();
const HOSTILE = `<img src=x onerror="document.title='evil'"> \u202Edesrever ${'x'.repeat(190)}`;
const REPORTED = {
  name: HOSTILE.replaceAll('<', '&lt;').replaceAll('"', '&quot;'),
  seconds: 0.1,
};
const FAILED = { ...REPORTED, outcome: `<failure message="${REPORTED.name}"/>` };
/** Tags and namespaces have letters, digits and hyphens alone, but may be long. */
const TAG = `tag-${'t'.repeat(150)}`;
const NAMESPACE = `team-${'n'.repeat(150)}`;
const GATES = JSON.stringify({
  qualitygates: [
    {
      name: HOSTILE,
      scope: `test.job != '${HOSTILE.replaceAll("'", "''")}'`,
      rules: [{ name: HOSTILE, rule: { threshold: '100%' } }],
    },
  ],
});

describe.skipIf(program === null)('names of others', () => {
  let bench: Workbench;
  let browser: Browser;
  let server: ServerChild;
  let token: string;
  let before: string;
  let after: string;
  let tested: string;
  let failed: string;

  beforeAll(async () => {
    await buildPage();
    bench = await Workbench.open();
    const definitions = bench.path('gates.json');
    await writeFile(definitions, GATES);
    server = await bench.server({ config: { qualityGates: { definitions: [definitions] } } });
    await bench.agent(server, { tags: [TAG], name: 'one', namespaces: NAMESPACE });
    await bench.agent(server, { tags: [TAG, 'gpu'], name: HOSTILE, namespaces: NAMESPACE });
    const run = async (tags: readonly string[]) => {
      const manifest = oneJob('named', [reportStep([FAILED])], { 'runs-on': tags });
      const metadata = { name: HOSTILE, namespace: NAMESPACE };
      const id = await start(server, { ...manifest, metadata });
      await ended(server, id);
      await workersEnded(server, id);
      return id;
    };
    before = await run([TAG]);
    after = await run([TAG, 'gpu']);
    tested = await eventually('the history of the test', async () => {
      const [item] = itemsOf(await server.call('GET', '/tests'));
      return item === undefined ? null : String(Object(item).metadata.id);
    });
    const [cause] = itemsOf(await server.call('GET', '/causes'));
    failed = String(Object(cause).metadata.id);
    await start(server, {
      metadata: { name: HOSTILE, namespace: NAMESPACE },
      jobs: { late: { 'runs-on': `${TAG}-of-nobody`, steps: [sh('true')] } },
    });
    token = await createToken({
      key: await ensureSigningKey(server.dataDir),
      clock: systemClock,
      subject: HOSTILE,
      namespaces: [NAMESPACE],
    });
    const quarantine = await server.call('POST', `/tests/${tested}/quarantine`, {
      headers: { authorization: `Bearer ${token}` },
      body: { reason: HOSTILE },
    });
    expect(quarantine.code).toBe(201);
    browser = await launchChromium(program ?? '');
  }, 120_000);
  afterAll(async () => {
    await browser.close();
    await bench.close();
  });

  test.each([
    ['a light screen', LIGHT],
    ['a dark phone', DARK_PHONE],
  ])('are shown as texts, and fit on %s', async (_, look) => {
    const { page, complaints } = await openTab(browser, server.url, look);
    await page.goto(`${server.url}/ui/settings`);
    await page.getByLabel('Token').fill(token);
    await page.keyboard.press('Enter');
    for (const [path, words] of [
      ['settings', NAMESPACE],
      ['', 'onerror'],
      ['runs', 'onerror'],
      ['tests', 'onerror'],
      [`tests/${tested}`, 'onerror'],
      ['quarantine', 'onerror'],
      ['causes', 'onerror'],
      [`causes/${failed}`, 'onerror'],
      ['queue', `${TAG}-of-nobody`],
      ['environments', TAG],
      ['workflows', 'onerror'],
      [`runs/${after}`, 'onerror'],
      [`runs/${after}/jobs?job=main`, TAG],
      [`runs/${after}/log`, TAG],
      [`runs/${after}/gates?mode=${encodeURIComponent(HOSTILE)}`, 'Scope'],
      [`compare?a=${before}&b=${after}`, TAG],
      [`start?from=${after}`, TAG],
    ] as const) {
      await page.goto(`${server.url}/ui/${path}`);
      await page.locator('main').getByText(words).first().waitFor({ state: 'attached' });
      expect(await page.title(), path).not.toBe('evil');
      expect(await page.locator(OTHERS_IN_MAIN).count(), path).toBe(0);
      expect(await page.evaluate(TURNING), path).toEqual([]);
      await expectToFit(page);
    }
    expect(complaints.filter((text) => !text.includes('401'))).toEqual([]);
  });

  test('environments of two runs are compared where they differ', async () => {
    const { page } = await openTab(browser, server.url, LIGHT);
    await page.goto(`${server.url}/ui/compare?a=${before}&b=${after}`);
    await page.getByLabel('Token').fill(token);
    await page.keyboard.press('Enter');
    const part = page.getByRole('region', { name: 'Environments', exact: true });
    const row = part.getByRole('row').filter({ hasText: 'main' });
    await row.getByText('gpu', { exact: true }).waitFor();
    expect(await row.getByRole('cell').allTextContents()).toEqual([
      `one ${TAG}`,
      expect.stringContaining(`${TAG}gpu`),
    ]);
    await page.goto(`${server.url}/ui/compare?a=${before}&b=${before}`);
    await page.getByText('All jobs ended the same way').waitFor();
    expect(await part.count()).toBe(0);
  });
});
