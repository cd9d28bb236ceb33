/** A backup as one file: a tar archive, compressed where its name says so. */
import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { type FileHandle, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { PassThrough, Readable, type Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { constants, createGunzip, createGzip } from 'node:zlib';
import { createTarDecoder, createTarPacker } from 'modern-tar';
import { openForReading, syncFolder } from '../blobs/filesystem/durable-files.ts';
import { makeDirectory } from '../runtime/make-directory.ts';
import {
  type BackupFile,
  type BackupWriter,
  unfinishedName,
  type WrittenFile,
} from './backup-form.ts';
import { damaged } from './backup-manifest.ts';
import { hasCode } from './refusal.ts';

/** Names of files; any other is that of a directory. */
export const isTarName = (output: string): boolean => /\.(?:tar|tar\.gz|tgz)$/.test(output);

export function createTarWriter(
  output: string,
  mtimeSeconds: number,
  signal: AbortSignal,
): BackupWriter {
  const unfinished = unfinishedName(output);
  makeDirectory(dirname(output));
  const { readable, controller } = createTarPacker();
  // On the disk before it is closed.
  const file = createWriteStream(unfinished, { flags: 'wx', mode: 0o600, flush: true });
  const done = pipeline(Readable.fromWeb(readable), packing(output), file);
  // Each write rejects with the error instead.
  done.catch(() => undefined);
  const add = async (path: string, size: number, content: Content): Promise<WrittenFile> => {
    const mtime = new Date(mtimeSeconds * 1_000);
    const entry = controller.add({ name: path, size, mode: 0o600, mtime }).getWriter();
    const hash = createHash('sha256');
    let bytes = 0;
    for await (const chunk of content) {
      signal.throwIfAborted();
      hash.update(chunk);
      bytes += chunk.byteLength;
      if (bytes <= size) await Promise.race([entry.write(chunk), done]);
    }
    if (bytes !== size) throw new Error(`The file ${path} changed while it was copied.`);
    await Promise.race([entry.close(), done]);
    return { path, sha256: hash.digest('hex'), bytes };
  };
  return {
    async addFile(path, source) {
      const handle = await openForReading(source);
      if (handle === null) return null;
      try {
        const { size } = await handle.stat();
        return await add(path, size, handle.createReadStream({ autoClose: false }));
      } finally {
        await handle.close();
      }
    },
    addText: (path, text) => add(path, Buffer.byteLength(text), [Buffer.from(text)]),
    async finish() {
      controller.finalize();
      await done;
      await rename(unfinished, output);
      await syncFolder(dirname(output));
    },
    async discard() {
      controller.error(new Error(`${output} is discarded.`));
      await done.catch(() => undefined);
      await rm(unfinished, { force: true });
    },
  };
}

/** Most stored data is text; the fastest compression takes a quarter of it as well. */
const packing = (output: string): Transform =>
  output.endsWith('.tar') ? new PassThrough() : createGzip({ level: constants.Z_BEST_SPEED });

type Content = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/** Reads the files of an archive. Throws RecoveryRefusal for an incomplete archive, or another file. */
export async function* readTarBackup(backup: string): AsyncGenerator<BackupFile> {
  const handle = await openForReading(backup);
  if (handle === null) throw damaged(backup, 'it is gone');
  const file = handle.createReadStream({ autoClose: false, start: 0 });
  try {
    const bytes = Readable.toWeb(await unpacked(handle, file));
    const entries = bytes.pipeThrough(createTarDecoder({ strict: true }));
    for await (const { header, body } of orDamaged(entries, backup, '')) {
      const content = orDamaged(body, backup, ` in ${header.name}`);
      // Other programs name files from the folder that they pack.
      if (header.type === 'file') yield { path: header.name.replace(/^(?:\.\/)+/, ''), content };
      // Folders, and entries of other programs about the archive, are skipped.
      else await body.cancel();
    }
  } finally {
    // The stream may have read ahead of its reader.
    file.destroy();
    await handle.close();
  }
}

/** Passes parts on; errors of the archive become refusals. */
async function* orDamaged<Part>(
  parts: AsyncIterable<Part>,
  backup: string,
  place: string,
): AsyncGenerator<Part> {
  try {
    yield* parts;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const isCut = hasCode(error, ...OF_GUNZIP) || error.message === 'Tar archive is truncated.';
    if (isCut) throw damaged(backup, `it breaks off${place}`, error);
    throw 'code' in error ? error : damaged(backup, 'it is no archive of a backup', error);
  }
}

const OF_GUNZIP = ['Z_BUF_ERROR', 'Z_DATA_ERROR', 'Z_STREAM_ERROR'];

/** A compressed archive is recognised by its first bytes, not by its name. */
async function unpacked(handle: FileHandle, file: Readable): Promise<Readable> {
  const { buffer } = await handle.read(Buffer.alloc(2), 0, 2, 0);
  if (buffer[0] !== 0x1f || buffer[1] !== 0x8b) return file;
  const gunzip = createGunzip();
  file.on('error', (error) => gunzip.destroy(error));
  return file.pipe(gunzip);
}
