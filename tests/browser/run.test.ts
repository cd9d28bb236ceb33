/** The pages of one run in a browser, with a real server and a real agent. */
import { writeFile } from 'node:fs/promises';
import { REPORT_FOLDER_TYPE } from '@tutti/manifests';
import axe from 'axe-core';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { bodyOf, detailsOf } from '../support/api.ts';
import { findChromium, LOOK_FOR_VIOLATIONS, launchChromium } from '../support/browser.ts';
import { signIn } from '../support/browser-session.ts';
import { freePort } from '../support/free-port.ts';
import { OTHERS_IN_MAIN, TURNING } from '../support/hostile-texts.ts';
import { buildPage, PATIENCE_MS } from '../support/page.ts';
import { ended, logged, oneJob, sh, start, workersEnded } from '../support/runs.ts';
import { type ReportedCase, reportStep } from '../support/sample-run.ts';
import { sharedServer } from '../support/shared-server.ts';
import { expectJobs, foldedJobs } from '../support/shown-jobs.ts';
import { failingRun, openRun } from '../support/shown-runs.ts';

const program = findChromium();
const WIDE = { viewport: { width: 1280, height: 900 } } as const;
const LOOKS = [
  ['light, 1280 px', { ...WIDE, colorScheme: 'light' }],
  ['dark, 360 px', { viewport: { width: 360, height: 780 }, colorScheme: 'dark' }],
] as const;
/** Texts of a workflow that try to be more than text. */
const EVIL = `<img src=x onerror="document.title='evil'"><script>document.title='evil'</script>`;
const URL_OF_OTHERS = 'https://example.invalid/x.png';

/** Names, texts and files of a run that try to be more than text, and a line of a megabyte. */
function hostileRun() {
  const text = `${EVIL} ${URL_OF_OTHERS} \u202Edesrever`;
  const inXml = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
  const failure = `<failure message="${inXml}" type="${inXml}">${inXml}</failure>`;
  const inQuotes = text.replaceAll("'", '"');
  const script = `printf '%s\\n' '${inQuotes}' "$(printf '\\033]8;;${URL_OF_OTHERS}\\007link\\033]8;;\\007 \\033[2J')"
echo '::error::${inQuotes}'
head -c 1000000 /dev/zero | tr '\\0' x; echo
file='<img src=x onerror=alert(1)>.txt'; echo "$file" > "$file"; echo "::attach::$PWD/$file"
exit 1`;
  return {
    metadata: { name: `shop ${text}`, labels: { team: text } },
    variables: { TEXT: text },
    inputs: { wanted: { description: text, type: 'string', default: text } },
    jobs: {
      main: {
        name: text,
        'runs-on': 'linux',
        steps: [
          reportStep([{ name: inXml, seconds: 0.1, outcome: failure }]),
          sh(script, { name: text }),
        ],
      },
    },
  };
}

/** The cookie of a new session. */
async function cookieOf({ url, token }: { readonly url: string; readonly token: string }) {
  const authorization = `Bearer ${token}`;
  const [name = '', value = ''] = (await signIn(url, { authorization })).split('=');
  return { name, value, url, httpOnly: true, sameSite: 'Strict' } as const;
}

/** A screenshot such as tests take. */
async function pictureOfShop(browser: Browser): Promise<string> {
  const page = await browser.newPage({ viewport: { width: 480, height: 270 } });
  await page.setContent(
    '<body style="font: 20px sans-serif; background: #fff3e8"><h1>Shop</h1><p>Total <b>29.97 €</b></p><button>Pay</button>',
  );
  const picture = await page.screenshot();
  await page.close();
  return picture.toString('base64');
}

