/** A server that may have few files open. It takes only as many connections as leave it enough files, and says so. */
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { bodyOf } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { ended, oneJob, sh, start } from '../support/runs.ts';
import { Workbench } from '../support/workbench.ts';

const OPEN_FILES = 260;
/** Nine tenths of those beyond the 160 that are for other things. */
const CONNECTIONS = 90;

let bench: Workbench;
let sockets: Socket[];

beforeEach(async () => {
  bench = await Workbench.open();
  sockets = [];
});

afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  await bench.close();
});

async function connectTo(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname).on('error', () => undefined);
  sockets.push(socket);
  await once(socket, 'connect');
  return socket;
}

describe.runIf(existsSync('/proc/self/limits'))('a server with few open files', () => {
  test('says how many connections it takes, and what to do', async () => {
    const { child } = await bench.server({ openFilesMax: OPEN_FILES });
    expect(child.stderr).toContain(
      `The server takes ${CONNECTIONS} connections at one time, not 50000 (limits.connections), as it may have ${OPEN_FILES} files open. Raise that limit (ulimit -n, or LimitNOFILE of systemd), or lower limits.connections.`,
    );
  });

  // Bound: Open connections with a lower `ulimit -n`.
  test('closes what is beyond that, and goes on with its work', async () => {
    const server = await bench.server({ openFilesMax: OPEN_FILES });
    const agent = await bench.agent(server, { tags: ['linux'] });
    const held = Array.from({ length: 2 * OPEN_FILES }, () => connectTo(server.url));
    await Promise.all(held);
    await eventually('the end of what is too much', () => {
      const open = sockets.filter((socket) => !socket.destroyed && !socket.readableEnded);
      return open.length <= CONNECTIONS;
    });
    expect([server.child.isRunning, agent.child.isRunning]).toEqual([true, true]);
    for (const socket of sockets) socket.destroy();
    const id = await eventually('a run that is accepted', () =>
      start(server, oneJob('after', [sh('echo there')])).catch(() => null),
    );
    expect(await ended(server, id)).toBe('DONE');
    expect(bodyOf(await server.call('GET', '/workflows')).code).toBe(200);
    expect(server.child.stderr).not.toContain('EMFILE');
  });
});
