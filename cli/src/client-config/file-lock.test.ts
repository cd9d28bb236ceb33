import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { LockHeldError, type LockHolder, takeFileLock } from './file-lock.ts';

function place() {
  const folder = mkdtempSync(join(tmpdir(), 'tutti-lock-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return { folder, file: join(folder, 'x.lock') };
}

/** What a process of this machine writes, as one that is over. */
async function left(file: string, more: Partial<LockHolder> = {}): Promise<LockHolder> {
  const release = await takeFileLock(file, 0);
  const own: LockHolder = JSON.parse(readFileSync(file, 'utf8'));
  release();
  const { pid } = spawnSync('true');
  const holder = { ...own, pid, id: crypto.randomUUID(), ...more };
  writeFileSync(file, JSON.stringify(holder));
  return holder;
}

test('a lock is there while it is held, and names its process', async () => {
  const { folder, file } = place();
  const release = await takeFileLock(file, 0);
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ pid: process.pid });
  await expect(takeFileLock(file, 0)).rejects.toThrow(LockHeldError);
  release();
  expect(readdirSync(folder)).toEqual([]);
});

test('a lock of a process that is gone is taken over by one, and the others wait for that one', async () => {
  const { folder, file } = place();
  await left(file);
  const taken = await Promise.allSettled([1, 2, 3].map(() => takeFileLock(file, 0)));
  expect(taken.map(({ status }) => status).toSorted()).toEqual([
    'fulfilled',
    'rejected',
    'rejected',
  ]);
  expect(readdirSync(folder)).toEqual(['x.lock']);
});

test.each<[string, Partial<LockHolder>]>([
  ['of another machine', { host: 'elsewhere' }],
  ['of another container, or an earlier start of a machine of that name', { place: 'other' }],
  ['that is at work', { pid: process.pid }],
])('a lock of a process %s stays', async (_of, more) => {
  const { file } = place();
  const holder = await left(file, more);
  await expect(takeFileLock(file, 0)).rejects.toMatchObject({ holder });
});

test.each(['', '{"pid": 1', '{}', 'metadata: {}'])(
  'a lock that does not name its process stays: %j',
  async (content) => {
    const { file } = place();
    writeFileSync(file, content);
    await expect(takeFileLock(file, 0)).rejects.toMatchObject({ holder: null });
    expect(readFileSync(file, 'utf8')).toBe(content);
  },
);

test('a lock that somebody takes over is left to that one', async () => {
  const { file } = place();
  const holder = await left(file);
  const release = await takeFileLock(`${file}.${holder.id}`, 0);
  await expect(takeFileLock(file, 0)).rejects.toMatchObject({ holder });
  release();
  await takeFileLock(file, 0);
});

test('a lock is taken over from one that ended while it took it over', async () => {
  const { folder, file } = place();
  const holder = await left(file);
  await left(`${file}.${holder.id}`);
  await takeFileLock(file, 0);
  expect(readdirSync(folder)).toEqual(['x.lock']);
});
