import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@tutti/client';
import { expect, onTestFinished, test } from 'vitest';
import { startHost } from './host.ts';
import { runningServerOf } from './running-server.ts';

/** The address in the directory while the host runs, and afterwards. */
async function foundOf(maxParallel: number) {
  const dataDir = await mkdtemp(join(tmpdir(), 'tutti-host-'));
  onTestFinished(() => rm(dataDir, { recursive: true }));
  const options = { dataDir, tags: ['linux'], maxParallel, keepsWorkspaces: false };
  const host = await startHost(options, {});
  const found = runningServerOf(dataDir);
  await host.close();
  return { url: host.url, found, afterwards: runningServerOf(dataDir) };
}

test('others find a host while it is there', async () => {
  const { url, found, afterwards } = await foundOf(1);
  expect(found).toEqual({
    ...{ url, pid: process.pid, isLocal: true },
    ...{ certificate: null, key: null },
  });
  expect(afterwards).toBeNull();
});

test('one agent is waited for, however many there may be', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'tutti-host-'));
  onTestFinished(() => rm(dataDir, { recursive: true }));
  const options = { dataDir, tags: ['linux'], maxParallel: 6, keepsWorkspaces: false };
  const host = await startHost(options, {});
  const client = createClient({ baseUrl: host.url, token: host.token });
  expect(await client.list('agents')).toHaveLength(1);
  await host.close();
});

test('a process that runs no jobs is not found: runs on it would fail', async () => {
  expect((await foundOf(0)).found).toBeNull();
});
