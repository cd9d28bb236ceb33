/** `tutti doctor` reports servers with problems. */

import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { CLI_VERSION } from '../terminal/version.ts';
import { runCommand } from '../testing/run-command.ts';
import { signToken } from '../tokens/token-signature.ts';

const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const token = (claims: object) => signToken({ sub: 'ci', ...claims }, privateKey, 'ES256');

let folder: string;
let server: Server;
let url = '';
let answer = { status: 200, body: '', date: '' };

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tutti-doctor-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const DETAILS: Readonly<Record<string, object>> = {
  '/version': {
    items: { name: 'x', 'internal-components': [{ name: 'tutti/server', version: '9.9' }] },
  },
  '/namespaces': { items: ['*'] },
  '/workflows': { items: {} },
};
const AGENT = {
  metadata: { name: 'lost' },
  spec: { tags: ['linux'] },
  status: { phase: 'UNREACHABLE' },
};

beforeEach(async () => {
  // The clock of `runCommand` says 0.
  answer = { status: 200, body: '', date: new Date(0).toUTCString() };
  server = createServer((request, response) => {
    const [path = ''] = (request.url ?? '').split('?');
    response.sendDate = false;
    if (answer.date !== '') response.setHeader('date', answer.date);
    response.setHeader('x-processed-query', 'expand,fieldSelector');
    response.statusCode = answer.status;
    const document =
      path === '/agents'
        ? { items: [AGENT] }
        : { message: 'm', reason: 'OK', details: DETAILS[path] };
    response.end(answer.body || JSON.stringify(document));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // The server listens on an address, not on a pipe.
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

const doctor = (args: readonly string[] = [], env = {}) =>
  runCommand(['doctor', ...args], { env: { HOME: folder, PATH: process.env.PATH, ...env } });
const withToken = (claims: object = {}) => doctor(['--server', url, '--token', token(claims)]);

test('a server that answers is shown with its token, its clock and its agents', async () => {
  const { code, stdout } = await withToken();
  expect(stdout).toMatch(new RegExp(`^ {2}ok {6}${url} answers in \\d+ ms$`, 'm'));
  expect(stdout).toContain(
    `  look    the server has version 9.9, the command line ${CLI_VERSION}\n` +
      '          What to do: use the version of the server, if something does not work as documented.\n',
  );
  expect(stdout).toContain('  ok      of ci; expires: never\n');
  expect(stdout).toContain('  ok      may list, get, create, delete workflows in all namespaces\n');
  expect(stdout).toContain('  ok      the clocks of server and command line agree\n');
  expect(stdout).toContain(
    '  look    unreachable: lost\n' +
      '          What to do: look at their machines and their logs; "tutti agents delete ID" removes one for good.\n',
  );
  expect(code).toBe(0);
});

test.each([
  [30_000, 0, '  look    the clock of the server is 30 s ahead of that of this machine\n'],
  [-600_000, 1, '  WRONG   the clock of the server is 600 s behind that of this machine\n'],
])('a clock that differs by %s ms is reported', async (offMs, expected, actual) => {
  answer.date = new Date(offMs).toUTCString();
  const { code, stdout } = await withToken();
  expect(stdout).toContain(
    `${actual}          What to do: have both machines set their clocks by the network (NTP).\n`,
  );
  expect(code).toBe(expected);
});

test.each([
  [{ exp: -60 }, 1, '  WRONG   of ci; expires: 1969-12-31 23:59:00 UTC, 60 seconds ago\n'],
  [{ exp: 3600 * 24 * 3 }, 0, '  look    of ci; expires: 1970-01-04 00:00:00 UTC, in 3 days\n'],
  [{ exp: 3600 * 24 * 30 }, 0, '  ok      of ci; expires: 1970-01-31 00:00:00 UTC, in 30 days\n'],
])('a token with %o is reported', async (claims, expected, actual) => {
  const { code, stdout } = await withToken(claims);
  expect(stdout).toContain(actual);
  expect(code).toBe(expected);
});

test('a server that refuses the token is reported', async () => {
  answer.status = 401;
  const { code, stdout } = await withToken();
  expect(stdout).toContain(
    '  WRONG   the server refuses it\n' +
      '          What to do: make another one with "tutti tokens create", on the machine of the server.\n',
  );
  expect(stdout).not.toContain('Agents\n');
  expect(code).toBe(1);
});

test('a program that is no orchestrator is reported', async () => {
  answer.body = '<html>';
  const { code, stdout } = await withToken();
  expect(stdout).toContain(`  WRONG   ${url} answers (200), but not as an orchestrator does.\n`);
  expect(stdout).toContain('Wrong: 1 point.\n');
  expect(code).toBe(1);
});

test('a server that is named and away is wrong', async () => {
  const { code, stdout } = await doctor(['--server', 'http://127.0.0.1:1']);
  expect(stdout).toContain(
    '  WRONG   The server http://127.0.0.1:1 cannot be reached. Nothing listens there.\n',
  );
  expect(code).toBe(1);
});

test('a configuration that others may read is reported with advice', async () => {
  const file = join(folder, 'config.yaml');
  const config = {
    'current-context': 'c',
    contexts: [{ name: 'c', context: { orchestrator: 'o', user: 'u', namespace: 'team-a' } }],
    orchestrators: [{ name: 'o', orchestrator: { server: url } }],
    users: [{ name: 'u', user: { token: token({}) } }],
  };
  writeFileSync(file, JSON.stringify(config));
  chmodSync(file, 0o644);
  const { stdout } = await doctor(['--client-config', file]);
  expect(stdout).toContain(`  ok      ${file} (1 context, current: c)\n`);
  expect(stdout).toContain(`  ok      server ${url}, from the context "c"\n`);
  expect(stdout).toContain(`  ok      token from user "u" of ${file}\n`);
  expect(stdout).toContain('  ok      namespace team-a, from the context "c"\n');
  expect(stdout).toContain(
    `  look    ${file} has a token, and the mode 0644: others than its owner may read it\n` +
      `          What to do: take that from them: chmod 600 ${file}\n`,
  );
});

test('an unusable configuration is wrong, and the other sections follow', async () => {
  const { code, stdout } = await doctor(['--client-config', '/none.yaml', '-o', 'json']);
  const { sections } = JSON.parse(stdout);
  expect(sections.map(({ name }: { readonly name: string }) => name)).toEqual([
    'Machine',
    'Configuration',
    'Disk',
  ]);
  expect(sections[1].points[0]).toMatchObject({
    level: 'wrong',
    what: 'There is no file /none.yaml, which --client-config names.',
  });
  expect(code).toBe(1);
});
