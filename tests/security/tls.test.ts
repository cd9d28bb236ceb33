/** A server with TLS. Clients come without it, with an old version, or never end a handshake. */
import { execFile, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { connect as connectTcp, type Socket } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type ConnectionOptions, connect } from 'node:tls';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect } from 'vitest';
import { createSelfSigned } from '../../server/src/bus/self-signed.fixture.ts';
import { runCli, startCli } from '../e2e/cli-process.ts';
import { eventually } from '../support/eventually.ts';
import { findProgram, need, programFound } from '../support/found-tool.ts';
import { exchangeRaw } from '../support/raw-exchange.ts';
import { type ServerChild, Workbench } from '../support/workbench.ts';
import { attack } from './attack.ts';

const run = promisify(execFile);
const FIRST = createSelfSigned();
const SECOND = createSelfSigned();
const CLIENT = createSelfSigned();

let bench: Workbench;
beforeEach(async () => {
  bench = await Workbench.open();
  place(FIRST);
});
afterEach(() => bench.close());

const file = (name: string) => join(bench.folder, name);

function place({ cert, key }: typeof FIRST): void {
  writeFileSync(file('key.pem'), key, { mode: 0o600 });
  writeFileSync(file('cert.pem'), cert);
}

const tlsOf = (more = {}) => ({ cert: file('cert.pem'), key: file('key.pem'), ...more });

const secured = (config = {}) => bench.server({ config: { tls: tlsOf(), ...config } });

interface Got {
  readonly code: number;
  readonly body: string;
}

/** One request on a connection of its own. */
async function get(
  { url, token }: ServerChild,
  options: ConnectionOptions = {},
  path = '/health',
): Promise<Got> {
  const outgoing = request(`${url}${path}`, {
    ca: FIRST.cert,
    agent: false,
    headers: token === '' ? {} : { authorization: `Bearer ${token}` },
    ...options,
  });
  outgoing.end();
  const [answer] = await once(outgoing, 'response');
  return { code: answer.statusCode, body: await text(answer) };
}

const failureOf = (getting: Promise<Got>): Promise<string> =>
  getting.then(
    ({ code }) => `answered ${code}`,
    (error: unknown) => String(error),
  );

/** Waits for a handshake, and gives what was agreed on. */
async function handshake({ url }: ServerChild, options: ConnectionOptions): Promise<string | null> {
  const { hostname, port } = new URL(url);
  const socket = connect({
    host: hostname,
    port: Number(port),
    rejectUnauthorized: false,
    ...options,
  });
  try {
    await once(socket, 'secureConnect');
    return socket.getProtocol();
  } finally {
    socket.destroy();
  }
}

const JOB = `
metadata: {name: over TLS}
jobs: {one: {runs-on: [secured], steps: [{run: 'echo it ran'}]}}
`;

