/** Whether anybody listens, found out with real sockets. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { OutgoingPolicy, type OutgoingPolicyOptions } from '../runtime/outgoing-policy.ts';
import { createListensAt } from './inbox-listener.ts';
import { BUS_LIMITS } from './limits.ts';
import { ANYWHERE, ManualTimers } from './testing.ts';

async function listen(host: string): Promise<{ readonly port: number; readonly server: Server }> {
  const server = createServer().listen(0, host);
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
  });
  const address = server.address();
  return { port: typeof address === 'object' && address !== null ? address.port : 0, server };
}

const ask = (url: string, policy: OutgoingPolicy = ANYWHERE, timers = new ManualTimers()) =>
  createListensAt(policy, timers, BUS_LIMITS)({ endpoint: new URL(url), asker: 'anybody' });

/** Names have these addresses. */
function namePolicy(addresses: readonly string[] | NodeJS.ErrnoException): OutgoingPolicy {
  const resolve: OutgoingPolicyOptions['resolve'] = (_name, _options, callback) => {
    if (addresses instanceof Error) callback(addresses, []);
    else
      callback(
        null,
        addresses.map((address) => ({ address, family: 4 })),
      );
  };
  return new OutgoingPolicy({ privateNetworks: ['127.0.0.0/8'], resolve });
}

test('somebody listens until the port is closed', async () => {
  const { port, server } = await listen('127.0.0.1');
  const url = `http://127.0.0.1:${port}/inbox`;
  expect(await ask(url)).toBe(true);
  server.close();
  await once(server, 'close');
  expect(await ask(url)).toBe(false);
});

test('one of several addresses of a name is enough', async () => {
  const { port } = await listen('127.0.0.3');
  const url = `http://inbox.example:${port}/inbox`;
  expect(await ask(url, namePolicy(['127.0.0.2', '127.0.0.3']))).toBe(true);
  expect(await ask(url, namePolicy(['127.0.0.2', '127.0.0.4']))).toBe(false);
});

// Bound: Check whether an inbox listens.
test('what cannot be found out counts as somebody', async () => {
  const noName = Object.assign(new Error('no such name'), { code: 'ENOTFOUND' });
  expect(await ask('http://inbox.example:9/inbox', namePolicy(noName))).toBe(true);
  const forbidden = new OutgoingPolicy({ privateNetworks: [] });
  expect(await ask('http://127.0.0.1:9/inbox', forbidden)).toBe(true);
  const timers = new ManualTimers();
  const unresolved = new OutgoingPolicy({ privateNetworks: [], resolve: () => undefined });
  const asked = ask('http://inbox.example:9/inbox', unresolved, timers);
  await timers.fire(BUS_LIMITS.probeMs);
  expect(await asked).toBe(true);
});
