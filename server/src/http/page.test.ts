import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { openPage } from './page.ts';
import { createTestApp } from './testing.ts';

const INDEX = '<base href="/ui/" /><script src="./assets/page-1.js"></script>';
const SCRIPT = 'export {};'.repeat(99);

async function appOf(isBuilt = true) {
  const folder = mkdtempSync(join(tmpdir(), 'tutti-page-'));
  const built = join(folder, 'ui');
  mkdirSync(join(built, 'assets'), { recursive: true });
  writeFileSync(join(folder, 'secret.js'), 'beside the page');
  if (isBuilt) writeFileSync(join(built, 'index.html'), INDEX);
  writeFileSync(join(built, 'assets/page-1.js'), SCRIPT);
  writeFileSync(join(built, 'assets/page-1.js.gz'), gzipSync(SCRIPT));
  const show = openPage(pathToFileURL(`${built}/`));
  const config = { access: 'none' } as const;
  const { app } = await createTestApp({
    routes: [
      (on) => {
        on.get('/ui', { config }, show);
        on.get('/ui/*', { config }, show);
      },
    ],
  });
  onTestFinished(async () => {
    await app.close();
    rmSync(folder, { recursive: true });
  });
  return app;
}

test.each([
  '/ui',
  '/ui/',
  '/ui/runs/1?at=3',
  '/ui/index.html',
  '/ui/none.js',
  '/ui/..%2fsecret.js',
])('%s is the page, which reads its address', async (url) => {
  const answer = await (await appOf()).inject({ url });
  expect(answer).toMatchObject({ statusCode: 200, body: INDEX });
  expect(answer.headers).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-cache',
    'content-security-policy': expect.stringMatching(
      /^default-src 'none'; script-src 'self'; style-src 'self'; .*require-trusted-types-for 'script'/,
    ),
  });
  const again = { url, headers: { 'if-none-match': String(answer.headers.etag) } };
  expect((await (await appOf()).inject(again)).statusCode).toBe(304);
});

test('a file is kept for ever, and sent in the form that the client takes', async () => {
  const app = await appOf();
  const url = '/ui/assets/page-1.js';
  const plain = await app.inject({ url });
  expect(plain).toMatchObject({ statusCode: 200, body: SCRIPT });
  expect(plain.headers).toMatchObject({
    'content-type': 'text/javascript; charset=utf-8',
    'cache-control': 'public, max-age=31536000, immutable',
    vary: 'Accept-Encoding',
  });
  const form = async (accepted: string) =>
    (await app.inject({ url, headers: { 'accept-encoding': accepted } })).headers[
      'content-encoding'
    ];
  expect(await form('gzip, deflate, br')).toBe('gzip');
  expect(await form('GZIP;q=0.5')).toBe('gzip');
  expect(await form('gzip;q=0, br')).toBeUndefined();
});

test('a file of an older page is not found', async () => {
  const app = await appOf();
  expect((await app.inject({ url: '/ui/assets/page-0.js' })).statusCode).toBe(404);
  expect((await app.inject({ url: '/ui/assets/..%2f..%2fsecret.js' })).statusCode).toBe(404);
});

test('behind a proxy with a prefix, the page has the addresses of its client', async () => {
  const headers = { 'x-forwarded-prefix': '/tutti/' };
  const { body } = await (await appOf()).inject({ url: '/ui/runs/1', headers });
  expect(body).toContain('<base href="/tutti/ui/"');
});

test('a page that is not built says what to do', async () => {
  const answer = await (await appOf(false)).inject({ url: '/ui/' });
  expect(answer.statusCode).toBe(404);
  expect(answer.json().message).toBe(
    'The page is not built. What to do: run "npm ci" in the folder of Tutti, then ask again.',
  );
});

test('browsers that open the address of the server get to the page, and nobody else', async () => {
  const { app } = await createTestApp({
    routes: [],
    sessions: () => Promise.reject(new Error('Nobody has one.')),
  });
  onTestFinished(() => app.close());
  const placeFor = async (accept: string | undefined, more = {}) =>
    (await app.inject({ url: '/', headers: { ...(accept && { accept }), ...more } })).headers
      .location;
  const browser = 'text/html,application/xhtml+xml,*/*;q=0.8';
  expect(await placeFor(browser)).toBe('/ui/');
  expect(await placeFor(browser, { 'x-forwarded-prefix': '/tutti' })).toBe('/tutti/ui/');
  for (const accept of [undefined, '*/*', 'application/json, text/html'])
    expect(await placeFor(accept)).toBeUndefined();
});
