/** A backup as a directory, with the files as they are in the data directory. */
import { open, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { openForReading, syncFolder } from '../blobs/filesystem/durable-files.ts';
import { makeDirectory } from '../runtime/make-directory.ts';
import { type BackupFile, type BackupWriter, unfinishedName } from './backup-form.ts';
import { CHECKSUMS_FILE, damaged, MANIFEST_FILE, readChecksums } from './backup-manifest.ts';
import { writeHashed } from './hashed-copy.ts';
import { hasCode } from './refusal.ts';

export function createDirectoryWriter(output: string, signal: AbortSignal): BackupWriter {
  const folder = unfinishedName(output);
  const folders = new Set<string>([folder]);
  makeDirectory(folder);
  const write = async (path: string, content: AsyncIterable<Uint8Array>) => {
    const file = join(folder, path);
    for (let at = dirname(file); !folders.has(at); at = dirname(at)) folders.add(at);
    makeDirectory(dirname(file));
    return { path, ...(await writeHashed(file, content, signal)) };
  };
  return {
    async addFile(path, source) {
      const handle = await openForReading(source);
      if (handle === null) return null;
      try {
        return await write(path, handle.createReadStream({ autoClose: false }));
      } finally {
        await handle.close();
      }
    },
    addText: (path, text) => write(path, chunkOf(text)),
    async finish() {
      for (const each of folders) await syncFolder(each);
      await rename(folder, output);
      await syncFolder(dirname(output));
    },
    discard: () => rm(folder, { recursive: true, force: true }),
  };
}

async function* chunkOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

/** The files that its checksums name, and these themselves first. */
export async function* readDirectoryBackup(backup: string): AsyncGenerator<BackupFile> {
  const texts: string[] = [];
  for (const path of [MANIFEST_FILE, CHECKSUMS_FILE]) {
    const text = await readFile(join(backup, path), 'utf8').catch((error: unknown) => {
      throw hasCode(error, 'ENOENT') ? damaged(backup, `it has no ${path}`) : error;
    });
    texts.push(text);
    yield { path, content: chunkOf(text) };
  }
  for (const { path } of readChecksums(texts[1] ?? '', backup)) {
    const handle = await open(join(backup, path)).catch((error: unknown) => {
      throw hasCode(error, 'ENOENT') ? damaged(backup, `${path} is missing`) : error;
    });
    try {
      yield { path, content: handle.createReadStream({ autoClose: false }) };
    } finally {
      await handle.close();
    }
  }
}
