/** Behaviour that only real connections show. */
import http from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Routes } from './routes.ts';
import { createTestApp, type TestApp } from './testing.ts';

interface Gate {
  readonly opened: Promise<void>;
  open(): void;
}

function createGate(): Gate {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { opened: promise, open: resolve };
}

async function listen(routes: Routes): Promise<TestApp & { readonly port: number }> {
  const fixture = await createTestApp({
    routes: [routes],
    config: { limits: { bodyBytes: 1024 } },
  });
  await fixture.app.listen({ host: '127.0.0.1', port: 0 });
  onTestFinished(async () => {
    fixture.app.server.closeAllConnections();
    await fixture.app.close();
  });
  const { port } = fixture.app.server.address() as AddressInfo;
  return { ...fixture, port };
}

/** Sends bytes and gives all that comes back until the server closes the connection. */
function exchange(port: number, request: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = net.connect(port, '127.0.0.1', () => socket.write(request));
    let answer = '';
    socket.on('data', (chunk) => {
      answer += chunk.toString();
    });
    socket.on('close', () => resolve(answer));
    socket.on('error', reject);
  });
}

function get(
  fixture: { readonly port: number; readonly admin: string },
  path: string,
  agent: http.Agent,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: fixture.admin };
    http
      .get({ host: '127.0.0.1', port: fixture.port, path, headers, agent }, (response) => {
        response.resume();
        response.on('end', () => resolve(response.statusCode ?? 0));
      })
      .on('error', reject);
  });
}

test.each([
  ['garbage', 'garbage\r\n\r\n', 'Not a valid HTTP request.'],
  [
    'huge headers',
    `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`,
    // Bound: Headers of a request.
    'The headers of the request are too large.',
  ],
  // HTTP 7: Also for what is no request of the interface at all.
])('%s is answered with a Status manifest', async (_, request, message) => {
  const { port } = await listen(() => {});
  const answer = await exchange(port, request);
  expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
  expect(answer).toMatch(/\r\nX-Content-Type-Options: nosniff\r\n/);
  expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')))).toMatchObject({
    kind: 'Status',
    code: 400,
    message,
  });
});

// HTTP 7: Also for what is no request of the interface at all.
test('a request without a host is answered with a Status manifest, one of HTTP/1.0 as any other', async () => {
  const { port, admin } = await listen(() => {});
  const head = `Authorization: ${admin}\r\nConnection: close\r\n\r\n`;
  const refused = await exchange(port, `GET /health HTTP/1.1\r\n${head}`);
  expect(refused).toMatch(/^HTTP\/1\.1 400 /);
  expect(refused).toContain('"message":"The request has no Host header."');
  expect(await exchange(port, `GET /health HTTP/1.0\r\n${head}`)).toMatch(/^HTTP\/1\.1 200 /);
});

// HTTP 7: Also for what is no request of the interface at all.
test('a request for a tunnel is answered with a Status manifest', async () => {
  const { port } = await listen(() => {});
  const answer = await exchange(port, 'CONNECT a:80 HTTP/1.1\r\nHost: a\r\n\r\n');
  expect(answer).toMatch(/^HTTP\/1\.1 405 Method Not Allowed\r\n/);
  expect(answer).toContain('"reason":"MethodNotAllowed","code":405,"details":null}');
});

test('an unknown expectation is ignored', async () => {
  const { port, admin } = await listen(() => {});
  const head = `Authorization: ${admin}\r\nConnection: close\r\nExpect: wonders\r\n\r\n`;
  const answer = await exchange(port, `GET /health HTTP/1.1\r\nHost: a\r\n${head}`);
  expect(answer).toMatch(/^HTTP\/1\.1 200 /);
});

// Bound: A body in memory.
test('a body that grows too large is refused, and its connection closed', async () => {
  const { port, admin } = await listen((app) => {
    app.post('/echo', () => ({}));
  });
  const chunk = `400\r\n${'x'.repeat(1024)}\r\n`;
  const head = `POST /echo HTTP/1.1\r\nHost: a\r\nAuthorization: ${admin}\r\nTransfer-Encoding: chunked\r\n\r\n`;
  const answer = await exchange(port, `${head}${chunk}${chunk}0\r\n\r\n`);
  expect(answer).toMatch(/^HTTP\/1\.1 413 /);
  expect(answer).toMatch(/\r\nconnection: close\r\n/i);
});

test('a client that sends all of a too large body before reading gets the answer', async () => {
  const { port, admin } = await listen((app) => {
    app.post('/echo', () => ({}));
  });
  const size = 16 * 1024 * 1024;
  const head = `POST /echo HTTP/1.1\r\nHost: a\r\nAuthorization: ${admin}\r\nContent-Length: ${size}\r\n\r\n`;
  const socket = net.connect(port, '127.0.0.1');
  const sent = new Promise<void>((resolve, reject) => {
    socket.once('error', reject);
    socket.write(head);
    socket.write(Buffer.alloc(size, 'x'), () => resolve());
  });
  await sent;
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 413 /);
});

test('closing ends idle connections at once and lets a request in flight finish', async () => {
  const started = createGate();
  const release = createGate();
  const fixture = await listen((app) => {
    app.get('/held', async () => {
      started.open();
      await release.opened;
      return { ok: true };
    });
  });
  const agent = new http.Agent({ keepAlive: true });
  onTestFinished(() => agent.destroy());
  expect(await get(fixture, '/health', agent)).toBe(200);
  const held = get(fixture, '/held', agent);
  await started.opened;
  const closed = fixture.app.close();
  await vi.waitFor(() => expect(fixture.app.server.listening).toBe(false), { timeout: 20_000 });
  release.open();
  expect(await held).toBe(200);
  // Would wait for the keep-alive time of more than a minute if the connection stayed open.
  await closed;
});

test('answers that go out together at the end look for idle connections together', async () => {
  const count = 100;
  let started = 0;
  const release = createGate();
  const fixture = await listen((app) => {
    app.get('/held', async () => {
      started += 1;
      await release.opened;
      return { ok: true };
    });
  });
  const agent = new http.Agent({ keepAlive: true });
  onTestFinished(() => agent.destroy());
  const held = Array.from({ length: count }, () => get(fixture, '/held', agent));
  await vi.waitFor(() => expect(started).toBe(count), { timeout: 20_000 });
  const looks = vi.spyOn(fixture.app.server, 'closeIdleConnections');
  const closed = fixture.app.close();
  await vi.waitFor(() => expect(fixture.app.server.listening).toBe(false), { timeout: 20_000 });
  release.open();
  expect(await Promise.all(held)).toEqual(Array.from({ length: count }, () => 200));
  await closed;
  // Earlier callbacks run first.
  await nextTurn();
  // Each looks at all connections: one for each answer would take a minute with ten thousand.
  expect(looks.mock.calls.length).toBeLessThan(count / 2);
});
