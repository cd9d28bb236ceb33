/** Sessions of browsers: other pages, stolen data, codes and ended tokens. */
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCli } from '../e2e/cli-process.ts';
import { detailsOf } from '../support/api.ts';
import { askAs, detailsIn, pageHeaders, signIn } from '../support/browser-session.ts';
import { eventually } from '../support/eventually.ts';
import { oneJob, sh, start } from '../support/runs.ts';
import { type ServerChild, Workbench } from '../support/workbench.ts';
import { attack } from './attack.ts';
import { openStream } from './open-stream.ts';

let bench: Workbench;
let server: ServerChild;

beforeAll(async () => {
  bench = await Workbench.open();
  server = await bench.server();
});

afterAll(() => bench.close());

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const signInAsAdmin = () => signIn(server.url, bearer(server.token));

async function newToken(subject: string): Promise<string> {
  const args = ['tokens', 'create', '--data-dir', server.dataDir, '--subject', subject];
  const { code, stdout } = await runCli(args, { cwd: bench.folder, env: { HOME: bench.folder } });
  expect(code).toBe(0);
  return stdout.trim();
}

async function newCode(token: string): Promise<string> {
  const answer = await server.call('POST', '/ui/codes', { headers: bearer(token) });
  return String(detailsOf(answer).code);
}

const waitingRun = () => start(server, oneJob('held', [sh('true')], { 'runs-on': 'nowhere' }));

test('a page signs in, reads, changes and signs out', async () => {
  const signedIn = await askAs('POST', `${server.url}/ui/session`, {
    ...pageHeaders(server.url),
    ...bearer(server.token),
  });
  expect(signedIn.code).toBe(201);
  expect(signedIn.cookie).toMatch(
    /^tutti_session=[\w-]{64}; Path=\/; Max-Age=43(?:200|19\d); HttpOnly; SameSite=Strict$/,
  );
  expect(detailsIn(signedIn)).toMatchObject({
    subject: 'admin',
    rights: { workflows: { list: ['*'] } },
  });
  const cookie = signedIn.cookie?.split(';')[0] ?? '';
  const runId = await waitingRun();
  const reading = { cookie, 'sec-fetch-site': 'same-origin' };
  expect((await askAs('GET', `${server.url}/workflows/${runId}/status`, reading)).code).toBe(200);
  const changing = { cookie, ...pageHeaders(server.url) };
  expect((await askAs('DELETE', `${server.url}/workflows/${runId}`, changing)).code).toBe(200);
  const out = await askAs('DELETE', `${server.url}/ui/session`, changing);
  expect([out.code, out.cookie]).toEqual([
    200,
    expect.stringMatching(/^tutti_session=; .*Max-Age=0/),
  ]);
  expect((await askAs('GET', `${server.url}/ui/session`, reading)).code).toBe(401);
});

test('a session outlives a restart of the server', async () => {
  const first = await bench.server();
  const cookie = await signIn(first.url, bearer(first.token));
  await first.child.kill('SIGKILL');
  const second = await bench.server({ dataDir: first.dataDir });
  const answer = await askAs('GET', `${second.url}/ui/session`, {
    cookie,
    'sec-fetch-site': 'same-origin',
  });
  expect(answer.code).toBe(200);
});

attack('session-of-another-page', async () => {
  const cookie = await signInAsAdmin();
  const runId = await waitingRun();
  const run = `${server.url}/workflows/${runId}`;
  const own = pageHeaders(server.url);
  const { 'tutti-session': _, ...unmarked } = own;
  const evil = 'https://evil.example';
  const changes: readonly Readonly<Record<string, string>>[] = [
    {},
    unmarked,
    { ...own, 'sec-fetch-site': 'cross-site', origin: evil },
    { ...own, 'sec-fetch-site': 'same-site', origin: 'http://127.0.0.1:1' },
    { ...own, 'sec-fetch-site': 'none' },
    { ...own, origin: evil },
    { ...own, origin: 'null' },
    { 'tutti-session': '1', origin: server.url },
  ];
  for (const headers of changes) {
    expect((await askAs('DELETE', run, { cookie, ...headers })).code, JSON.stringify(headers)).toBe(
      401,
    );
    const again = await askAs('POST', `${server.url}/ui/session`, {
      ...headers,
      ...bearer(server.token),
    });
    expect(again.code, JSON.stringify(headers)).toBe(403);
  }
  for (const site of ['cross-site', 'same-site', '']) {
    const answer = await askAs('GET', `${run}/status`, { cookie, 'sec-fetch-site': site });
    expect(answer.code, site).toBe(401);
  }
  expect((await askAs('GET', `${run}/status`, { cookie })).code).toBe(401);
  expect(detailsOf(await server.call('GET', `/workflows/${runId}/status`)).status).not.toBe(
    'FAILED',
  );
});

