/** The page in a browser: signing in, and what needs no run. */
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { findChromium, launchChromium } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import { pressPair } from '../support/keyboard.ts';
import { buildPage, expectAccessible, openPage, openTab, signInWithCode } from '../support/page.ts';
import { type ServerChild, Workbench } from '../support/workbench.ts';

const program = findChromium();

describe.skipIf(program === null)('the page', () => {
  let bench: Workbench;
  let browser: Browser;
  let server: ServerChild;

  beforeAll(async () => {
    await buildPage();
    bench = await Workbench.open();
    server = await bench.server();
    await bench.agent(server, { tags: ['linux', 'node'], name: 'builder' });
    browser = await launchChromium(program ?? '');
  });
  afterAll(async () => {
    await browser.close();
    await bench.close();
  });

  describe('Sign in: who am I here, what may I do, and which version is this?', () => {
    test('a browser that opens the address of the server signs in with a token', async () => {
      const { page, complaints } = await openTab(browser, server.url);
      await page.goto(server.url);
      await page.getByLabel('Token').fill(server.token);
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Now', exact: true }).waitFor();
      expect(new URL(page.url()).pathname).toBe('/ui/');
      const kept = await page.evaluate(
        'JSON.stringify([localStorage, sessionStorage, document.cookie])',
      );
      expect(kept).toBe('[{},{},""]');
      // Nobody was signed in at first.
      expect(complaints.filter((text) => !text.includes('401'))).toEqual([]);
    });

    test('a link of the command line signs in once, and leads to its place', async () => {
      const { page } = await openTab(browser, server.url);
      await signInWithCode(page, server, '/settings');
      await page.getByRole('heading', { name: 'Settings' }).waitFor();
      expect(page.url()).toBe(`${server.url}/ui/settings`);
      expect(await page.getByRole('main').textContent()).toContain('admin');
    });

    test('an address is kept for the time after signing in', async () => {
      const { page } = await openTab(browser, server.url);
      await page.goto(`${server.url}/ui/environments?tag=linux`);
      await page.getByLabel('Token').fill(server.token);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('link', { name: 'builder' }).waitFor();
      expect(page.url()).toBe(`${server.url}/ui/environments?tag=linux`);
    });

    test.each(['//evil.example', '/\\evil.example', 'https://evil.example', 'javascript:alert(1)'])(
      'a link to %s leads to no other place',
      async (place) => {
        const { page, complaints } = await openTab(browser, server.url);
        await signInWithCode(page, server, place);
        await page.getByRole('heading', { name: 'Now', exact: true }).waitFor();
        expect(new URL(page.url()).origin).toBe(server.url);
        expect(complaints.filter((text) => text.includes('evil'))).toEqual([]);
      },
    );

    test('a wrong token is refused with its reason', async () => {
      const { page } = await openTab(browser, server.url);
      await page.goto(`${server.url}/ui/login`);
      await page.getByLabel('Token').fill('wrong');
      await page.getByRole('button', { name: 'Sign in' }).click();
      expect(await page.getByRole('alert').textContent()).toContain('Unauthorized (401)');
      await expectAccessible(page);
    });

    test('signing out ends the session everywhere', async () => {
      const { page } = await openPage(browser, server, '/settings');
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.getByLabel('Token').waitFor();
      await page.goBack();
      await page.getByLabel('Token').waitFor();
    });
  });

  describe('Environments: which machine is free, busy or lost, and what waits for it?', () => {
    test('each is listed by its tags, with its state', async () => {
      const { page } = await openPage(browser, server, '/environments');
      const group = page.getByRole('region', { name: 'linux, node' });
      await group.waitFor();
      expect(await group.textContent()).toMatch(/1 idle.*idlebuilder/);
    });

    test('draining asks once, and says what it will do', async () => {
      const { page } = await openPage(browser, server, '/environments');
      await page.getByRole('link', { name: 'builder' }).click();
      await page.getByRole('button', { name: 'Drain' }).click();
      const question = page.getByRole('alertdialog', { name: 'Drain builder?' });
      expect(await question.textContent()).toContain('gets no other');
      await expectAccessible(page);
      await question.getByRole('button', { name: 'Drain' }).click();
      await page.getByText('draining', { exact: true }).waitFor();
      await page.getByRole('button', { name: 'Undrain' }).click();
      await page.getByRole('alertdialog').getByRole('button', { name: 'Undrain' }).click();
      await page.getByText('idle', { exact: true }).waitFor();
    });
  });

  describe('Start: is this workflow valid, and what will it run?', () => {
    const WRONG = 'metadata: {name: w}\njobs:\n  a:\n    runs-on: linux\n    stepz: []\n';
    const RIGHT = `metadata: {name: demo}
inputs:
  count: {description: How many, type: number, required: true}
  browser: {description: Which one, type: choice, options: [firefox, chrome], default: chrome}
jobs:
  build: {runs-on: linux, steps: [{run: echo one}]}
  test: {needs: build, runs-on: linux, steps: [{run: 'echo \${{ inputs.count }}'}]}
`;

    test('problems are named with their lines while somebody types', async () => {
      const { page, complaints } = await openPage(browser, server, '/start');
      await page.getByLabel('Text of the workflow').fill(WRONG);
      const problems = page.getByRole('region', { name: /Problems/ });
      await problems.getByText('stepz').first().waitFor();
      await problems.getByRole('button', { name: 'line 5' }).first().click();
      expect(
        await page.evaluate(
          'getSelection().toString() || document.activeElement.value.slice(document.activeElement.selectionStart, document.activeElement.selectionEnd)',
        ),
      ).toContain('stepz');
      await expectAccessible(page);
      expect(complaints).toEqual([]);
    });

    test('the form follows from the inputs, and the run from the form', async () => {
      const { page } = await openPage(browser, server, '/start');
      await page.getByLabel('Text of the workflow').fill(RIGHT);
      const start = page.getByRole('button', { name: 'Start' });
      await page
        .getByText('Mandatory input')
        .or(page.getByText('A run needs a value here.'))
        .first()
        .waitFor();
      expect(await start.isDisabled()).toBe(true);
      await page.getByLabel('count').fill('3');
      await page.getByLabel('browser').selectOption('firefox');
      expect(await page.getByRole('region', { name: /What it will run/ }).textContent()).toMatch(
        /build[\s\S]*test[\s\S]*after build/,
      );
      await page.getByRole('button', { name: 'Dry run' }).click();
      await page.getByText('Nothing was started.').waitFor();
      await expectAccessible(page);
      await start.click();
      await page.waitForURL(/\/ui\/runs\/[0-9a-f-]{36}$/);
      const runId = page.url().split('/').at(-1) ?? '';
      await eventually('the log of the run', async () => {
        const { text } = await server.call('GET', `/workflows/${runId}/logs`);
        return /^3$|\b3$/m.test(text);
      });
    });
  });

  test('keys lead to pages, and a list of them opens and closes', async () => {
    const { page } = await openPage(browser, server, '/settings');
    await page.getByRole('heading', { name: 'Settings' }).waitFor();
    await pressPair(page, 'e');
    await page.getByRole('heading', { name: 'Environments' }).waitFor();
    await page.keyboard.press('?');
    const list = page.getByRole('dialog', { name: 'Keys' });
    await list.waitFor();
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await list.waitFor({ state: 'detached' });
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill('about');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'About' }).waitFor();
  });

  test('behind a proxy with a path prefix, every address has it', async () => {
    const proxy = createServer((incoming, answer) => {
      const path = incoming.url?.replace(/^\/tutti(?=\/|$)/, '') || '/';
      const { host = '' } = incoming.headers;
      const headers = {
        ...incoming.headers,
        'x-forwarded-prefix': '/tutti',
        'x-forwarded-host': host,
      };
      const passed = request(
        `${server.url}${path}`,
        { method: incoming.method, headers },
        (own) => {
          answer.writeHead(own.statusCode ?? 502, own.headers);
          own.pipe(answer);
        },
      );
      passed.on('error', () => answer.destroy());
      answer.on('close', () => passed.destroy());
      incoming.pipe(passed);
    }).listen(0, '127.0.0.1');
    onTestFinished(() => {
      proxy.closeAllConnections();
      proxy.close();
    });
    await once(proxy, 'listening');
    const base = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/tutti`;
    const { page, complaints } = await openTab(browser, base);
    // Passed on by a proxy, plain HTTP gets no session: only that is looked at here.
    await page.goto(`${base}/`);
    await page.getByLabel('Token').waitFor();
    expect(page.url()).toBe(`${base}/ui/login?to=%2F`);
    await page.getByLabel('Token').fill(server.token);
    await page.keyboard.press('Enter');
    expect(await page.getByRole('alert').textContent()).toContain('use HTTPS');
    expect(complaints.filter((text) => !/40[13]/.test(text))).toEqual([]);
  });
});
