/** Limits of real connections, and of their owners. */
import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createLogger } from '../runtime/logger.ts';
import { createTestApp } from './testing.ts';

/** Takes ten connections, eight of them for everybody. */
async function listen() {
  const logged: string[] = [];
  const destination = { write: (line: string) => void logged.push(line) };
  const { app, admin } = await createTestApp({
    routes: [
      (routes) => {
        routes.get('/workflows', () => ({ ok: true }));
        routes.get('/agents/:agent_id', () => ({ ok: true }));
      },
    ],
    config: { limits: { connections: 10 } },
    logger: createLogger({ level: 'warn', destination }),
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;
  const sockets: Socket[] = [];
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await app.close();
  });
  const open = async (): Promise<Socket> => {
    const socket = connect(port, '127.0.0.1');
    sockets.push(socket);
    await once(socket, 'connect');
    return socket;
  };
  const ask = async (path: string, socket: Socket): Promise<string> => {
    socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: ${admin}\r\n\r\n`);
    const [answer] = await once(socket, 'data');
    return String(answer);
  };
  const waiting = async (count: number): Promise<Socket[]> => {
    const opened: Socket[] = [];
    while (opened.length < count) opened.push(await open());
    return opened;
  };
  return { open, ask, waiting, logged };
}

// Bound: Open connections.
test('the last fifth of the connections serves only agents', async () => {
  const { open, ask, waiting } = await listen();
  const [first, second] = await waiting(8);
  expect(await ask('/workflows', await open())).toMatch(/^HTTP\/1.1 503 /);
  const refused = await ask('/workflows', await open());
  expect(refused).toMatch(/\r\nretry-after: 5\r\n/i);
  expect(refused).toMatch(/\r\nconnection: close\r\n/i);
  expect(refused).toContain(
    'The server has 8 open connections, which is the limit (limits.connections). Try again later.',
  );
  expect(await ask('/agents/a', await open())).toMatch(/^HTTP\/1.1 200 /);
  for (const socket of [first, second]) socket?.destroy();
  await vi.waitFor(async () =>
    expect(await ask('/workflows', await open())).toMatch(/^HTTP\/1.1 200 /),
  );
});

test('beyond the bound a connection is closed without an answer, which is logged once', async () => {
  const { open, ask, waiting, logged } = await listen();
  const [agent] = await waiting(10);
  for (const _ of [1, 2]) {
    const socket = await open();
    socket.on('error', () => undefined).resume();
    await once(socket, 'close');
    expect(socket.bytesRead).toBe(0);
  }
  expect(logged.filter((line) => line.includes('Too many connections'))).toHaveLength(1);
  if (agent !== undefined) expect(await ask('/agents/a', agent)).toMatch(/^HTTP\/1.1 200 /);
});
