import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { siteRoutes } from './site.ts';
import { createTestApp } from './testing.ts';

const SITE = {
  'index.html': '<h1>Tutti</h1>',
  'guides/gates.html': '<h1>Gates</h1>',
  'reference/commands/index.html': '<h1>Commands</h1>',
  'assets/app.js': 'export {};',
  'notes.txt': 'no part of a site',
};

async function siteOf(files: Readonly<Record<string, string>>, insecureDocs = true) {
  const folder = mkdtempSync(join(tmpdir(), 'tutti-site-'));
  const write = (name: string, text: string) => {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  };
  for (const [name, text] of Object.entries(files)) write(`docs/${name}`, text);
  write('secret.html', 'beside the site');
  const options = { folder: pathToFileURL(join(folder, 'docs/')), insecureDocs };
  const { app } = await createTestApp({ routes: [siteRoutes(options)] });
  onTestFinished(async () => {
    await app.close();
    rmSync(folder, { recursive: true });
  });
  return { app, write };
}

test.each([
  ['/docs', 'text/html; charset=utf-8', SITE['index.html']],
  ['/docs/', 'text/html; charset=utf-8', SITE['index.html']],
  ['/docs/guides/gates.html', 'text/html; charset=utf-8', SITE['guides/gates.html']],
  ['/docs/reference/commands/', 'text/html; charset=utf-8', SITE['reference/commands/index.html']],
  ['/docs/assets/app.js', 'text/javascript; charset=utf-8', SITE['assets/app.js']],
])('%s is a file of the site, as %s', async (url, type, text) => {
  const { app } = await siteOf(SITE);
  const answer = await app.inject({ url });
  expect(answer).toMatchObject({ statusCode: 200, body: text });
  expect(answer.headers['content-type']).toBe(type);
  expect(answer.headers['content-security-policy']).toMatch(
    /^default-src 'none'; script-src 'self';/,
  );
});

test.each([
  '/docs/secret.html',
  '/docs/..%2fsecret.html',
  '/docs/guides/..%2f..%2f..%2fsecret.html',
  '/docs/guides%5c..%5c..%5csecret.html',
  '/docs/notes.txt',
  '/docs/guides/gates.html%00',
  '/docs/__proto__',
])('%s is no file of the site', async (url) => {
  const { app } = await siteOf(SITE);
  const { statusCode, body } = await app.inject({ url });
  expect(statusCode).toBe(404);
  expect(JSON.parse(body)).toMatchObject({ kind: 'Status', reason: 'NotFound' });
});

test('a file that the browser has is not sent again', async () => {
  const { app } = await siteOf(SITE);
  const url = '/docs/guides/gates.html';
  const { headers } = await app.inject({ url });
  expect(headers['cache-control']).toBe('no-cache');
  const again = await app.inject({ url, headers: { 'if-none-match': String(headers.etag) } });
  expect(again).toMatchObject({ statusCode: 304, body: '' });
  const asset = await app.inject({ url: '/docs/assets/app.js' });
  expect(asset.headers['cache-control']).toBe('private, max-age=31536000');
});

test('a site that is not built is missing, with what to run; once built it is there', async () => {
  const { app, write } = await siteOf({});
  const { statusCode, body } = await app.inject({ url: '/docs/' });
  expect(statusCode).toBe(404);
  expect(JSON.parse(body).message).toBe(
    'The documentation is not built. What to do: run "npm run docs" in the folder of Tutti, then ask again.',
  );
  write('docs/index.html', SITE['index.html']);
  expect((await app.inject({ url: '/docs/' })).body).toBe(SITE['index.html']);
});

test.each(['/docs/', '/docs/guides/gates.html'])(
  '%s needs a token, unless the configuration opens it',
  async (url) => {
    const { app } = await siteOf(SITE, false);
    expect((await app.inject({ url })).statusCode).toBe(401);
  },
);
