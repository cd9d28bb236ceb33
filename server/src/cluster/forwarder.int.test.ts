/** Requests for an active replica that takes no more connections. If it answers others, it is busy, and else it is doubted. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import fastify, { type FastifyInstance } from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import { eventually } from '../../../tests/support/eventually.ts';
import { freePort } from '../../../tests/support/free-port.ts';
import { createLogger } from '../runtime/logger.ts';
import { Forwarder } from './forwarder.ts';
import { Gate } from './gate.ts';
import { ReplicaClient } from './replica-client.ts';
import { listenForReplicas } from './replica-listener.ts';

const PATHS = ['/long', '/short'] as const;

function appOf(handle: (path: string) => Promise<string>): FastifyInstance {
  const app = fastify();
  for (const path of PATHS) app.get(path, { config: { access: 'none' } }, () => handle(path));
  onTestFinished(() => app.close());
  return app;
}

/** A way to a port that holds up new connections while it is told to. */
async function openWay(port: number) {
  const held: Socket[] = [];
  const way = { isHeld: false, held, address: '' };
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    if (way.isHeld) {
      held.push(socket);
      return;
    }
    const next = connect(port, '127.0.0.1').on('error', () => undefined);
    socket.pipe(next).pipe(socket);
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  way.address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return way;
}

/** A waiting replica before an active one, which answers `/long` when it is told to. */
async function openPair() {
  const secret = randomBytes(32);
  const active = new Gate(() => true);
  active.move('here');
  const { promise: whenReleased, resolve: release } = Promise.withResolvers<void>();
  const asked: string[] = [];
  const app = appOf(async (path) => {
    asked.push(path);
    if (path === '/long') await whenReleased;
    return path;
  });
  await app.ready();
  const port = await freePort();
  const listener = await listenForReplicas({
    ...{
      host: '127.0.0.1',
      port,
      secret,
      gate: active,
      app,
      logger: createLogger({ level: 'fatal' }),
    },
    received: { look: () => undefined, prepare: () => undefined, release: () => undefined },
  });
  const way = await openWay(port);
  const client = new ReplicaClient(secret);
  onTestFinished(async () => {
    client.close();
    await listener.close();
  });
  const waiting = new Gate(() => true);
  waiting.move({ address: way.address });
  const doubted: string[] = [];
  const front = appOf(async () => 'not forwarded');
  new Forwarder(waiting, client, (address) => doubted.push(address)).register(front);
  const url = await front.listen({ port: 0, host: '127.0.0.1' });
  const ask = async (path: (typeof PATHS)[number]) => (await fetch(url + path)).text();
  return { way, doubted, asked, ask, release };
}

test('an active replica that answers others is asked again, and is not doubted', async () => {
  const { way, doubted, asked, ask, release } = await openPair();
  const long = ask('/long');
  await eventually('the long request', () => asked.length === 1);
  way.isHeld = true;
  const short = ask('/short');
  await eventually('another connection', () => way.held.length === 1);
  way.isHeld = false;
  release();
  expect(await long).toBe('/long');
  expect(await short).toBe('/short');
  expect(doubted).toEqual([]);
});

test('one that answers nobody is doubted', async () => {
  const { way, doubted, ask } = await openPair();
  way.isHeld = true;
  const short = ask('/short');
  await eventually('the doubt', () => doubted.length > 0);
  expect(doubted).toEqual([way.address]);
  way.isHeld = false;
  expect(await short).toBe('/short');
});
