/** The command line and servers whose certificates nobody vouches for, or who want to know who asks. */
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server, type ServerOptions } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { TLSSocket } from 'node:tls';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createSelfSigned } from '../../server/src/bus/self-signed.fixture.ts';
import { runCli } from './cli-process.ts';

const PROVIDERS = { apiVersion: 'v1', kind: 'ProviderList', items: [] };
const CERTIFICATE = createSelfSigned();
const STARTED = {
  apiVersion: 'v1',
  kind: 'Status',
  metadata: {},
  status: 'Success',
  message: 'Started.',
  reason: 'Created',
  details: { workflow_id: '0a6f4b1e-0000-4000-8000-000000000001' },
  code: 201,
};

let cwd: string;
let servers: Server[] = [];
let url: string;
let posted = '';
const path = (name: string) => join(cwd, name);

beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'tutti-tls-'));
  await writeFile(path('ca.pem'), CERTIFICATE.cert);
  url = await serve(CERTIFICATE);
});

afterEach(async () => {
  for (const server of servers) server.close();
  servers = [];
  await rm(cwd, { recursive: true, force: true });
});

async function serve(options: ServerOptions): Promise<string> {
  const server = createServer(options, (request, response) => void answer(request, response));
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // It listens on an address, not on a pipe.
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function answer(request: IncomingMessage, response: ServerResponse) {
  // It speaks TLS.
  const { subject } = (request.socket as TLSSocket).getPeerCertificate();
  if (request.url === '/moved') response.writeHead(307, { location: '/providers' }).end();
  else if (request.method === 'POST') {
    posted = await text(request);
    response.writeHead(201).end(JSON.stringify(STARTED));
  } else response.end(JSON.stringify({ ...PROVIDERS, ...(subject && { askedBy: subject.CN }) }));
}

const cli = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  runCli(args, { cwd, env: { HOME: cwd, ...env } });
const listProviders = (
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
  server = url,
) => cli(['providers', '-o', 'json', '--server', server, '--token', 'T', ...args], env);

test('a certificate that nobody vouches for is told', async () => {
  const { code, stderr } = await listProviders();
  expect(code).toBe(2);
  expect(stderr).toBe(
    `tutti: The server ${url} cannot be reached.\n` +
      '  Its certificate is self-signed and not trusted here.\n' +
      'What to do: name the certificate of its authority with --ca-file or TUTTI_CA_FILE, or, where nobody can be on the way, pass --insecure-skip-tls-verify.\n',
  );
});

test.each<[string, readonly string[], Readonly<Record<string, string>>]>([
  ['an option says so', ['--insecure-skip-tls-verify'], {}],
  ['the environment says so', [], { TUTTI_INSECURE_SKIP_TLS_VERIFY: '1' }],
  ['Node is told so', [], { NODE_TLS_REJECT_UNAUTHORIZED: '0' }],
])('a certificate is not looked at where %s', async (_what, args, env) => {
  const { code, stdout } = await listProviders(args, env);
  expect([code, JSON.parse(stdout)]).toEqual([0, PROVIDERS]);
});

test('an authority is trusted that an option or the environment names', async () => {
  expect((await listProviders(['--ca-file', 'ca.pem'])).code).toBe(0);
  expect((await listProviders([], { TUTTI_CA_FILE: path('ca.pem') })).code).toBe(0);
});

test('a file of authorities that is not there is told', async () => {
  const { code, stderr } = await listProviders(['--ca-file', 'none.pem']);
  expect(code).toBe(2);
  expect(stderr).toContain('Cannot open none.pem: there is no such file.');
});

test('files are sent to a server whose authority is named', async () => {
  await writeFile(path('w.yaml'), WITH_FILE);
  await writeFile(path('data.txt'), 'what the file has');
  const args = ['run', 'w.yaml', '-f', 'data=data.txt', '--server', url, '--token', 'T'];
  const { code, stderr } = await cli([...args, '--ca-file', 'ca.pem']);
  expect(stderr).toBe('');
  expect(code).toBe(0);
  expect(posted).toContain('what the file has');
});

const WITH_FILE = `
metadata: {name: with a file}
resources: {files: [data]}
jobs: {one: {runs-on: linux, steps: [{run: 'true'}]}}
`;

test('options and the environment name the certificate that the server asks for', async () => {
  const demanding = await serve({ ...CERTIFICATE, requestCert: true, ca: [CERTIFICATE.cert] });
  await writeFile(path('key.pem'), CERTIFICATE.key);
  const ca = ['--ca-file', 'ca.pem'];
  const own = ['--client-certificate', 'ca.pem', '--client-key', 'key.pem'];
  expect((await listProviders([...ca, ...own], {}, demanding)).code).toBe(0);
  const env = { TUTTI_CLIENT_CERTIFICATE: 'ca.pem', TUTTI_CLIENT_KEY: 'key.pem' };
  expect((await listProviders(ca, env, demanding)).code).toBe(0);
  expect(await listProviders([...ca, '--client-key', 'key.pem'], {}, demanding)).toEqual({
    code: 2,
    stdout: '',
    stderr:
      'tutti: A key is named to be known by, and --client-certificate is missing.\nWhat to do: name both: --client-certificate and --client-key, or TUTTI_CLIENT_CERTIFICATE and TUTTI_CLIENT_KEY.\n',
  });
});

test('a context names the authority and the certificate that the server asks for', async () => {
  const demanding = await serve({ ...CERTIFICATE, requestCert: true, ca: [CERTIFICATE.cert] });
  expect((await listProviders(['--ca-file', 'ca.pem'], {}, demanding)).code).toBe(2);
  await writeFile(path('key.pem'), CERTIFICATE.key);
  const certificates = ['--client-certificate', 'ca.pem', '--client-key', 'key.pem'];
  const set = ['config', 'set-orchestrator', 'lab', '--server', demanding];
  await cli([...set, '--certificate-authority', 'ca.pem', ...certificates]);
  await cli(['config', 'set-context', 'lab', '--orchestrator', 'lab']);
  const { code, stdout, stderr } = await cli(['providers', '-o', 'json']);
  expect(stderr).toBe('');
  expect([code, JSON.parse(stdout)]).toEqual([0, { ...PROVIDERS, askedBy: 'test' }]);
});
