/** The command line and a server whose certificate nobody vouches for. */
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createSelfSigned } from '../../server/src/bus/self-signed.ts';
import { runCli } from './cli-process.ts';

const AGENTS = { apiVersion: 'v1', kind: 'AgentRegistrationList', items: [] };

let cwd: string;
let server: Server;
let url: string;

beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'tutti-tls-'));
  server = createServer(createSelfSigned(), (_request, response) =>
    response.end(JSON.stringify(AGENTS)),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // It listens on an address, not on a pipe.
  url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterEach(async () => {
  server.close();
  await rm(cwd, { recursive: true, force: true });
});

const listAgents = (env: Readonly<Record<string, string>> = {}) =>
  runCli(['agents', '-o', 'json', '--server', url, '--token', 'T'], { cwd, env });

test('a certificate that nobody vouches for is told', async () => {
  const { code, stderr } = await listAgents();
  expect(code).toBe(2);
  expect(stderr).toContain(`The server ${url} cannot be reached.`);
  expect(stderr).toContain('Its certificate is self-signed and not trusted here.');
});

test('a certificate is not looked at where Node is told so', async () => {
  const { code, stdout } = await listAgents({ NODE_TLS_REJECT_UNAUTHORIZED: '0' });
  expect([code, JSON.parse(stdout)]).toEqual([0, AGENTS.items]);
});
