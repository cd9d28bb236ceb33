import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { type Connection, createConnection } from './http-connection.ts';

async function connectTo(listener: RequestListener, token = () => null as string | null) {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const connection = createConnection({ server: new URL(`http://127.0.0.1:${port}`), token });
  onTestFinished(() => {
    connection.close();
    server.closeAllConnections();
    server.close();
  });
  return { connection, server };
}

const get = (connection: Connection, more: { timeoutMs?: number; repeatable?: boolean } = {}) =>
  connection.send({ method: 'GET', path: '/', timeoutMs: 10_000, repeatable: true, ...more });

test('any code is an answer, and a body that is no JSON is none', async () => {
  const { connection } = await connectTo((_request, response) => {
    response.writeHead(502).end('<html>');
  });
  expect(await get(connection)).toEqual({ code: 502, body: undefined });
});

test.each([
  ['7', 7_000],
  ['100000', 60_000],
  ['Fri, 31 Dec 2027 23:59:59 GMT', undefined],
])('when a server says to come again after %s, that is %s ms', async (header, expected) => {
  const { connection } = await connectTo((_request, response) => {
    response.writeHead(503, { 'Retry-After': header }).end('{}');
  });
  expect((await get(connection)).retryAfterMs).toBe(expected);
});

test('the token is asked for with each request', async () => {
  const tokens = ['first', 'second'];
  const seen: (string | undefined)[] = [];
  const { connection } = await connectTo(
    (request, response) => {
      seen.push(request.headers.authorization);
      response.end('{}');
    },
    () => tokens.shift() ?? null,
  );
  for (const _ of [1, 2, 3]) await get(connection);
  expect(seen).toEqual(['Bearer first', 'Bearer second', undefined]);
});

test('requests after each other use one connection', async () => {
  const ports = new Set<number | undefined>();
  const { connection } = await connectTo((request, response) => {
    ports.add(request.socket.remotePort);
    response.end('{}');
  });
  for (const _ of [1, 2, 3]) await get(connection);
  expect(ports.size).toBe(1);
});

test('a connection that the server closed while it was idle is no failure', async () => {
  let requests = 0;
  const { connection } = await connectTo((request, response) => {
    requests += 1;
    // Acts like a server that closes an idle connection when the next request arrives.
    if (requests === 2) request.socket.resetAndDestroy();
    else response.end(`{"request": ${requests}}`);
  });
  await get(connection);
  expect(await get(connection)).toEqual({ code: 200, body: { request: 3 } });
});

test('requests that must not be repeated are not sent again', async () => {
  let requests = 0;
  const { connection } = await connectTo((request, response) => {
    requests += 1;
    if (requests === 2) request.socket.resetAndDestroy();
    else response.end('{}');
  });
  await get(connection);
  await expect(get(connection, { repeatable: false })).rejects.toThrow('ECONNRESET');
  expect(requests).toBe(2);
});

test('a server that does not answer is given up', async () => {
  const { connection } = await connectTo(() => undefined);
  await expect(get(connection, { timeoutMs: 1 })).rejects.toThrow('No answer within 1 ms.');
});

test('a body gets 20 ms more for each KiB', async () => {
  const { connection } = await connectTo(() => undefined);
  const bytes = [Buffer.alloc(1024), Buffer.alloc(1024)];
  const post = { method: 'POST', path: '/', bytes, timeoutMs: 1, repeatable: true } as const;
  await expect(connection.send(post)).rejects.toThrow('No answer within 41 ms.');
});

test('a server that stops in the middle of its answer is given up', async () => {
  const { connection } = await connectTo((_request, response) => {
    response.writeHead(200, { 'content-length': '10' });
    response.write('{"a"', () => response.destroy());
  });
  await expect(get(connection)).rejects.toThrow();
});