attack('session-of-a-rebound-name', async () => {
  const open = await bench.server({ config: { auth: { insecureLogin: true } } });
  const { port, host } = new URL(open.url);
  const rebound = `evil.example:${port}`;
  const asPage = (name: string) => ({ ...pageHeaders(`http://${name}`), host: name });
  expect((await askAs('GET', `${open.url}/workflows`, asPage(rebound))).code).toBe(401);
  expect((await askAs('POST', `${open.url}/ui/codes`, asPage(rebound))).code).toBe(401);
  const signedIn = { ...asPage(rebound), ...bearer(open.token) };
  expect((await askAs('POST', `${open.url}/ui/session`, signedIn)).code).toBe(403);
  // Its own pages need no token there, and pages of another port do.
  expect((await askAs('GET', `${open.url}/workflows`, asPage(host))).code).toBe(200);
  const other = { ...asPage(host), origin: 'http://127.0.0.1:1' };
  expect((await askAs('GET', `${open.url}/workflows`, other)).code).toBe(401);
  const neighbour = { ...asPage(host), 'sec-fetch-site': 'same-site' };
  expect((await askAs('GET', `${open.url}/workflows`, neighbour)).code).toBe(401);
});

attack('session-code-again', async () => {
  const code = await newCode(server.token);
  const redeem = (text: string) =>
    askAs('POST', `${server.url}/ui/session`, { ...pageHeaders(server.url), 'tutti-code': text });
  const answers = await Promise.all([redeem(code), redeem(code), redeem(code)]);
  expect(answers.map((answer) => answer.code).toSorted()).toEqual([201, 401, 401]);
  expect((await redeem(code)).code).toBe(401);
  const other = await newCode(server.token);
  const changed = other.slice(0, -2) + (other.endsWith('AA') ? 'BB' : 'AA');
  for (const guess of ['', 'x', changed, `${other}A`]) expect((await redeem(guess)).code).toBe(401);
  expect((await redeem(other)).code).toBe(201);
});

attack('session-stolen-store', async () => {
  const cookie = await signInAsAdmin();
  const code = await newCode(server.token);
  const secret = cookie.slice(cookie.indexOf('=') + 1);
  const names = readdirSync(server.dataDir, { recursive: true, encoding: 'utf8' });
  const files = names
    .map((name) => join(server.dataDir, name))
    .filter((path) => statSync(path).isFile());
  // The administrator's token is a file by itself.
  const others = files.filter((path) => !path.endsWith('admin.token'));
  const stored = others.map((path) => readFileSync(path, 'latin1')).join('');
  expect(stored).toContain('ui-sessions');
  for (const text of [server.token, secret, secret.slice(0, 20), code, code.slice(0, 20)]) {
    expect(stored.includes(text)).toBe(false);
  }
});

attack('session-after-its-token', async () => {
  const token = await newToken('eve');
  const runId = await waitingRun();
  const open = async () => {
    const cookie = await signIn(server.url, bearer(token));
    const headers = { cookie, 'sec-fetch-site': 'same-origin' };
    const stream = openStream(`${server.url}/workflows/${runId}/status`, '', {
      ...headers,
      accept: 'text/event-stream',
    });
    await eventually('the stream has begun', () => stream.code === 200);
    return { stream, cookie, headers };
  };
  const isRefused = async (headers: Readonly<Record<string, string>>) =>
    expect((await askAs('GET', `${server.url}/ui/session`, headers)).code).toBe(401);
  const first = await open();
  const second = await open();
  const signOut = (path: string, cookie: string) =>
    askAs('DELETE', `${server.url}${path}`, { cookie, ...pageHeaders(server.url) });
  expect((await signOut('/ui/session', first.cookie)).code).toBe(200);
  await eventually('the stream is closed', () => first.stream.isOver);
  await isRefused(first.headers);
  expect((await askAs('GET', `${server.url}/ui/session`, second.headers)).code).toBe(200);
  const third = await open();
  expect((await signOut('/ui/session?all=true', third.cookie)).code).toBe(200);
  await eventually('both streams are closed', () => second.stream.isOver && third.stream.isOver);
  await isRefused(second.headers);
  const fourth = await open();
  const file = bench.path('token');
  writeFileSync(file, token, { mode: 0o600 });
  const args = ['tokens', 'revoke', '--data-dir', server.dataDir, '--token-file', file];
  const revoked = await runCli(args, { cwd: bench.folder, env: { HOME: bench.folder } });
  expect([revoked.code, revoked.stderr]).toEqual([0, '']);
  await eventually('the stream is closed', () => fourth.stream.isOver);
  await isRefused(fourth.headers);
});

attack('session-flood', async () => {
  const token = await newToken('mallory');
  const others = await signInAsAdmin();
  const cookies: string[] = [];
  for (let count = 0; count < 21; count += 1) cookies.push(await signIn(server.url, bearer(token)));
  const codeOf = async (cookie: string | undefined) => {
    const headers = { cookie: cookie ?? '', 'sec-fetch-site': 'same-origin' };
    return (await askAs('GET', `${server.url}/ui/session`, headers)).code;
  };
  expect(await codeOf(cookies[0])).toBe(401);
  expect(await codeOf(cookies[1])).toBe(200);
  expect(await codeOf(cookies.at(-1))).toBe(200);
  expect(await codeOf(others)).toBe(200);
  const codes: string[] = [];
  for (let count = 0; count < 11; count += 1) codes.push(await newCode(token));
  const redeem = (code = '') =>
    askAs('POST', `${server.url}/ui/session`, { ...pageHeaders(server.url), 'tutti-code': code });
  expect([(await redeem(codes[0])).code, (await redeem(codes[1])).code]).toEqual([401, 201]);
});
