/** Requests for a run that go to another process, which may be about to end. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { messages, type Status, status } from '@tutti/manifests';
import { expect, onTestFinished, test } from 'vitest';
import { closeOpened } from '../terminal/at-end.ts';
import type { Io } from '../terminal/io.ts';
import { createDirectoryFetch, NoHostError } from './directory-fetch.ts';
import { openSession, startHost } from './host.ts';

const io = {} as Io; // Nothing is said: a host is there.
const ENDS = status('ServiceUnavailable', `${messages.serverEnds()} Try again later.`);
const BUSY = status('ServiceUnavailable', 'There is enough to do. Try again later.');

/** A process that offers to run workflows of a directory; `onAsked` is called before it answers. */
async function host(answer: Status, onAsked = async () => {}): Promise<string> {
  const server = createServer(async (_, response) => {
    await onAsked();
    response.writeHead(answer.code, { 'Retry-After': '1' }).end(JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function directory() {
  const path = await mkdtemp(join(tmpdir(), 'tutti-fetch-'));
  onTestFinished(() => rm(path, { recursive: true }));
  await writeFile(join(path, 'admin.token'), 'T');
  const file = join(path, 'server.json');
  const report = (url: string) =>
    writeFile(file, JSON.stringify({ url, pid: process.pid, local: true }));
  const start = async (options = {}) => {
    const request = { method: 'POST', headers: {}, signal: null, body: '{}' };
    const answer = await createDirectoryFetch(path, io, options)('http://any/workflows', request);
    return [answer.status, await answer.text()];
  };
  return { report, withdraw: () => rm(file), start };
}

test('a start that comes to a host that ends goes to the one that comes after it', async () => {
  const { report, start } = await directory();
  const started = status('Created', '', { workflow_id: 'id-1' });
  const next = await host(started);
  await report(await host(ENDS, () => report(next)));
  expect(await start()).toEqual([201, JSON.stringify(started)]);
});

test('if no other host follows, this process may become the host', async () => {
  const { report, withdraw, start } = await directory();
  await report(await host(ENDS, withdraw));
  await expect(start()).rejects.toThrow(NoHostError);
});

test.each([
  ['has too much to do', BUSY],
  ['ends, and waits for others', ENDS],
])('an answer of a host that %s is passed on unchanged', async (_what, answer) => {
  const { report, start } = await directory();
  await report(await host(answer));
  expect(await start({ endsWithinMs: 0 })).toEqual([503, JSON.stringify(answer)]);
});

/** A directory whose host was killed; its process id now belongs to another process. */
async function leftDirectory() {
  const dataDir = await mkdtemp(join(tmpdir(), 'tutti-left-'));
  onTestFinished(() => rm(dataDir, { recursive: true }));
  const options = { dataDir, tags: [], maxParallel: 0, keepsWorkspaces: false };
  const { url, close } = await startHost(options, {});
  await close();
  const actual = { url, pid: process.pid, local: true };
  await writeFile(join(dataDir, 'server.json'), JSON.stringify(actual));
  return options;
}

test('runs are listed if a host was killed and another process has its number', async () => {
  const { dataDir } = await leftDirectory();
  const here = { env: {} } as Io; // Nothing is said: no run was interrupted.
  const request = { method: 'GET', headers: {}, signal: null };
  const answer = await createDirectoryFetch(dataDir, here)('http://any/workflows', request);
  expect([answer.status, JSON.parse(await answer.text()).details.items]).toEqual([200, []]);
  await closeOpened(here);
});

test('a run becomes the host if the last one was killed, whichever process has its number', async () => {
  const { host } = await openSession(await leftDirectory(), { env: {} } as Io); // Nothing is said.
  expect(host).not.toBeNull();
  await host?.close();
});