attack('listening-in', async (context) => {
  const server = await secured({ servicePorts: false });
  const { url, token, dataDir } = server;
  expect(url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
  expect(await get(server)).toEqual({ code: 200, body: 'OK' });
  expect(await failureOf(get(server, { ca: SECOND.cert }))).toContain('self-signed certificate');

  const curl = need(programFound('curl', findProgram('curl')), 'curl', context);
  const bearer = `authorization: Bearer ${token}`;
  const asked = ['-sS', '--cacert', file('cert.pem'), '-H', bearer];
  expect((await run(curl, [...asked, `${url}/health`])).stdout).toBe('OK');
  await expect(run(curl, ['-sS', '-H', bearer, `${url}/health`])).rejects.toThrow('self');

  const python = need(programFound('python3', findProgram('python3')), 'Python', context);
  expect((await run(python, ['-c', PYTHON, url, token, file('cert.pem')])).stdout).toBe('200 OK\n');

  const openssl = need(programFound('openssl', findProgram('openssl')), 'openssl', context);
  const shown = spawnSync(
    openssl,
    ['s_client', '-connect', new URL(url).host, '-CAfile', file('cert.pem'), '-brief'],
    { input: '', encoding: 'utf8' },
  );
  expect(shown.stderr).toMatch(/Protocol version: TLSv1\.3[\s\S]*Verification: OK/);

  const cwd = bench.folder;
  writeFileSync(file('job.yaml'), JOB);
  const named = ['--server', url, '--token', token, '--ca-file', 'cert.pem'];
  const agent = startCli(['agent', '--tags', 'secured', ...named], { cwd });
  await eventually('the agent is there', async () =>
    (await get(server, {}, '/agents')).body.includes('secured'),
  );
  // The first trusts the authority that it names, the second the certificate that the data directory names.
  for (const where of [named, ['--data-dir', dataDir]]) {
    const ran = await runCli(['run', 'job.yaml', '--wait', ...where], { cwd });
    expect(ran.stdout).toContain('it ran');
    expect(ran.code).toBe(0);
  }
  const doctor = await runCli(['doctor', '--data-dir', dataDir], { cwd });
  expect(doctor.stdout).toContain(
    'ok      the certificate of the server is valid until 2049-12-31',
  );
  agent.kill('SIGTERM');
  await agent.ended;
});

/** As Python's own client does it, and those that are built upon. */
const PYTHON = `
import ssl, sys, urllib.request
url, token, ca = sys.argv[1:]
asked = urllib.request.Request(url + '/health', headers={'Authorization': 'Bearer ' + token})
with urllib.request.urlopen(asked, context=ssl.create_default_context(cafile=ca)) as answer:
    print(answer.status, answer.read().decode())
`;

attack('plain-to-tls', async () => {
  const server = await secured();
  const plain = `GET /agents HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${server.token}\r\n\r\n`;
  const { code, body } = await exchangeRaw(server.url, plain, { withinMs: 20_000 });
  expect([code, JSON.parse(body)]).toMatchObject([
    400,
    {
      reason: 'BadRequest',
      message: 'The server speaks HTTPS here: ask an address that begins with https.',
    },
  ]);
  expect((await exchangeRaw(server.url, '\u0000\u0001', { withinMs: 20_000 })).code).toBe(0);
  expect((await get(server)).code).toBe(200);
});

attack('old-tls', async () => {
  const server = await secured();
  const old = {
    minVersion: 'TLSv1',
    maxVersion: 'TLSv1.1',
    ciphers: 'DEFAULT@SECLEVEL=0',
  } as const;
  await expect(handshake(server, old)).rejects.toThrow(/protocol|version|alert/i);
  expect(await handshake(server, { maxVersion: 'TLSv1.2' })).toBe('TLSv1.2');
  expect(await handshake(server, {})).toBe('TLSv1.3');
});

attack('no-client-certificate', async () => {
  writeFileSync(file('clients.pem'), CLIENT.cert);
  const server = await secured({ tls: tlsOf({ clientCa: file('clients.pem') }) });
  // With TLS 1.3 a client hears of the refusal with what it reads first.
  const refused = /certificate required|unknown ca|ECONNRESET|socket hang up|EPIPE/i;
  expect(await failureOf(get(server))).toMatch(refused);
  expect(await failureOf(get(server, SECOND))).toMatch(refused);
  expect(await get(server, CLIENT)).toEqual({ code: 200, body: 'OK' });
  expect((await get({ ...server, token: '' }, CLIENT)).code).toBe(401);
  writeFileSync(file('client-key.pem'), CLIENT.key, { mode: 0o600 });
  const own = ['--client-certificate', 'clients.pem', '--client-key', 'client-key.pem'];
  const where = ['--data-dir', server.dataDir];
  const listed = await runCli(['namespaces', ...where, ...own], { cwd: bench.folder });
  expect([listed.code, listed.stderr]).toEqual([0, '']);
  expect((await runCli(['namespaces', ...where], { cwd: bench.folder })).code).not.toBe(0);
});

const BROKEN = 'The new certificate cannot be used; the earlier one stays.';

attack('broken-certificate', async () => {
  const server = await secured();
  const countOf = () => server.child.stderr.split(BROKEN).length - 1;
  const breaks = [
    () => writeFileSync(file('cert.pem'), 'garbage'),
    () => writeFileSync(file('key.pem'), SECOND.key),
    () => {
      rmSync(file('cert.pem'));
      rmSync(file('key.pem'));
    },
  ];
  for (const [index, breakIt] of breaks.entries()) {
    breakIt();
    await eventually('the log says it', async () => {
      expect(await get(server)).toEqual({ code: 200, body: 'OK' });
      return countOf() === index + 1;
    });
  }
  expect((await get(server)).code).toBe(200);
  expect(countOf()).toBe(breaks.length);
  place(SECOND);
  // Bound: Checks of the certificate files.
  await eventually('the new certificate counts', async () =>
    (await failureOf(get(server, { ca: SECOND.cert }))).includes('answered 200'),
  );
  expect(await failureOf(get(server, { ca: FIRST.cert }))).toContain('self-signed certificate');
});

const HANDSHAKES_OF_ADDRESS = 100;

// Bound: TLS handshakes under way; of one address; time of each.
attack('endless-handshakes', async () => {
  const server = await secured();
  const { hostname, port } = new URL(server.url);
  const open = new Set<Socket>();
  const sockets = Array.from({ length: 3 * HANDSHAKES_OF_ADDRESS }, (_, index) => {
    const socket = connectTcp({ host: hostname, port: Number(port), localAddress: '127.0.0.2' });
    open.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => open.delete(socket));
    // Some say nothing, the others begin a handshake and stop.
    if (index % 2 === 1) socket.write(Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01]));
    return socket;
  });
  await eventually('most are closed', () => open.size <= HANDSHAKES_OF_ADDRESS);
  expect((await get(server)).code).toBe(200);
  await eventually('all are closed', () => open.size === 0);
  for (const socket of sockets) socket.destroy();
  expect((await get(server)).code).toBe(200);
});

