import http from 'node:http';
import https from 'node:https';
import { expect, onTestFinished, test } from 'vitest';
import { createInboxClient, type InboxRequest } from './inbox-client.ts';
import { BUS_LIMITS } from './limits.ts';
import { createSelfSigned } from './self-signed.fixture.ts';
import { ANYWHERE, eventually, ManualTimers } from './testing.ts';

const never = new AbortController().signal;

function setUp() {
  const timers = new ManualTimers();
  const client = createInboxClient(timers, BUS_LIMITS, ANYWHERE);
  onTestFinished(() => client.close());
  return { client, timers };
}

async function listen(server: http.Server): Promise<number> {
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

const requestTo = (url: string, insecureSkipTlsVerify = false): InboxRequest => ({
  endpoint: new URL(url),
  asker: 'anybody',
  insecureSkipTlsVerify,
  headers: { 'Content-Type': 'application/json' },
  body: '{"ünï":"cöde"}',
});

test('posts the body as it is and gives the code of the answer', async () => {
  const { client } = setUp();
  const bodies: string[] = [];
  const server = http.createServer((request, response) => {
    request.setEncoding('utf8').on('data', (text: string) => bodies.push(text));
    request.on('end', () => response.writeHead(202).end());
  });
  const port = await listen(server);
  const answer = await client.post(requestTo(`http://127.0.0.1:${port}/inbox`), never);
  expect(answer).toEqual({ outcome: 'answered', code: 202 });
  expect(bodies).toEqual(['{"ünï":"cöde"}']);
});

test.each([
  ['a name and a password in its address', 'me:p%40ss@', {}, `Basic ${btoa('me:p@ss')}`],
  ['a token that goes before them', 'me:p%40ss@', { Authorization: 'Bearer x' }, 'Bearer x'],
  ['neither', '', {}, undefined],
])('finds an inbox with a query and %s', async (_, user, more, authorization) => {
  const { client } = setUp();
  const requests: http.IncomingMessage[] = [];
  const server = http.createServer((request, response) => {
    requests.push(request);
    request.resume().on('end', () => response.end());
  });
  const port = await listen(server);
  const request = requestTo(`http://${user}127.0.0.1:${port}/inbox?a=b%20c`);
  const headers = { ...request.headers, 'Content-Length': '17', ...more };
  // The second one uses the address that was learnt from the first.
  for (const _time of [1, 2]) await client.post({ ...request, headers }, never);
  expect(requests.map(({ method, url }) => [method, url])).toEqual([
    ['POST', '/inbox?a=b%20c'],
    ['POST', '/inbox?a=b%20c'],
  ]);
  expect(requests.map((one) => one.headers)).toEqual(
    [1, 2].map(() => ({
      host: `127.0.0.1:${port}`,
      connection: 'keep-alive',
      'content-type': 'application/json',
      'content-length': '17',
      ...(authorization === undefined ? {} : { authorization }),
    })),
  );
});

test('believes a certificate that nobody vouches for only when it was told to', async () => {
  const { client } = setUp();
  const server = https.createServer(createSelfSigned(), (_, response) => response.end());
  const url = `https://127.0.0.1:${await listen(server)}/inbox`;
  expect(await client.post(requestTo(url), never)).toEqual({
    outcome: 'unanswered',
    why: 'ConnectionError',
  });
  expect(await client.post(requestTo(url, true), never)).toEqual({
    outcome: 'answered',
    code: 200,
  });
});

// Bound: The answer of an inbox.
test('does not read an endless answer', async () => {
  const { client } = setUp();
  let isClosed = false;
  const server = http.createServer((_, response) => {
    response.on('close', () => {
      isClosed = true;
    });
    const more = () => {
      while (!response.destroyed && response.write(Buffer.alloc(16 * 1024)));
    };
    response.on('drain', more);
    more();
  });
  const port = await listen(server);
  const answer = await client.post(requestTo(`http://127.0.0.1:${port}/inbox`), never);
  expect(answer).toEqual({ outcome: 'answered', code: 200 });
  await eventually(() => expect(isClosed).toBe(true));
});

test('comes again on a new connection when a kept one was closed', async () => {
  const { client } = setUp();
  let requests = 0;
  const server = http.createServer((request, response) => {
    requests += 1;
    // The second request arrives on the kept connection, which is gone before there is an answer.
    if (requests === 2) request.socket.resetAndDestroy();
    else response.end();
  });
  const url = `http://127.0.0.1:${await listen(server)}/inbox`;
  const answers = [
    await client.post(requestTo(url), never),
    await client.post(requestTo(url), never),
  ];
  expect(answers).toEqual([
    { outcome: 'answered', code: 200 },
    { outcome: 'answered', code: 200 },
  ]);
  expect(requests).toBe(3);
});

test('gives up when told so, and after its time', async () => {
  const { client, timers } = setUp();
  const url = `http://127.0.0.1:${await listen(http.createServer(() => {}))}/inbox`;
  const abort = new AbortController();
  const aborted = client.post(requestTo(url), abort.signal);
  abort.abort(new Error('enough'));
  await expect(aborted).rejects.toThrow('enough');
  const late = client.post(requestTo(url), never);
  await timers.fire(BUS_LIMITS.inboxTimeoutMs);
  expect(await late).toEqual({ outcome: 'unanswered', why: 'Timeout' });
  expect(timers.pending.size).toBe(0);
});
