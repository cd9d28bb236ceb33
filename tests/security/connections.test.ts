/** Connections and heads of requests (section 17). */

import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { afterAll, beforeAll, expect } from 'vitest';
import { createSelfSigned } from '../../server/src/bus/self-signed.fixture.ts';
import { bodyOf } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { exchangeRaw } from '../support/raw-exchange.ts';
import { oneJob, sh, start } from '../support/runs.ts';
import { openSlowRequest } from '../support/slow-request.ts';
import { type ServerChild, Workbench } from '../support/workbench.ts';
import { attack } from './attack.ts';

const PAGE = 'https://page.example';

let bench: Workbench;
let server: ServerChild;

beforeAll(async () => {
  bench = await Workbench.open();
  server = await bench.server({
    config: { limits: { connections: 600 }, cors: { origins: [PAGE] } },
  });
});

afterAll(() => bench.close());

/** A connection that has sent the first part of a head. */
async function beginHead({ url }: ServerChild): Promise<Socket> {
  const { protocol, hostname: host, port } = new URL(url);
  const socket =
    protocol === 'https:'
      ? connectTls({ host, port: Number(port), rejectUnauthorized: false })
      : connect(Number(port), host);
  socket.on('error', () => undefined).resume();
  await once(socket, protocol === 'https:' ? 'secureConnect' : 'connect');
  socket.write('GET /version HTTP/1.1\r\nX: ');
  return socket;
}

/** Waits until each of them is closed, and sends a byte of a head now and then meanwhile. */
async function trickle(sockets: readonly Socket[]): Promise<void> {
  const timer = setInterval(() => {
    for (const socket of sockets) if (socket.writable) socket.write('x');
  }, 1_000);
  try {
    const closed = () => sockets.every((socket) => socket.destroyed);
    await eventually('the end of slow heads', closed, { withinMs: 55_000 });
  } finally {
    clearInterval(timer);
    for (const socket of sockets) socket.destroy();
  }
}

async function securedServer(): Promise<ServerChild> {
  const { cert, key } = createSelfSigned();
  const tls = { cert: bench.path('cert.pem'), key: bench.path('key.pem') };
  await writeFile(tls.cert, cert);
  await writeFile(tls.key, key, { mode: 0o600 });
  return bench.server({ config: { tls } });
}

// Bound: Connections of one address without a token (IPv6: of one /64 network); their idle time.
attack('silent-connections', async () => {
  const { port } = new URL(server.url);
  const slow = trickle([await beginHead(server), await beginHead(await securedServer())]);
  const sockets: Socket[] = [];
  const closed = new Set<Socket>();
  const open = async () => {
    const socket = connect({ port: Number(port), host: '127.0.0.1', localAddress: '127.0.0.2' });
    socket
      .on('error', () => undefined)
      .on('close', () => closed.add(socket))
      .resume();
    sockets.push(socket);
    await once(socket, 'connect');
    return socket;
  };
  // A quarter of 600.
  for (let index = 0; index < 150; index += 1) await open();
  sockets[0]?.write('GET /version HTTP/1.1\r\nHost: a\r\n');
  const beyond = await open();
  await eventually('the end of one more', () => closed.has(beyond));
  expect(closed.size).toBe(1);
  // Another address.
  expect((await server.call('GET', '/version')).code).toBe(200);
  await eventually('the end of all', () => closed.size === sockets.length, { withinMs: 55_000 });
  await slow;
});

attack('kept-refusals', async () => {
  const none = { authorization: 'Bearer none' };
  const permission = { origin: PAGE, 'access-control-request-method': 'GET' };
  for (const [method, path, headers, code] of [
    ['GET', '/version', {}, 401],
    ['GET', '/version', none, 401],
    ['POST', '/workflows', { ...none, 'content-length': 1_000 }, 401],
    ['GET', '/%zz', {}, 401],
    ['GET', '/nowhere', {}, 401],
    ['OPTIONS', '/workflows', permission, 204],
    ['OPTIONS', '/workflows', {}, 400],
    ['OPTIONS', '*', permission, 204],
  ] as const) {
    const request = await openSlowRequest(server.url, { method, path, headers });
    // This side stays open.
    await eventually(`the end of ${path}`, () => request.isClosed, { withinMs: 20_000 });
    expect(request.answer).toMatch(new RegExp(`^HTTP/1.1 ${code} `));
    expect(request.answer).toMatch(/\r\nconnection: close\r\n/i);
  }
  for (const bytes of ['no request\r\n\r\n', 'GET / HTTP/1.1\r\nHost: a\r\nX: \u0000\r\n\r\n']) {
    const answer = await exchangeRaw(server.url, bytes, { withinMs: 10_000 });
    expect(answer.code).toBe(400);
  }
});

