import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { describeBlobStore } from '../blob-conformance.ts';
import { openFilesystemBlobStore } from './filesystem-blob-store.ts';

describeBlobStore('blobs on the file system', {
  createPlace: () => mkdtemp(join(tmpdir(), 'tutti-blobs-')),
  removePlace: (place) => rm(place, { recursive: true, force: true }),
  open: (place) => openFilesystemBlobStore({ directory: place }),
  async leftovers(place) {
    const names = await readdir(place, { recursive: true });
    return names.filter((name) => name.startsWith('~') && name.includes('/'));
  },
});

test('files that an interrupted process left are removed at opening, and blobs stay', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'tutti-blobs-'));
  try {
    for (const folder of ['~incoming', '~removed/7', 'run']) {
      await mkdir(join(directory, folder), { recursive: true });
      await writeFile(join(directory, folder, '1'), 'content');
    }
    const blobs = await openFilesystemBlobStore({ directory });
    expect((await readdir(directory, { recursive: true })).sort()).toEqual([
      'run',
      join('run', '1'),
      '~incoming',
      '~removed',
    ]);
    expect(await blobs.info('run/1')).toEqual({ size: 7 });
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
});

test('a disk that cannot take a file is told as such, and takes files again once it can', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'tutti-blobs-'));
  try {
    const blobs = await openFilesystemBlobStore({ directory });
    const put = () => blobs.put('run/1', Readable.from([Buffer.from('content')]), { sizeMax: 10 });
    const incoming = join(directory, '~incoming');
    await rm(incoming, { recursive: true });
    await writeFile(incoming, 'no folder');
    await expect(put()).rejects.toMatchObject({
      reason: 'InternalError',
      message: 'The file could not be stored: the disk of the server failed (ENOTDIR).',
    });
    expect(await blobs.info('run/1')).toBeNull();
    await rm(incoming);
    await mkdir(incoming);
    expect(await put()).toEqual({ size: 7 });
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
});

test('a file for which there is no space leaves nothing', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'tutti-blobs-'));
  try {
    const blobs = await openFilesystemBlobStore({ directory, freeBytes: async () => 1_000 });
    const content = Readable.from([Buffer.from('content')]);
    await expect(blobs.put('run/1', content, { sizeMax: 10 })).rejects.toThrow('no space left');
    expect((await readdir(directory, { recursive: true })).sort()).toEqual([
      '~incoming',
      '~removed',
    ]);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
});
