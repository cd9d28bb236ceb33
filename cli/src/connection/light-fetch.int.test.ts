import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { createLightFetch } from './light-fetch.ts';

const TUTTI = fileURLToPath(new URL('../../bin/tutti.js', import.meta.url));
const GET = { method: 'GET', headers: {}, signal: null };

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

/** The address of a server that answers as the test says. */
async function serve(
  handler: (request: IncomingMessage, response: ServerResponse) => unknown,
): Promise<string> {
  const server = createServer((request, response) => void handler(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanups.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  // The server listens on an address, not on a pipe.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('method, address, headers and body are sent, and the answer is read', async () => {
  const seen: unknown[] = [];
  const url = await serve(async (request, response) => {
    seen.push(request.method, request.url, request.headers['x-one'], await text(request));
    response.writeHead(422, 'Wrong', { link: '<a>; rel="next"' }).end('{"é":1}');
  });
  const answer = await createLightFetch()(`${url}/a?b=c`, {
    method: 'POST',
    headers: { 'x-one': '1' },
    body: 'grüße',
    signal: null,
  });
  expect(seen).toEqual(['POST', '/a?b=c', '1', 'grüße']);
  expect(answer).toMatchObject({
    ok: false,
    status: 422,
    statusText: 'Wrong',
    url: `${url}/a?b=c`,
  });
  expect(answer.headers.get('Link')).toBe('<a>; rel="next"');
  expect(answer.headers.has('link')).toBe(true);
  expect(answer.headers.get('x-none')).toBe(null);
  expect(await answer.text()).toBe('{"é":1}');
});

test('a body is read piece by piece, as it comes', async () => {
  const going = Promise.withResolvers<void>();
  const url = await serve(async (_request, response) => {
    response.write('one');
    await going.promise;
    response.end('two');
  });
  const answer = await createLightFetch()(url, GET);
  const reader = answer.body?.getReader();
  const pieces: unknown[] = [];
  for (let piece = await reader?.read(); piece?.done === false; piece = await reader?.read()) {
    pieces.push(Buffer.from(piece.value).toString());
    going.resolve();
  }
  expect(answer.ok).toBe(true);
  expect(pieces).toEqual(['one', 'two']);
});

test.each([
  ['GET', 302],
  ['GET', 308],
  ['POST', 307],
])('a redirect of %s with %i is followed', async (method, code) => {
  const url = await serve(async (request, response) => {
    if (request.url === '/new') response.end(`there: ${await text(request)}`);
    else response.writeHead(code, { location: '/new' }).end();
  });
  const body = method === 'POST' ? { body: 'what' } : {};
  const answer = await createLightFetch()(`${url}/old`, { ...GET, method, ...body });
  const said = method === 'POST' ? 'there: what' : 'there: ';
  expect([answer.url, await answer.text()]).toEqual([`${url}/new`, said]);
});

test('a finished request is not sent again, wherever its answer is', async () => {
  let count = 0;
  const url = await serve((_request, response) => {
    count += 1;
    response.writeHead(303, { location: '/result' }).end();
  });
  const answer = await createLightFetch()(url, { ...GET, method: 'POST', body: 'what' });
  expect([answer.status, count]).toEqual([303, 1]);
});

test('files are sent, too', async () => {
  const url = await serve(async (request, response) => response.end(await text(request)));
  const body = new FormData();
  body.set('data', new Blob(['content']), 'data');
  const answer = await createLightFetch()(url, { ...GET, method: 'POST', body });
  expect(await answer.text()).toContain('\r\n\r\ncontent\r\n');
});

test('an address with a password is refused, as by fetch', async () => {
  const url = await serve((_request, response) => response.end());
  const asked = createLightFetch()(url.replace('//', '//name:secret@'), GET);
  await expect(asked).rejects.toThrow('credentials');
});

test('an abort before the answer rejects with its reason', async () => {
  const given = new AbortController();
  const url = await serve(() => given.abort(new Error('enough')));
  const asked = createLightFetch()(url, { ...GET, signal: given.signal });
  await expect(asked).rejects.toThrow('enough');
});

test('an abort during the body rejects with its reason', async () => {
  const given = new AbortController();
  const url = await serve((_request, response) => response.write('one'));
  const answer = await createLightFetch()(url, { ...GET, signal: given.signal });
  const reading = answer.text();
  given.abort(new Error('enough'));
  await expect(reading).rejects.toThrow('enough');
});

test('an answer that is cut short rejects', async () => {
  const url = await serve((_request, response) => {
    response.writeHead(200, { 'content-length': 100 }).write('one', () => response.destroy());
  });
  const answer = await createLightFetch()(url, GET);
  await expect(answer.text()).rejects.toMatchObject({ code: 'ECONNRESET' });
});

test('a refused connection says so', async () => {
  const asked = createLightFetch()('http://127.0.0.1:1', GET);
  await expect(asked).rejects.toMatchObject({ code: 'ECONNREFUSED' });
});

test('a connection that does not come is given up', async () => {
  const never = createLightFetch({ connectMs: 1, lookup: () => {} });
  await expect(never('http://somewhere.test', GET)).rejects.toMatchObject({ code: 'ETIMEDOUT' });
});

test('an abort before the request sends nothing', async () => {
  const url = await serve(() => expect.unreachable());
  const asked = createLightFetch()(url, { ...GET, signal: AbortSignal.abort(new Error('enough')) });
  await expect(asked).rejects.toThrow('enough');
});

test('an abort after the end leaves the connection to later requests', async () => {
  const ports: unknown[] = [];
  const url = await serve((request, response) => {
    ports.push(request.socket.remotePort);
    response.end('all');
  });
  const fetchLightly = createLightFetch();
  const over = new AbortController();
  await (await fetchLightly(url, { ...GET, signal: over.signal })).text();
  over.abort();
  expect(await (await fetchLightly(url, GET)).text()).toBe('all');
  expect(ports[1]).toBe(ports[0]);
});

test('an unread answer is released', async () => {
  const closed = Promise.withResolvers<void>();
  const url = await serve((_request, response) => {
    response.once('close', closed.resolve);
    response.write('one');
  });
  const answer = await createLightFetch()(url, GET);
  await answer.body?.cancel();
  await closed.promise;
});

test('a command that asks a server does without fetch, which takes long to load', async () => {
  const url = await serve((_request, response) =>
    response.end(JSON.stringify({ kind: 'Status', details: { items: {} } })),
  );
  const asks = 'internal/deps/undici/undici';
  const report = `process.on('exit', () => console.log(process.moduleLoadList.some((name) => name.includes('${asks}'))))`;
  const args = ['--import', `data:text/javascript,${encodeURIComponent(report)}`, TUTTI, 'version'];
  const child = spawn(process.execPath, [...args, '--server', url, '--token', 'T']);
  const [output] = await Promise.all([text(child.stdout), once(child, 'close')]);
  expect([child.exitCode, output.trim().split('\n').at(-1)]).toEqual([0, 'false']);
});
