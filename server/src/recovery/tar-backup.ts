/** A backup as one file: a tar archive, compressed where its name says so. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { type FileHandle, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { PassThrough, type Readable, type Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { constants, createGunzip, createGzip } from 'node:zlib';
import { openForReading, syncFolder } from '../blobs/filesystem/durable-files.ts';
import { makeDirectory } from '../runtime/make-directory.ts';
import {
  type BackupFile,
  type BackupWriter,
  unfinishedName,
  type WrittenFile,
} from './backup-form.ts';
import { damaged } from './backup-manifest.ts';
import { ByteSource } from './byte-source.ts';
import { hasCode } from './refusal.ts';
import { BLOCK_BYTES, paddingOf, readRecords, readTarHead, tarHead } from './tar-header.ts';

/** Names of files; any other is that of a directory. */
export const isTarName = (output: string): boolean => /\.(?:tar|tar\.gz|tgz)$/.test(output);

/** A tar archive ends with two empty blocks. */
const END = Buffer.alloc(2 * BLOCK_BYTES);
/** What an extended head may have: paths and sizes are short. */
const RECORDS_BYTES_MAX = 64 * 1024;

export function createTarWriter(
  output: string,
  mtimeSeconds: number,
  signal: AbortSignal,
): BackupWriter {
  const unfinished = unfinishedName(output);
  makeDirectory(dirname(output));
  const sink = packing(output);
  // On the disk before it is closed.
  const file = createWriteStream(unfinished, { flags: 'wx', mode: 0o600, flush: true });
  const done = pipeline(sink, file);
  // Told to whoever writes.
  done.catch(() => undefined);
  const write = async (bytes: Uint8Array) => {
    signal.throwIfAborted();
    if (!sink.write(bytes)) await Promise.race([once(sink, 'drain'), done]);
  };
  const add = (head: { readonly path: string; readonly size: number }, content: Content) =>
    addEntry(write, tarHead(head, mtimeSeconds), head, content);
  return {
    async addFile(path, source) {
      const handle = await openForReading(source);
      if (handle === null) return null;
      try {
        const { size } = await handle.stat();
        return await add({ path, size }, handle.createReadStream({ autoClose: false }));
      } finally {
        await handle.close();
      }
    },
    addText: (path, text) => add({ path, size: Buffer.byteLength(text) }, [Buffer.from(text)]),
    async finish() {
      await write(END);
      sink.end();
      await done;
      await rename(unfinished, output);
      await syncFolder(dirname(output));
    },
    async discard() {
      sink.destroy();
      await done.catch(() => undefined);
      await rm(unfinished, { force: true });
    },
  };
}

/** Most of what is stored are texts; the fastest way takes a quarter of them as well. */
const packing = (output: string): Transform =>
  output.endsWith('.tar') ? new PassThrough() : createGzip({ level: constants.Z_BEST_SPEED });

type Content = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

async function addEntry(
  write: (bytes: Uint8Array) => Promise<void>,
  head: Uint8Array,
  { path, size }: { readonly path: string; readonly size: number },
  content: Content,
): Promise<WrittenFile> {
  await write(head);
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of content) {
    hash.update(chunk);
    bytes += chunk.byteLength;
    await write(chunk);
  }
  if (bytes !== size) throw new Error(`The file ${path} changed while it was copied.`);
  await write(Buffer.alloc(paddingOf(size)));
  return { path, sha256: hash.digest('hex'), bytes };
}

/** Throws RecoveryRefusal for what is no archive, or not all of one. */
export async function* readTarBackup(backup: string): AsyncGenerator<BackupFile> {
  const handle = await openForReading(backup);
  if (handle === null) throw damaged(backup, 'it is gone');
  const file = handle.createReadStream({ autoClose: false, start: 0 });
  try {
    yield* filesIn(new ByteSource(await unpacked(handle, file)), backup);
  } finally {
    // It may have been read ahead of what was asked for.
    file.destroy();
    await handle.close();
  }
}

async function* filesIn(source: ByteSource, backup: string): AsyncGenerator<BackupFile> {
  let told: ReturnType<typeof readRecords> = {};
  for (;;) {
    const bytes = await source.read(BLOCK_BYTES).catch((error: unknown) => {
      throw isBrokenOff(error) ? damaged(backup, 'it breaks off', error) : error;
    });
    if (bytes.length < BLOCK_BYTES) throw damaged(backup, 'it breaks off');
    const found = readTarHead(bytes);
    if (found === null) throw damaged(backup, 'it is no archive of a backup');
    if (found.kind === 'end') return;
    if (found.kind === 'extended') {
      told = readRecords(await source.read(Math.min(found.size, RECORDS_BYTES_MAX)));
      await source.read(paddingOf(found.size));
      continue;
    }
    const { path, size } = { ...found.head, ...told };
    told = {};
    const content = whole(source, { path, size }, backup);
    // Other programs name what they pack from the folder in which it is.
    if (found.kind === 'file') yield { path: path.replace(/^(?:\.\/)+/, ''), content };
    // What is no file is passed over: folders, and what other programs say of an archive.
    else await drain(content);
    await source.read(paddingOf(size));
  }
}

async function* whole(
  source: ByteSource,
  { path, size }: { readonly path: string; readonly size: number },
  backup: string,
): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  try {
    for await (const chunk of source.stream(size)) {
      bytes += chunk.byteLength;
      yield chunk;
    }
  } catch (error) {
    throw isBrokenOff(error) ? damaged(backup, `it breaks off in ${path}`, error) : error;
  }
  if (bytes < size) throw damaged(backup, `it breaks off in ${path}`);
}

async function drain(content: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const _ of content);
}

const isBrokenOff = (error: unknown): boolean =>
  hasCode(error, 'Z_BUF_ERROR', 'Z_DATA_ERROR', 'Z_STREAM_ERROR');

/** What is compressed shows it by its first bytes, whatever it is called. */
async function unpacked(handle: FileHandle, file: Readable): Promise<AsyncIterable<Uint8Array>> {
  const { buffer } = await handle.read(Buffer.alloc(2), 0, 2, 0);
  if (buffer[0] !== 0x1f || buffer[1] !== 0x8b) return file;
  const gunzip = createGunzip();
  file.on('error', (error) => gunzip.destroy(error));
  return file.pipe(gunzip);
}