attack('two-hosts', async () => {
  for (const hosts of ['Host: a\r\nHost: b\r\n', 'Host: a\r\nhOsT: a\r\n']) {
    for (const path of ['/version', '/health', '/nowhere']) {
      const head = `GET ${path} HTTP/1.1\r\n${hosts}Authorization: Bearer ${server.token}\r\n\r\n`;
      const { code, body } = await exchangeRaw(server.url, head, { withinMs: 10_000 });
      expect([code, JSON.parse(body).message]).toEqual([
        400,
        'The request has more than one Host header.',
      ]);
    }
  }
});

// Bound: The boundary of a form.
attack('long-boundary', async () => {
  const id = await start(server, oneJob('form', [sh('true')], { 'runs-on': 'nowhere' }));
  const paths = [
    '/workflows',
    `/workflows/${id}/insights?insight=*`,
    `/workflows/${id}/qualitygate?mode=x`,
  ];
  for (const path of paths) {
    for (const length of [71, 300, 8_000, 65_536]) {
      for (const quote of ['', '"']) {
        const boundary = 'b'.repeat(length);
        const body = `--${boundary}\r\nContent-Disposition: form-data; name="workflow"\r\n\r\n{}\r\n--${boundary}--\r\n`;
        const head = `POST ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nAuthorization: Bearer ${server.token}\r\nContent-Type: multipart/form-data; boundary=${quote}${boundary}${quote}\r\nContent-Length: ${body.length}\r\n\r\n`;
        const answer = await exchangeRaw(server.url, head + body, { withinMs: 15_000 });
        expect([answer.code, path, length]).toEqual([400, path, length]);
      }
    }
  }
});

const FORWARDED = [
  'Forwarded',
  'X-Forwarded-For',
  'X-Forwarded-Host',
  'X-Forwarded-Proto',
  'X-Forwarded-Port',
  'X-Forwarded-Server',
  'X-Forwarded-Prefix',
  'X-Forwarded',
  'X-Real-IP',
  'Via',
  'CF-Connecting-IP',
  'CF-Ray',
  'CDN-Loop',
  'True-Client-IP',
  'X-Client-IP',
  'X-Cluster-Client-IP',
  'Fly-Client-IP',
  'Fastly-Client-IP',
  'X-Original-URL',
  'X-Original-Host',
  'X-Original-Forwarded-For',
  'X-Envoy-External-Address',
  'X-Amzn-Trace-Id',
  'X-ProxyUser-Ip',
  'X-Azure-ClientIP',
  'CloudFront-Viewer-Address',
  'X-Via',
  'X-Varnish',
  'X-Rewrite-URL',
  'X-Scheme',
  'Front-End-Https',
  'Proxy-Client-IP',
  'WL-Proxy-Client-IP',
  'X-Originating-IP',
  'Incap-Client-IP',
  'X-Sucuri-ClientIP',
  'X-Akamai-Edgescape',
  'X-Azure-FDID',
  'X-Vercel-Forwarded-For',
  'X-Nf-Client-Connection-Ip',
  'X-Cloud-Trace-Context',
  'Tailscale-User-Login',
  'X-Goog-Authenticated-User-Email',
  'Remote-User',
  // None that anybody knows.
  'X-Of-Some-Proxy',
];

attack('forwarded-logins', async () => {
  const open = await bench.server({ config: { auth: { insecureLogin: true } } });
  const call = (headers: Readonly<Record<string, string>>) =>
    open.call('GET', '/workflows', { headers: { authorization: '', ...headers } });
  expect((await call({})).code).toBe(200);
  for (const name of FORWARDED) {
    const answer = await call({ [name]: 'for=192.0.2.1' });
    expect([name, answer.code]).toEqual([name, 401]);
    expect(bodyOf(answer).details).toEqual({
      error: `Only programs of this machine need no token; this is a request with the header "${name.toLowerCase()}", which a proxy may have added.`,
    });
  }
});
