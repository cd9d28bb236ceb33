import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

/** Below the system's ports for connections, and away from those of services. */
const FIRST = 25_000;
const BLOCKS = 35;
const BLOCK_PORTS = 200;

let block: Promise<number> | null = null;
let given = 0;

/**
 * A free port. This process gives it out again only after 199 others: a program may take long to listen. Each process has a block
 * of ports, and claims it by listening on its first port.
 */
export async function freePort(): Promise<number> {
  block ??= claimBlock();
  const first = await block;
  for (let tries = 1; tries < BLOCK_PORTS; tries += 1) {
    const port = first + 1 + (given++ % (BLOCK_PORTS - 1));
    const server = await listening(port);
    if (server === null) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
  throw new Error(`No port from ${first} on is free.`);
}

async function claimBlock(): Promise<number> {
  const start = process.pid % BLOCKS;
  for (let index = 0; index < BLOCKS; index += 1) {
    const first = FIRST + ((start + index) % BLOCKS) * BLOCK_PORTS;
    const server = await listening(first);
    if (server === null) continue;
    server.unref();
    return first;
  }
  throw new Error('Other processes have all ports for tests.');
}

/** Null if another program listens. */
async function listening(port: number): Promise<Server | null> {
  const server = createServer().listen(port);
  try {
    await once(server, 'listening');
    return server;
  } catch {
    return null;
  }
}
