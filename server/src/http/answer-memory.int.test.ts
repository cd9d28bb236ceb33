/** Answers in pieces, over real connections. */
import { connect, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { eventually } from '../bus/testing.ts';
import { enterAnswer, sendPieces, taken } from './answer-memory.ts';
import { createTestApp } from './testing.ts';

/** More than connections buffer. */
const PIECE = 'x'.repeat(4 * 1024 * 1024);
const PIECES = 20;

async function openServer() {
  const state = { read: 0, ended: 0 };
  async function* pieces() {
    try {
      for (let count = 0; count < PIECES; count += 1) {
        state.read += 1;
        yield PIECE;
      }
    } finally {
      state.ended += 1;
    }
  }
  const { app } = await createTestApp({
    routes: [
      (routes) =>
        routes.get('/pieces', { config: { access: 'none' } }, async (request, reply) =>
          sendPieces(reply, await enterAnswer(request), pieces()),
        ),
    ],
  });
  onTestFinished(() => app.close());
  const url = await app.listen({ port: 0 });
  return { app, url, state };
}

function ask(url: string, path = '/pieces'): Socket {
  const { port } = new URL(url);
  const socket = connect(Number(port), '127.0.0.1');
  onTestFinished(() => {
    socket.destroy();
  });
  socket.on('error', () => undefined);
  socket.write(`GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`);
  return socket.pause();
}

test('an answer comes whole, and holds nothing afterwards', async () => {
  const { app, url, state } = await openServer();
  const text = await (await fetch(`${url}/pieces`)).text();
  expect(text).toHaveLength(PIECES * PIECE.length);
  await eventually(() => expect(app.answerMemory.held).toBe(0));
  expect(state).toEqual({ read: PIECES, ended: 1 });
});

test('one piece of an unread answer is held, until its reader leaves', async () => {
  const { app, url, state } = await openServer();
  const socket = ask(url);
  await eventually(() => expect(app.answerMemory.held).toBe(4 * PIECE.length));
  // The connection buffers some pieces.
  expect(state.read).toBeLessThan(4);
  socket.destroy();
  await eventually(() => expect([state.ended, app.answerMemory.held]).toEqual([1, 0]));
});

// Bound: Time of a reader for a piece.
test('a reader that takes nothing is given up', async () => {
  const waits: Promise<unknown>[] = [];
  const { app } = await createTestApp({
    routes: [
      (routes) =>
        routes.get('/piece', { config: { access: 'none' } }, (_request, reply) => {
          reply.hijack();
          reply.raw.write(PIECE.repeat(4));
          waits.push(expect(taken(reply.raw, 0, 1)).rejects.toThrow('was not read in time'));
        }),
    ],
  });
  onTestFinished(() => app.close());
  const socket = ask(await app.listen({ port: 0 }), '/piece');
  await eventually(() => expect(waits).toHaveLength(1));
  await waits[0];
  socket.destroy();
});

test('an answer that never begins holds nothing', async () => {
  const { app, url, state } = await openServer();
  expect((await fetch(`${url}/pieces`, { method: 'HEAD' })).status).toBe(200);
  await eventually(() => expect(app.answerMemory.held).toBe(0));
  const left = ask(url);
  left.destroy();
  expect(await (await fetch(`${url}/pieces`)).text()).toHaveLength(PIECES * PIECE.length);
  await eventually(() => expect(app.answerMemory.held).toBe(0));
  expect(state.read).toBeGreaterThanOrEqual(PIECES);
});

/** A busy system may buffer four MiB without a reader, but not twice as much. */
const WHOLE = PIECE.repeat(2);

/** A server with unstreamed answers. */
async function openWholeServer() {
  const { app } = await createTestApp({
    routes: [(routes) => routes.get('/whole', { config: { access: 'none' } }, async () => WHOLE)],
  });
  onTestFinished(() => app.close());
  return { app, url: await app.listen({ port: 0 }) };
}

test('a whole answer without a reader is held, and answers beyond the bound are refused', async () => {
  const { app, url } = await openWholeServer();
  const { bytesMax } = app.answerMemory;
  const fitting = Math.floor(bytesMax / 2 / (4 * WHOLE.length));
  const sockets = Array.from({ length: 2 * fitting }, () => ask(url, '/whole'));
  await eventually(() => expect(app.answerMemory.held).toBe(fitting * 4 * WHOLE.length));
  const refused = await eventually(async () => {
    const response = await fetch(`${url}/whole`);
    expect(response.status).toBe(503);
    return response;
  });
  expect(refused.headers.get('retry-after')).toBe('5');
  expect(await refused.text()).toContain('The server has no memory left for answers');
  for (const socket of sockets) socket.destroy();
  await eventually(() => expect(app.answerMemory.held).toBe(0));
  expect(await (await fetch(`${url}/whole`)).text()).toBe(WHOLE);
});
