/** Files of runs in a real browser: pages of tests in frames, and reports on their own port. */
import { REPORT_FOLDER_TYPE } from '@tutti/manifests';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { detailsOf } from '../support/api.ts';
import { findChromium, launchChromium } from '../support/browser.ts';
import { signIn } from '../support/browser-session.ts';
import { freePort } from '../support/free-port.ts';
import { buildPage, expectAccessible, openPage } from '../support/page.ts';
import { attachmentOf, ended, oneJob, sh, start } from '../support/runs.ts';
import { type ServerChild, Workbench } from '../support/workbench.ts';

const program = findChromium();

/** Says in its title what its script could do. */
const HOSTILE = `<!doctype html><title>start</title><body><script>
const tried = [];
const note = (what, work) => { try { tried.push(what + ":" + work()); } catch { tried.push(what + ":refused"); } };
note("cookie", () => document.cookie);
note("parent", () => parent.document.title);
note("storage", () => localStorage.length);
const asked = ["/namespaces", "http://127.0.0.1:1/"].map((address) =>
  fetch(address, { credentials: "include" }).then(() => "loaded", () => "refused"));
Promise.all(asked).then((answers) => { document.body.textContent = [...tried, ...answers].join(" "); });
</script>`;

/** A report with a worker, as that of Playwright, which reads a neighbour. */
const REPORT = `<!doctype html><title>report</title><body>begun<script>
navigator.serviceWorker.register("worker.js")
  .then(() => navigator.serviceWorker.ready)
  .then(() => fetch("data.txt")).then((answer) => answer.text())
  .then((text) => { document.body.textContent = "read " + text; },
    (error) => { document.body.textContent = String(error); });
</script>`;

const attached = (type: string, file: string) => `echo "::attach type=${type}::$PWD/${file}"`;
const written = (file: string, text: string) => `cat > ${file} <<'END'\n${text}\nEND`;

let bench: Workbench;
let server: ServerChild;
let browser: Browser;
let cookie: string;
let hostile: string;
let report: string;

describe.skipIf(program === null)('in a browser', () => {
  beforeAll(async () => {
    bench = await Workbench.open();
    const ui = { reportsPort: await freePort() };
    server = await bench.server({ config: { ui } });
    await bench.agent(server, { tags: ['linux'] });
    const made = async (script: string) => {
      const id = await start(server, oneJob('files', [sh(script)]));
      await ended(server, id);
      return attachmentOf(server, id);
    };
    hostile = await made(`${written('x.html', HOSTILE)}\n${attached('text/html', 'x.html')}`);
    report = await made(
      [
        'mkdir -p out/html; cd out/html',
        written('index.html', REPORT),
        'echo "self.addEventListener(\'fetch\', () => {});" > worker.js; printf neighbour > data.txt',
        'cd ../..; tar -czf r.tar.gz -C out ./html',
        attached(REPORT_FOLDER_TYPE, 'r.tar.gz'),
      ].join('\n'),
    );
    cookie = await signIn(server.url, { authorization: `Bearer ${server.token}` });
    browser = await launchChromium(program ?? '');
  });

  afterAll(async () => {
    await browser?.close();
    await bench?.close();
  });

  /** A page of the server itself, whose frame has that address. */
  async function framed(address: string): Promise<string> {
    const context = await browser.newContext();
    const [name = '', value = ''] = cookie.split('=');
    await context.addCookies([
      { name, value, url: server.url, httpOnly: true, sameSite: 'Strict' },
    ]);
    const page = await context.newPage();
    await page.route(`${server.url}/ui/frame`, (route) =>
      route.fulfill({ contentType: 'text/html', body: `<iframe src="${address}"></iframe>` }),
    );
    await page.goto(`${server.url}/ui/frame`);
    const body = page.frameLocator('iframe').locator('body');
    await body.filter({ hasText: /refused|loaded/ }).waitFor();
    const text = (await body.textContent())?.trim() ?? '';
    await context.close();
    return text;
  }

  test('a page of a test runs in its frame, and reaches nothing', async () => {
    expect(await framed(`${server.url}${hostile}/view`)).toBe(
      'cookie:refused parent:refused storage:refused refused refused',
    );
  });

  test('a report has its workers and neighbours on a port of its own', async () => {
    const { page: address } = detailsOf(await server.call('POST', `${report}/ticket`));
    const page = await browser.newPage();
    await page.goto(String(address));
    await expect.poll(() => page.textContent('body')).toBe('read neighbour');
    await page.close();
  });

  test('the page of the run opens a report, whose scripts cannot use the session', async () => {
    await buildPage();
    const [, runId = ''] = /^\/workflows\/([^/]+)/.exec(report) ?? [];
    const { page } = await openPage(browser, server, `/runs/${runId}/files`);
    await page.getByRole('link', { name: 'r.tar.gz' }).click();
    const opened = page.context().waitForEvent('page');
    await page.getByRole('button', { name: 'Open report' }).click();
    const shown = await opened;
    await expect.poll(() => shown.textContent('body')).toBe('read neighbour');
    // It has no handle of the page that opened it, no cookie of it, and may ask no other port.
    expect(await shown.evaluate('[opener, document.cookie]')).toEqual([null, '']);
    const asked = shown.evaluate(
      `fetch('${server.url}/namespaces', { credentials: 'include' }).then(() => 'loaded', () => 'refused')`,
    );
    expect(await asked).toBe('refused');
    // An address that counts is used again, so that the server keeps the report once.
    const again = page.context().waitForEvent('page');
    await page.getByRole('button', { name: 'Open report' }).click();
    expect((await again).url()).toBe(shown.url());
    await expectAccessible(page);
  });
});
