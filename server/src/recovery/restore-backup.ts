/** Makes a data directory from a backup. Present data is untouched until the whole backup was read and checked. */
import { existsSync, statSync } from 'node:fs';
import { chown, readdir, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { recordedBucket } from '../blobs/bucket-record.ts';
import { syncFolder } from '../blobs/filesystem/durable-files.ts';
import { databaseOf, makeDataDirectory } from '../runtime/data-directory.ts';
import { makeDirectory } from '../runtime/make-directory.ts';
import { type FileLock, serverLockOf, takeLock } from '../store/sqlite/lock-file.ts';
import { refuseUnusable } from '../store/sqlite/migrate.ts';
import { MIGRATIONS } from '../store/sqlite/migrations.ts';
import { OpenRefusal } from '../store/sqlite/open-refusal.ts';
import { isPathOfData, type ReadBackup } from './backup-form.ts';
import {
  type BackupManifest,
  CHECKSUMS_FILE,
  damaged,
  MANIFEST_FILE,
  readChecksums,
  readManifest,
  sha256Of,
} from './backup-manifest.ts';
import { readDirectoryBackup } from './directory-backup.ts';
import { writeHashed } from './hashed-copy.ts';
import { RECOVERY_LIMITS } from './limits.ts';
import { contentOf, type DataPlace, placeData, placeFor } from './place-data.ts';
import { RecoveryRefusal } from './refusal.ts';
import { problemsOfCopy } from './store-copy.ts';
import { readTarBackup } from './tar-backup.ts';

export interface RestoreRequest {
  readonly backup: string;
  readonly dataDir: string;
  /** Whether present data may go aside. */
  readonly force: boolean;
  /** Makes the name of data that goes aside unique. */
  readonly suffix: string;
  /** Ends it, and leaves everything as it was. */
  readonly signal: AbortSignal;
  /** Whether the data directory is a disk of its own; default: the system's answer. */
  readonly isOwnDisk?: (dataDir: string) => boolean;
}

export interface RestoreReport {
  readonly manifest: BackupManifest;
  /** The folder that has the previous data now; null if there was none. */
  readonly aside: string | null;
  /** The bucket with the files of runs; null where they are in the data directory. */
  readonly bucket: string | null;
}

/** Restores a backup. Throws RecoveryRefusal, and then leaves the data directory as it was. */
export async function restoreBackup(request: RestoreRequest): Promise<RestoreReport> {
  const read = readerOf(request.backup);
  const dataDir = resolve(request.dataDir);
  const place = placeFor(dataDir, request.suffix, request.isOwnDisk);
  refuseContent(place, request);
  const lock = lockOut(dataDir, request.dataDir);
  try {
    // A process of the same number may have left something when it was killed: in containers, each has the same.
    await rm(place.staging, { recursive: true, force: true });
    // A disk of its own lies in no project that Git looks at.
    if (dirname(place.staging) !== dataDir) makeDataDirectory(place.staging);
    const manifest = await receive(read, request, place.staging);
    await giveToOwner(place);
    // Windows moves no directory in which a file is open.
    if (process.platform === 'win32') lock?.release();
    const isAside = await placeData(place);
    return { manifest, aside: isAside ? place.aside : null, bucket: recordedBucket(dataDir) };
  } finally {
    lock?.release();
    await rm(place.staging, { recursive: true, force: true });
  }
}

/** Data that an administrator restores for another account gets that account as owner: its server could not read it otherwise. */
async function giveToOwner({ dataDir, staging }: DataPlace): Promise<void> {
  const owner = statSync(dataDir, { throwIfNoEntry: false });
  if (process.getuid?.() !== 0 || owner === undefined || owner.uid === 0) return;
  const entries = await readdir(staging, { recursive: true, withFileTypes: true });
  const paths = entries.map((entry) => join(entry.parentPath, entry.name));
  try {
    for (const path of [staging, ...paths]) await chown(path, owner.uid, owner.gid);
  } catch {
    // Some file systems and containers give no files away; then they stay as they are.
  }
}

function readerOf(backup: string): ReadBackup {
  const found = statSync(backup, { throwIfNoEntry: false });
  if (found === undefined) {
    throw new RecoveryRefusal(
      `There is no backup ${backup}.`,
      'name what "tutti backup" has made.',
    );
  }
  return found.isDirectory() ? readDirectoryBackup : readTarBackup;
}

function refuseContent(place: DataPlace, { dataDir, force }: RestoreRequest): void {
  const names = contentOf(place);
  const name = names.find((each) => each !== '.gitignore') ?? names[0];
  if (name === undefined || force) return;
  throw new RecoveryRefusal(
    `${dataDir} is not empty: it has ${name}.`,
    'name another directory, or add --force, which keeps what is there beside the restored data.',
  );
}

/** Null where no server has ever been. */
function lockOut(dataDir: string, shown: string): FileLock | null {
  const file = serverLockOf(databaseOf(dataDir));
  if (!existsSync(file)) return null;
  const lock = takeLock(file, RECOVERY_LIMITS.serverLockWaitMs);
  if (lock !== null) return lock;
  throw new RecoveryRefusal(`A server uses ${shown}.`, 'stop that server first.');
}

/** Unpacks all of it into a new directory, and checks it. */
async function receive(
  read: ReadBackup,
  { backup, signal }: RestoreRequest,
  staging: string,
): Promise<BackupManifest> {
  const sums = new Map<string, string>();
  const texts = new Map<string, string>();
  makeDirectory(join(staging, 'blobs'));
  for await (const { path, content } of read(backup)) {
    if (path === MANIFEST_FILE || path === CHECKSUMS_FILE) {
      texts.set(path, await textOf(content));
      continue;
    }
    if (!isPathOfData(path)) throw damaged(backup, `no backup has a file ${path}`);
    const file = join(staging, path);
    makeDirectory(dirname(file));
    const { sha256 } = await writeHashed(file, content, signal);
    sums.set(path, sha256);
  }
  const manifest = checkedManifest(texts, sums, backup);
  checkStore(databaseOf(staging), backup);
  await syncFolders(staging, sums.keys());
  return manifest;
}

async function textOf(content: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of content) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

function checkedManifest(
  texts: ReadonlyMap<string, string>,
  sums: ReadonlyMap<string, string>,
  backup: string,
): BackupManifest {
  const text = texts.get(MANIFEST_FILE);
  if (text === undefined) throw damaged(backup, `it has no ${MANIFEST_FILE}`);
  const manifest = readManifest(text, backup);
  if (manifest.schema > MIGRATIONS.length) {
    throw new RecoveryRefusal(
      `${backup} was made by a newer version, ${manifest.version}.`,
      'restore it with that version.',
    );
  }
  const checksums = texts.get(CHECKSUMS_FILE) ?? '';
  if (sha256Of(checksums) !== manifest.checksums) {
    throw damaged(backup, `its ${CHECKSUMS_FILE} is not the one that was written`);
  }
  const listed = new Map(readChecksums(checksums, backup).map((sum) => [sum.path, sum.sha256]));
  for (const [path, sha256] of listed) {
    if (!sums.has(path)) throw damaged(backup, `${path} is missing`);
    if (sums.get(path) !== sha256) throw damaged(backup, `${path} is not as it was written`);
  }
  const stranger = [...sums.keys()].find((path) => !listed.has(path));
  if (stranger !== undefined) throw damaged(backup, `${stranger} was added to it`);
  return manifest;
}

function checkStore(file: string, backup: string): void {
  if (!existsSync(file)) throw damaged(backup, 'it has no store');
  const [problem] = problemsOfCopy(file);
  if (problem !== undefined) throw damaged(backup, `its store is broken (${problem})`);
  const db = new DatabaseSync(file, { readOnly: true });
  try {
    refuseUnusable(db, file, MIGRATIONS.length);
  } catch (error) {
    if (!(error instanceof OpenRefusal)) throw error;
    throw damaged(backup, 'its store is none of this server', error);
  } finally {
    db.close();
  }
}

/** Makes the names of all files durable, which are so themselves. */
async function syncFolders(staging: string, paths: Iterable<string>): Promise<void> {
  const folders = new Set([staging]);
  for (const path of paths) {
    for (let at = dirname(join(staging, path)); !folders.has(at); at = dirname(at)) folders.add(at);
  }
  for (const folder of folders) await syncFolder(folder);
}
