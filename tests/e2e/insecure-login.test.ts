/**
 * A server of one machine, where programs need no token (wire facts 8.3). Our agent and our command line use it. Some requests still need a
 * token.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bodyOf, itemsOf } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { expectStatus } from '../support/expect-status.ts';
import { oneJob, sh } from '../support/runs.ts';
import { type ServerChild, Workbench } from '../support/workbench.ts';
import { runCli, startCli } from './cli-process.ts';

let bench: Workbench;
let server: ServerChild;
/** Without a data directory in it, so that commands find no token. */
let cwd: string;

beforeAll(async () => {
  bench = await Workbench.open();
  server = await bench.server({ config: { auth: { insecureLogin: true } } });
  cwd = await mkdtemp(join(tmpdir(), 'tutti-no-token-'));
});

afterAll(async () => {
  await bench.close();
  await rm(cwd, { recursive: true, force: true });
});

const anybody = (path: string, headers: Readonly<Record<string, string>> = {}) =>
  server.call('GET', path, { headers: { authorization: '', ...headers } });

test('an agent and a person without tokens run a workflow', async () => {
  const place = ['--server', server.url];
  const agent = startCli(['agent', ...place, '--tags', 'linux', '--workspace-dir', 'work'], {
    cwd,
  });
  try {
    await agent.said(/The agent is registered/);
    await writeFile(join(cwd, 'w.json'), JSON.stringify(oneJob('free', [sh('echo it ran')])));
    const words = ['run', 'w.json', ...place, '--wait'];
    const { code, stdout, stderr } = await runCli(words, { cwd });
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain('it ran');
  } finally {
    agent.kill('SIGTERM');
    await agent.ended;
  }
});

// HTTP 5: Without restrictions all namespaces are accessible.
test('all namespaces are accessible', async () => {
  for (const query of ['', '?resource=workflows&verb=create']) {
    expect(itemsOf(await anybody(`/namespaces${query}`))).toEqual(['*']);
  }
});

test('a token that does not count is 401', async () => {
  const answer = await anybody('/workflows', { authorization: 'Bearer none' });
  expectStatus(answer);
  expect([answer.code, bodyOf(answer).message]).toEqual([401, 'Invalid JWT token.']);
});

test.each([
  ['a proxy', { 'x-forwarded-for': '192.0.2.1' }],
  ['a page', { origin: 'https://example.com' }],
])('a request of %s needs a token, and is told so', async (_, headers) => {
  const refused = await anybody('/workflows', headers);
  expectStatus(refused);
  expect(refused.code).toBe(401);
  expect(bodyOf(refused).details).toEqual({
    error: expect.stringMatching(
      /^Only programs of this machine need no token; this is a request /,
    ),
  });
  expect((await server.call('GET', '/workflows', { headers })).code).toBe(200);
});

test('the log warns of it', async () => {
  await eventually('a warning', () => server.child.stderr.includes('auth.insecureLogin'));
});

test('a server that others reach does not start so', async () => {
  const words = ['server', '--host', '0.0.0.0', '--port', '0', '--auth-insecure-login'];
  const { code, stderr } = await runCli(words, { cwd });
  expect(stderr).toContain('needs a host that no other machine reaches');
  expect(code).toBe(2);
});