attack('kept-at-stop', async () => {
  const heads = [
    (token: string) => `GET /version HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\n\r\n`,
    () => 'GET /version HTTP/1.1\r\nHo',
  ];
  for (const headOf of heads) {
    const server = await secured();
    const { hostname: host, port } = new URL(server.url);
    const socket = connect({ host, port: Number(port), rejectUnauthorized: false });
    socket.on('error', () => undefined).resume();
    await once(socket, 'secureConnect');
    socket.write(headOf(server.token));
    await Promise.race([once(socket, 'data'), get(server)]);
    let isGone = false;
    const gone = server.child.kill('SIGTERM').then(() => {
      isGone = true;
    });
    // Connections that are idle for half a minute end by themselves.
    await eventually('the end of the server', () => isGone, { withinMs: 25_000 });
    await gone;
    socket.destroy();
  }
});

attack('unsafe-defaults', async () => {
  const isRoot = process.getuid?.() === 0;
  const plain = await bench.server({ config: { host: '0.0.0.0' } });
  expect(plain.child.stderr).toContain('as the server speaks plain HTTP on 0.0.0.0. Set tls.cert');
  expect(plain.child.stderr.includes('The server runs as root')).toBe(isRoot);
  chmodSync(file('key.pem'), 0o644);
  const safe = await secured({ host: '0.0.0.0' });
  expect(safe.child.stderr).not.toContain('plain HTTP');
  expect(safe.child.stderr).toContain(
    `Everybody on this machine may read the key ${file('key.pem')}`,
  );
  const { stdout } = await runCli(['doctor', '--data-dir', safe.dataDir], { cwd: bench.folder });
  expect(stdout).toContain(`${file('key.pem')} has the key of the server, and the mode 0644`);
  const where = ['--server', plain.url, '--token', plain.token];
  const agent = startCli(['agent', '--tags', 'unsafe', ...where], { cwd: bench.folder });
  await eventually('the agent is there', async () =>
    (await plain.call('GET', '/agents')).text.includes('unsafe'),
  );
  await eventually(
    'it has said what it runs as',
    () => agent.stderr().includes('The agent runs as root') === isRoot,
  );
  agent.kill('SIGTERM');
  await agent.ended;
});
