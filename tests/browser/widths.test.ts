/** Each page from the width of a phone to that of a laptop: nobody has to move it sideways. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bodyOf, itemsOf } from '../support/api.ts';
import { findChromium, launchChromium } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import { buildPage, expectToFit, openPage } from '../support/page.ts';
import { ended, start, workersEnded } from '../support/runs.ts';
import { sharedServer } from '../support/shared-server.ts';
import { failingRun, openRun } from '../support/shown-runs.ts';

const program = findChromium();
const WIDTHS = [360, 600, 800, 1024, 1280];
const LONG = 'a-long-name-of-a-thing-that-somebody-calls-by-its-full-path'.repeat(2);

/** The failing run, with long names wherever a team may choose one. */
function longNamed() {
  const { metadata, jobs, ...rest } = failingRun('aGk=');
  const { build, test: tests } = Object(jobs);
  return {
    ...rest,
    metadata: {
      ...Object(metadata),
      name: `shop ${LONG}`,
      labels: { [`team.example/${LONG.slice(0, 60)}`]: LONG.slice(0, 60) },
    },
    jobs: { build: { ...build, name: `Build ${LONG}` }, test: { ...tests, name: `Test ${LONG}` } },
  };
}

describe.skipIf(program === null)('at any width', async () => {
  const { bench, server } = await sharedServer({ tags: ['linux'], slots: 2, name: 'builder' });
  let browser: Browser;
  let first: string;
  let failed: string;
  let going: string;

  beforeAll(async () => {
    await buildPage();
    browser = await launchChromium(program ?? '');
    const query = `version=${LONG.slice(0, 80)}&branch=main`;
    first = await start(server, failingRun('aGk='), query);
    failed = await start(server, longNamed(), query);
    for (const id of [first, failed]) {
      await ended(server, id);
      await workersEnded(server, id);
    }
    going = await start(server, openRun(bench.path('go')));
    await eventually('the history of tests', async () => (await tests()).length === 8);
    const [one] = await tests();
    const path = `/tests/${Object(one).metadata.id}/quarantine`;
    const body = { reason: LONG, link: `https://tracker.example.com/${LONG}` };
    expect((await server.call('POST', path, { body })).code).toBe(201);
  }, 120_000);
  afterAll(() => browser.close());

  const tests = async () => itemsOf(await server.call('GET', '/tests'));
  const agents = async () => Object(bodyOf(await server.call('GET', '/agents'))).items;
  const general = async () => [
    '/',
    '/runs',
    '/tests',
    `/tests/${Object((await tests())[0]).metadata.id}`,
    '/quarantine',
    '/queue',
    '/environments',
    `/environments/${Object((await agents())[0]).metadata.agent_id}`,
    '/workflows',
    '/workflows/default/shop%20nightly',
    `/compare?a=${first}&b=${failed}`,
    `/start?from=${failed}`,
    '/settings',
    '/about',
  ];
  const aboutRun = () => [
    `/runs/${going}`,
    ...[
      '',
      '/jobs',
      '/jobs?job=test',
      '/jobs?view=graph',
      '/jobs?view=timeline',
      '/log',
      '/tests',
      '/tests?outcome=failure',
      '/files',
      '/gates',
      '/events',
      '?at=5',
    ].map((path) => `/runs/${failed}${path}`),
  ];

  async function expectToFitAlways(page: Page, path: string): Promise<void> {
    await page.goto(`${server.url}/ui${path}`);
    await page.locator('main section, main [role=grid], main [role=treegrid]').first().waitFor();
    await eventually(
      'the placeholders to go',
      async () => (await page.locator('main div[aria-hidden] > div:empty').count()) === 0,
    );
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 900 });
      await expectToFit(page);
    }
  }

  test('no page of all runs is wider than the screen', async () => {
    const { page } = await openPage(browser, server, '/about');
    for (const path of await general()) await expectToFitAlways(page, path);
  });

  test('no page of a run is wider than the screen', async () => {
    const { page } = await openPage(browser, server, '/about');
    for (const path of aboutRun()) await expectToFitAlways(page, path);
  });
});
