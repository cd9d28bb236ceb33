/** Requests of a run that is handed to another process, which may just be about to end. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { messages, type Status, status } from '@tutti/manifests';
import { expect, onTestFinished, test } from 'vitest';
import type { Io } from '../io.ts';
import { createDirectoryFetch, NoHostError } from './directory-fetch.ts';

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
  const tell = (url: string) =>
    writeFile(file, JSON.stringify({ url, pid: process.pid, local: true }));
  const start = async (options = {}) => {
    const request = { method: 'POST', headers: {}, signal: null, body: '{}' };
    const answer = await createDirectoryFetch(path, io, options)('http://any/workflows', request);
    return [answer.status, await answer.text()];
  };
  return { tell, withdraw: () => rm(file), start };
}

test('a start that comes to a host that ends goes to the one that comes after it', async () => {
  const { tell, start } = await directory();
  const started = status('Created', '', { workflow_id: 'id-1' });
  const next = await host(started);
  await tell(await host(ENDS, () => tell(next)));
  expect(await start()).toEqual([201, JSON.stringify(started)]);
});

test('where none comes after it, who asked may be the next one', async () => {
  const { tell, withdraw, start } = await directory();
  await tell(await host(ENDS, withdraw));
  await expect(start()).rejects.toThrow(NoHostError);
});

test.each([
  ['has too much to do', BUSY],
  ['ends, and waits for others', ENDS],
])('what a host says that %s is handed on as it is', async (_what, answer) => {
  const { tell, start } = await directory();
  await tell(await host(answer));
  expect(await start({ endsWithinMs: 0 })).toEqual([503, JSON.stringify(answer)]);
});
