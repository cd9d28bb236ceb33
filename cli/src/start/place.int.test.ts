/** The place of a workflow when the data directory names a server: a running one, or a killed one. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openSession, startHost } from '../connection/host.ts';
import type { Io } from '../terminal/io.ts';
import { placeOf } from './place.ts';
import { startHere } from './start-here.ts';

const io = { env: {} } as Io; // Nothing is said.
const NOTHING = { dryRun: false, send: async () => 'nothing is to be started' };

/** Its process id exists: of a server, or of a process that has the id of a killed server. */
async function directoryOf(url: string) {
  const dataDir = await mkdtemp(join(tmpdir(), 'tutti-place-'));
  onTestFinished(() => rm(dataDir, { recursive: true }));
  await writeFile(join(dataDir, 'server.json'), JSON.stringify({ url, pid: process.pid }));
  return { dataDir, tags: [], maxParallel: 0, keepsWorkspaces: false };
}

async function listening(): Promise<string> {
  const server = createServer((socket) => void socket.destroy());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const NOBODY = 'http://127.0.0.1:1';

test.each([{ local: true }, {}, { tags: ['x'] }])(
  'a server that was killed, and whose number another process has, leaves the directory to this machine: %j',
  async (options) => {
    const { dataDir } = await directoryOf(NOBODY);
    expect(await placeOf({ ...options, dataDir }, null, io)).toBe('here');
  },
);

test('a server that listens is asked, and is in the way of --local', async () => {
  const url = await listening();
  const { dataDir } = await directoryOf(url);
  expect(await placeOf({ dataDir }, null, io)).toBe('server');
  await expect(placeOf({ dataDir, local: true }, null, io)).rejects.toThrow(
    `A server has the data directory ${dataDir}: ${url}.`,
  );
});

test('a server that begins while its directory is waited for is in the way, too', async () => {
  const url = await listening();
  const { dataDir } = await directoryOf(url);
  await writeFile(join(dataDir, 'admin.token'), 'T');
  await expect(startHere(NOTHING, { dataDir, local: true, output: 'text' }, io)).rejects.toThrow(
    `A server has the data directory ${dataDir}: ${url}.`,
  );
  await expect(
    startHere(NOTHING, { dataDir, tags: ['x'], output: 'text', hints: false }, io),
  ).rejects.toThrow('--tags is about this machine, and the workflow runs on a server.');
});

test('without a listener, the directory belongs to the holder of its lock until that is free', async () => {
  const options = await directoryOf(NOBODY);
  const first = await startHost(options, {});
  await writeFile(
    join(options.dataDir, 'server.json'),
    JSON.stringify({ url: NOBODY, pid: process.pid }),
  );
  const second = openSession(options, io);
  await first.close();
  const { host } = await second;
  expect(host).not.toBeNull();
  await host?.close();
});