describe.skipIf(program === null)('the page of a run', async () => {
  const { bench, server } = await sharedServer({ tags: ['linux'], slots: 2 });
  let browser: Browser;
  let failed: string;

  beforeAll(async () => {
    await buildPage();
    browser = await launchChromium(program ?? '');
    failed = await start(server, failingRun(await pictureOfShop(browser)));
    await ended(server, failed);
    await workersEnded(server, failed);
  }, 120_000);
  afterAll(() => browser.close());

  /** The open page, its requests to other hosts, and what it complained of. */
  async function open(path: string, options: BrowserContextOptions = WIDE, of = server) {
    const context = await browser.newContext({ reducedMotion: 'reduce', ...options });
    onTestFinished(() => context.close());
    context.setDefaultTimeout(PATIENCE_MS);
    await context.addCookies([await cookieOf(of)]);
    const page = await context.newPage();
    const complaints: string[] = [];
    const strange: string[] = [];
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('dialog', (dialog) => complaints.push(dialog.message()));
    page.on('request', (request) => {
      const url = request.url();
      if (!/^(blob|data):/.test(url) && !url.startsWith(of.url)) strange.push(url);
    });
    await page.goto(`${of.url}/ui/${path}`);
    await page.getByRole('navigation', { name: 'Run' }).waitFor();
    return { page, complaints, strange };
  }

  async function violations(page: Page): Promise<readonly string[]> {
    await page.evaluate(axe.source);
    const found = (await page.evaluate(LOOK_FOR_VIOLATIONS)) as axe.AxeResults;
    return found.violations.map(
      ({ id, nodes }) => `${id}: ${nodes[0]?.html}: ${nodes[0]?.failureSummary}`,
    );
  }

  const moment = (page: Page) => page.getByRole('slider', { name: 'Moment of the run' });
  const row = (page: Page, name: string) =>
    page.getByRole('row').filter({ has: page.getByRole('link', { name, exact: true }) });

  test('Did it pass? If not, what failed first?', async () => {
    const { page, complaints, strange } = await open(`runs/${failed}`);
    const first = page.getByRole('region', { name: 'Failed first' });
    await first.getByText('expected 30 but was 29.97').first().waitFor();
    expect(await first.getByRole('link').first().textContent()).toBe('test ▸ Test the shop');
    expect(await first.textContent()).toContain('exit code 3');
    expect(await first.getByRole('region', { name: 'Output' }).textContent()).toContain(
      'Tests run: 4, Failures: 1, Errors: 1, Skipped: 1',
    );
    // The picture of the failed test, and not the newest one; the place is that of its report.
    await first.getByRole('img', { name: 'sums prices.png' }).waitFor();
    const failedTest = first.getByRole('region', { name: 'Failed test' });
    expect(await failedTest.getByRole('code').textContent()).toBe('CartTest.java:41');
    // All of that is on the first screen.
    const box = await first.getByRole('region', { name: 'Output' }).boundingBox();
    expect((box?.y ?? 1_000) + (box?.height ?? 1_000)).toBeLessThan(900);
    expect([...complaints, ...strange]).toEqual([]);
  });

  test('What runs where, what waits for what, and what took the time?', async () => {
    const { page } = await open(`runs/${failed}/jobs`);
    await row(page, 'test').getByText('2 failed').waitFor();
    await page.getByRole('link', { name: 'deploy', exact: true }).click();
    const drawer = page.getByRole('complementary', { name: 'Job' });
    await drawer.getByText('skipped').first().waitFor();
    expect(page.url()).toContain('job=deploy');
    await drawer.getByRole('link', { name: 'test', exact: true }).click();
    await drawer.getByText('exit code 3').first().waitFor();
    await page.getByRole('button', { name: 'Graph' }).click();
    const graph = page.getByRole('group', { name: /^Graph of jobs/ });
    await graph.focus();
    await page.keyboard.press('ArrowLeft');
    await drawer.getByRole('heading', { name: 'build' }).waitFor();
    await page.getByRole('button', { name: 'Timeline' }).click();
    await page.getByText('decided the duration of the run').waitFor();
  });

  test('What did the run print there?', async () => {
    const { page, complaints } = await open(`runs/${failed}/log`);
    const log = page.getByRole('region', { name: 'Log' });
    await log.getByText('Tests run: 4', { exact: false }).first().waitFor();
    // The colours of the step are classes: the policy of the page allows no styles in markup.
    expect(await log.getByText('FAILED', { exact: true }).getAttribute('class')).toContain('red');
    await page.getByRole('searchbox', { name: 'Search in the log' }).fill('compiling');
    await page.getByRole('status').getByText('1 of 2 lines').waitFor();
    await log.getByText('Compiling 128 files', { exact: true }).waitFor();
    await page.getByRole('combobox', { name: 'Job' }).selectOption('test');
    await page.getByRole('combobox', { name: 'Step' }).selectOption({ label: '✗ Test the shop' });
    await page.getByRole('searchbox', { name: 'Search in the log' }).fill('');
    await log.getByText('Running 4 tests of the shop', { exact: true }).waitFor();
    expect(await log.getByText('Compiling 128 files').count()).toBe(0);
    await log
      .getByRole('button', { name: /^Mark line/ })
      .first()
      .click();
    await page.waitForURL(/line=\d+/);
    expect(complaints).toEqual([]);
  });

  test('a long log opens at its end while it grows, and any line is a jump away', async () => {
    const file = bench.path('go');
    const print = 'seq -f "number %g" 1 20000';
    const wait = `until [ -e ${file} ]; do sleep 0.05; done; echo the last one`;
    const id = await start(server, oneJob('long', [sh(`${print}; ${wait}`)]));
    await logged(server, id, 'number 20000');
    const { page } = await open(`runs/${id}/log`);
    const log = page.getByRole('region', { name: 'Log' });
    await log.getByText('number 20000', { exact: true }).waitFor();
    expect(await log.getByRole('button').count()).toBeLessThan(200);
    await writeFile(file, '');
    await log.getByText('the last one', { exact: true }).waitFor();
    await page.getByRole('searchbox', { name: 'Search in the log' }).fill('number 12345');
    await log.getByText('number 12345', { exact: true }).waitFor();
    await log.focus();
    await page.keyboard.press('Home');
    await log.getByText('number 1', { exact: true }).waitFor();
    await page.keyboard.press('End');
    await log.getByText('the last one', { exact: true }).waitFor();
  });

  test('groups of lines are folded, and a search opens them', async () => {
    const script =
      'echo begin; echo "::group::Install it"; seq -f "package %g" 1 40; echo "::endgroup::"; echo end';
    const id = await start(server, oneJob('groups', [sh(script)]));
    await ended(server, id);
    const { page } = await open(`runs/${id}/log?job=main`);
    const log = page.getByRole('region', { name: 'Log' });
    await log.getByText('package 3', { exact: true }).waitFor();
    await log.getByRole('button', { name: '40 lines of this group' }).click();
    await log.getByText('package 3', { exact: true }).waitFor({ state: 'detached' });
    expect(await log.getByText('end', { exact: true }).count()).toBe(1);
    expect(await violations(page)).toEqual([]);
    await page.getByRole('searchbox', { name: 'Search in the log' }).fill('package 33');
    await log.getByText('package 33', { exact: true }).waitFor();
    await page.getByRole('searchbox', { name: 'Search in the log' }).fill('');
    await log.getByText('package 33', { exact: true }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Unfold all groups' }).click();
    await log.getByText('package 3', { exact: true }).waitFor();
  });

  test('Which tests failed, and why?', async () => {
    const { page } = await open(`runs/${failed}/tests`);
    await page.getByRole('button', { name: /^failed 2/ }).click();
    await page.getByRole('row').filter({ hasText: 'sums prices' }).click();
    const panel = page.getByRole('complementary', { name: 'Test case' });
    await panel.getByText('CartTest.java:41').waitFor();
    expect(page.url()).toContain('outcome=failure');
    await page.getByRole('button', { name: 'Close the test case' }).click();
    await page.getByRole('searchbox', { name: "Part of a test's name" }).fill('card');
    await page.waitForURL(/q=card/);
    await page.getByRole('row').filter({ hasText: 'pays by card' }).waitFor();
    expect(await page.getByText('sums prices').count()).toBe(0);
  });

  test('Where is the screenshot, the report or the trace?', async () => {
    const { page, complaints, strange } = await open(`runs/${failed}/files`);
    await page.getByRole('link', { name: /report\.html$/ }).click();
    const report = page.frameLocator('iframe');
    await report.getByRole('heading', { name: 'A report' }).waitFor();
    expect(await report.locator('#place').textContent()).toBe('null');
    await page.getByRole('link', { name: /report\.xml$/ }).click();
    await page.getByText('expected 30 but was 29.97').first().waitFor();
    expect([...complaints, ...strange]).toEqual([]);
  });

  test('a server without a port for reports says what to do', async () => {
    const script = `mkdir html; echo '<h1>R</h1>' > html/index.html; tar -czf r.tar.gz html
echo "::attach type=${REPORT_FOLDER_TYPE}::$PWD/r.tar.gz"`;
    const id = await start(server, oneJob('report', [sh(script)]));
    await ended(server, id);
    const { page } = await open(`runs/${id}/files`);
    await page.getByRole('link', { name: 'r.tar.gz' }).click();
    await page.getByRole('button', { name: 'Open report' }).click();
    const advice = page.getByRole('alert');
    await advice.getByText('ui.reportsPort').waitFor();
    await advice.getByRole('button', { name: `tutti report open ${id}` }).waitFor();
    expect(await violations(page)).toEqual([]);
  });

  test('May this be released, and which rule says no?', async () => {
    const { page } = await open(`runs/${failed}/gates`);
    await page.getByRole('heading', { name: 'strict' }).waitFor();
    await page.getByText(/2 failed\./).waitFor();
  });

  test('What exactly happened, and in which order?', async () => {
    const { page } = await open(`runs/${failed}/events`);
    await page.getByRole('button', { name: 'WorkflowCanceled' }).click();
    await page.getByRole('row').filter({ hasText: 'WorkflowCanceled' }).click();
    const panel = page.getByRole('complementary', { name: 'Event' });
    await panel.getByText('"kind": "WorkflowCanceled"').waitFor();
  });

  test('What did it look like then?', async () => {
    const { page } = await open(`runs/${failed}/jobs`);
    await row(page, 'build').waitFor();
    const total = Number(await moment(page).getAttribute('max'));
    for (const at of [2, Math.floor(total / 2), total - 3]) {
      await page.goto(`${server.url}/ui/runs/${failed}/jobs?at=${at}`);
      await page.getByText(`at event ${at} of ${total}`).waitFor();
      const answer = await server.call('GET', `/workflows/${failed}/view`, { query: `at=${at}` });
      const jobs = detailsOf(answer).jobs as readonly { name: string; status: string }[];
      const words = {
        WAITING: 'waiting',
        RUNNING: 'running',
        SUCCEEDED: 'passed',
        FAILED: 'failed',
      };
      for (const { name, status } of jobs.slice(0, 3)) {
        const word = words[status as keyof typeof words];
        await row(page, name).getByText(word, { exact: true }).first().waitFor();
      }
    }
    await page.getByRole('button', { name: 'To the end' }).click();
    await page.getByRole('button', { name: 'Rerun', exact: true }).waitFor();
    await page.keyboard.press(',');
    await page.getByText(`at event ${total - 1} of ${total}`).waitFor();
    expect(await page.getByRole('button', { name: 'Rerun', exact: true }).count()).toBe(0);
  });

  test('a run with too many events for a page has its marks from the server', async () => {
    const { page } = await open(`runs/${failed}`);
    // A run that long takes minutes. So the answer only says that it is.
    const view = bodyOf(await server.call('GET', `/workflows/${failed}/view`));
    const json = { ...view, details: { ...(view.details as object), total: 20_001 } };
    await page.route(/\/view(\?|$)/, (route) => route.fulfill({ json }));
    const asked = page.waitForResponse(/\/marks$/);
    await page.reload();
    expect((await asked).status()).toBe(200);
    const ticks = page.getByRole('region', { name: 'Moments' }).locator('[data-kind=failure]');
    await expect.poll(() => ticks.getAttribute('d')).toMatch(/^M/);
  });

  test('How many causes do many failed tests have?', async () => {
    const failed = (name: string, message: string) => ({
      ...{ name, seconds: 0.1 },
      outcome: `<failure type="E" message="${message}"/>`,
    });
    const cases = ['17', '42', '99'].map((order) => failed(`order ${order}`, `no order ${order}`));
    const steps = [reportStep([...cases, failed('pays', 'connection refused')])];
    const id = await start(server, oneJob('many', steps));
    await ended(server, id);
    await workersEnded(server, id);
    const { page } = await open(`runs/${id}`);
    const causes = page.getByRole('region', { name: 'Causes' });
    await causes.getByText('4 failures have 2 causes.').waitFor();
    await causes.getByText('new in this run').nth(1).waitFor();
    expect(await causes.getByRole('listitem').allTextContents()).toEqual([
      '3 ×no order <number>suite#order 17 and 2 morenew in this run',
      '1 ×connection refusedsuite#paysnew in this run',
    ]);
    expect(await violations(page)).toEqual([]);
    await causes.getByRole('link', { name: 'suite#order 17' }).click();
    await page.getByRole('complementary', { name: 'Test case' }).getByText('no order 17').waitFor();
  });

  test('What is different between two runs?', async () => {
    const pair = (status: number, version: string, cases: readonly ReportedCase[]) => ({
      ...oneJob('pair', [reportStep(cases), sh(`exit ${status}`, { name: 'Look' })]),
      variables: { VERSION: version, SHOP: 'example' },
    });
    const failure = '<failure message="expected 30" type="E">expected 30</failure>';
    const passed = await start(
      server,
      pair(0, '1.4.1', [
        { name: 'sums', seconds: 0.1 },
        { name: 'waits', seconds: 1 },
        { name: 'leaves', seconds: 0.1 },
      ]),
    );
    const broken = await start(
      server,
      pair(4, '1.4.2', [
        { name: 'sums', seconds: 0.1, outcome: failure },
        { name: 'waits', seconds: 9 },
        { name: 'arrives', seconds: 0.1 },
      ]),
    );
    for (const id of [passed, broken]) {
      await ended(server, id);
      await workersEnded(server, id);
    }
    const { page } = await open(`runs/${broken}`);
    await page.getByRole('link', { name: 'Compare' }).click();
    const before = page.getByRole('region', { name: 'Before' });
    await before.getByRole('button', { name: 'The last that passed before it' }).click();
    await page.waitForURL((url) => url.search.includes(passed));
    const jobs = page.getByRole('region', { name: 'Jobs' });
    await jobs.getByText('1 of 1 jobs differ').waitFor();
    expect(await jobs.getByRole('listitem').textContent()).toBe('mainpassed→failed');
    const workflow = page.getByRole('region', { name: 'Differences of the workflow' });
    await workflow.locator('[data-change="+"]').getByText('exit 4').waitFor();
    const list = (name: string) => page.getByRole('region', { name, exact: true });
    await list('Newly failed').getByText('expected 30').waitFor();
    expect(await list('Slower').getByRole('listitem').textContent()).toBe(
      'waits suite in main1.0 s→9.0 s',
    );
    await list('New').getByRole('link', { name: 'arrives' }).waitFor();
    await list('Gone').getByRole('link', { name: 'leaves' }).waitFor();
    const values = list('Inputs, variables and labels').getByRole('row');
    expect(await values.allTextContents()).toEqual([
      'WhatBeforeAfter',
      'Variable VERSION1.4.11.4.2',
    ]);
    expect(await violations(page)).toEqual([]);
  });

  test('a run is live: what runs, what waits and why, and what would help', async () => {
    const file = bench.path('go');
    const id = await start(server, openRun(file));
    const { page } = await open(`runs/${id}`);
    await page.getByRole('region', { name: 'Running' }).getByText('request 2').waitFor();
    const waiting = page.getByRole('region', { name: 'Waiting' });
    await waiting.getByText(/no environment with tag "gpu"/).waitFor();
    await waiting.getByText(/^What would help: Start an agent/).waitFor();
    await writeFile(file, '');
    await page.getByText('1 of 3 jobs succeeded', { exact: false }).waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Cancel the run' }).click();
    await page.getByRole('heading', { name: /canceled/ }).waitFor();
    expect(await ended(server, id)).toBe('FAILED');
    await page.getByText('complete').waitFor();
  });

  test('what failed is run again', async () => {
    const { page } = await open(`runs/${failed}`);
    await page.getByRole('button', { name: 'Rerun failed' }).click();
    await page.getByRole('button', { name: 'Rerun failed jobs' }).click();
    await page.waitForURL((url) => !url.href.includes(failed));
    const id = page.url().split('/runs/')[1] ?? '';
    expect(await ended(server, id)).toBe('FAILED');
  });

  test('a server that is killed ten times under the page loses nothing on it', async () => {
    const options = { port: await freePort(), dataDir: bench.path('killed') };
    let killed = await bench.server(options);
    await bench.agent(killed, { tags: ['linux'] });
    const file = bench.path('go');
    const id = await start(killed, openRun(file));
    const { page } = await open(`runs/${id}`, WIDE, killed);
    await page.getByRole('region', { name: 'Running' }).getByText('request 2').waitFor();
    for (let kills = 0; kills < 10; kills += 1) {
      await killed.child.kill('SIGKILL');
      await page
        .locator('main')
        .getByText(/not live since/)
        .waitFor();
      expect(await page.getByText('request 2').count()).toBe(1);
      killed = await bench.server(options);
      await page.locator('main').getByText('live', { exact: true }).waitFor();
    }
    // A page whose code never came waits for the server, and the frame stays.
    await killed.child.kill('SIGKILL');
    await page.getByRole('link', { name: 'Environments' }).click();
    await page
      .getByText(/not live since/)
      .first()
      .waitFor();
    killed = await bench.server(options);
    await page.getByRole('heading', { name: 'Environments' }).waitFor();
    await page.goBack();
    await writeFile(file, '');
    await page.getByText('1 of 3 jobs succeeded', { exact: false }).waitFor();
    await killed.call('DELETE', `/workflows/${id}`);
    await page.getByText('complete', { exact: true }).waitFor();
    const answer = await killed.call('GET', `/workflows/${id}/view`);
    const { total, run } = detailsOf(answer) as { total: number; run: { status: string } };
    expect(run.status).toBe('CANCELED');
    await page.getByRole('heading', { name: /canceled/ }).waitFor();
    expect(await moment(page).getAttribute('max')).toBe(String(total));
    // Nothing is left that the log does not say.
    await expectJobs(page, await foldedJobs(killed, id));
  });

  test('hostile texts of any field stay texts', async () => {
    const id = await start(server, hostileRun());
    await ended(server, id);
    await workersEnded(server, id);
    const { page, complaints, strange } = await open(`runs/${id}`);
    const [, name = ''] = page.url().split('/ui/');
    for (const path of [
      name,
      `${name}/jobs?job=main`,
      `${name}/jobs?view=graph`,
      `${name}/jobs?view=timeline`,
      `${name}/log`,
      `${name}/tests`,
      `${name}/files`,
      `${name}/events?event=1`,
      `compare?a=${failed}&b=${id}`,
      `start?from=${id}`,
    ]) {
      await page.goto(`${server.url}/ui/${path}`);
      const shown = page.locator('main').getByText('onerror').first();
      // The plan comes with the form of the inputs.
      if (path.startsWith('start')) await page.getByText('What it will run').waitFor();
      else await shown.waitFor({ state: 'attached' });
      // Its tests come last.
      if (path.startsWith('compare')) await page.locator('main bdi[class*=message]').waitFor();
      expect(await page.title(), path).not.toBe('evil');
      expect(await page.locator(OTHERS_IN_MAIN).count(), path).toBe(0);
      // Where a mark that turns text around is not written as its number, it turns no other text.
      expect(await page.evaluate(TURNING), path).toEqual([]);
    }
    await page.goto(`${server.url}/ui/${name}/tests`);
    await page.getByRole('row').filter({ hasText: 'onerror' }).first().click();
    const panel = page.getByRole('complementary', { name: 'Test case' });
    await panel.getByText('onerror').first().waitFor();
    expect(await page.locator('main img, main script').count()).toBe(0);
    expect([...complaints, ...strange]).toEqual([]);
  });

  test('the keyboard alone goes from the failure to its log and back', async () => {
    const { page } = await open(`runs/${failed}`);
    // The mark of the failure: all events have come.
    await page.locator('path[data-kind="failure"][d^="M"]').waitFor({ state: 'attached' });
    await page.keyboard.press(']');
    await page.getByRole('toolbar', { name: 'View' }).waitFor();
    await page.getByRole('treegrid', { name: 'Jobs' }).getByRole('link').first().focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForURL(/job=/);
    await page.keyboard.press('l');
    await page.waitForURL(/\/log/);
    await page.keyboard.press('f');
    await page.waitForURL(/at=/);
  });

  describe.each(LOOKS)('%s', (_look, options) => {
    test('axe finds nothing, and nothing is cut', async () => {
      const { page } = await open(`runs/${failed}`, options);
      for (const tab of [
        '',
        '/jobs?job=test',
        '/jobs?view=graph&job=test',
        '/jobs?view=timeline',
        '/log',
        '/tests',
        '/files',
        '/gates',
        '/events',
        '?at=20',
      ]) {
        await page.goto(`${server.url}/ui/runs/${failed}${tab}`);
        await page.getByRole('navigation', { name: 'Run' }).waitFor();
        await page.waitForLoadState('networkidle').catch(() => {});
        expect(await violations(page), tab).toEqual([]);
        const width = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
        expect(await page.evaluate(width), tab).toBe(0);
      }
    });
  });

  test('a run that is not there says what may have happened', async () => {
    const context = await browser.newContext(WIDE);
    onTestFinished(() => context.close());
    await context.addCookies([await cookieOf(server)]);
    const page = await context.newPage();
    await page.goto(`${server.url}/ui/runs/11111111-1111-4111-8111-111111111111`);
    await page.getByRole('heading', { name: 'There is no such run' }).waitFor();
    expect(await violations(page)).toEqual([]);
  });
});
