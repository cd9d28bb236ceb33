/**
 * Makes a backup of a data directory, whether its server runs or not.
 *
 * The backup has all files that its store names. A file is durable before the store names it. Removing a run needs a lock. The backup holds
 * the lock from before the copy of the store until the last file. Files that came later do no harm.
 */
import { existsSync, lstatSync, realpathSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { recordedBucket } from '../blobs/bucket-record.ts';
import {
  blobsOf,
  bucketRecordOf,
  databaseOf,
  revokedTokensOf,
  storeRecordOf,
} from '../runtime/data-directory.ts';
import { recordedPlace } from '../runtime/place-record.ts';
import { isFullDisk } from '../store/sqlite/full-disk.ts';
import { damageText } from '../store/sqlite/kept-log.ts';
import { type FileLock, filesLockOf, takeLock } from '../store/sqlite/lock-file.ts';
import { lookAtUnusedLog } from '../store/sqlite/owned-database.ts';
import { noRoomFor } from '../store/writes/no-room.ts';
import { type BackupWriter, isPathOfData, unfinishedName } from './backup-form.ts';
import {
  CHECKSUMS_FILE,
  checksumsText,
  MANIFEST_FILE,
  manifestText,
  sha256Of,
} from './backup-manifest.ts';
import { createDirectoryWriter } from './directory-backup.ts';
import { RECOVERY_LIMITS } from './limits.ts';
import { hasCode, RecoveryRefusal } from './refusal.ts';
import { type CopiedStore, copyStore, isCorrupt, openStore, problemsOfCopy } from './store-copy.ts';
import { createTarWriter, isTarName } from './tar-backup.ts';

interface BackupRequest {
  readonly dataDir: string;
  /** A new directory; a file where the name ends with `.tar`, `.tar.gz` or `.tgz`. */
  readonly output: string;
  readonly withKeys: boolean;
  /** Version of this program. */
  readonly version: string;
  readonly createdAt: string;
  /** Milliseconds since 1970. */
  readonly nowMs: number;
  /** Ends it, and leaves nothing. */
  readonly signal: AbortSignal;
}

export interface BackupReport {
  readonly output: string;
  readonly runs: number;
  readonly liveRuns: number;
  /** Attachments and resource files. */
  readonly runFiles: number;
  /** The bucket with the files of runs, which are not copied. Null where they are in the data directory. */
  readonly bucket: string | null;
  readonly bytes: number;
  readonly hasKeys: boolean;
}

/** Nothing has the name of the output before all of it is on the disk. Throws RecoveryRefusal. */
export async function makeBackup(request: BackupRequest): Promise<BackupReport> {
  const output = resolve(request.output);
  refuseOtherStore(request.dataDir);
  refuseOutput(request.output, request.dataDir);
  const database = databaseOf(request.dataDir);
  const db = openForBackup(database, request.dataDir);
  let lock: FileLock | null = null;
  try {
    lock = await waitForLock(filesLockOf(database), request);
    // The previous holder of the lock may have made a backup of the same name.
    refuseOutput(request.output, request.dataDir);
    return await writeBackup(db, output, request);
  } finally {
    lock?.release();
    db.close();
  }
}

function refuseOtherStore(dataDir: string): void {
  const recorded = recordedPlace(storeRecordOf(dataDir));
  if (recorded === null) return;
  throw new RecoveryRefusal(
    `The runs of ${dataDir} are in ${recorded}, which PostgreSQL saves.`,
    'use pg_dump or a base backup, and then copy the data directory (tutti docs operate/postgresql).',
  );
}

function openForBackup(database: string, dataDir: string): ReturnType<typeof openStore> {
  try {
    const damage = lookAtUnusedLog(database);
    if (damage !== null) throw isDamaged(dataDir, damageText(damage).replace(/\.$/, ''));
    return openStore(database, dataDir, { readOnly: true });
  } catch (error) {
    throw isCorrupt(error) ? isDamaged(dataDir, error.message) : error;
  }
}

/** Waits as long as somebody else copies or removes files. */
async function waitForLock(file: string, { dataDir, signal }: BackupRequest): Promise<FileLock> {
  for (let waitedMs = 0; ; waitedMs += RECOVERY_LIMITS.filesLockTryMs) {
    const lock = takeLock(file, 0);
    if (lock !== null) return lock;
    if (waitedMs >= RECOVERY_LIMITS.filesLockWaitMs) throw isBusy(dataDir);
    await pause(RECOVERY_LIMITS.filesLockTryMs);
    signal.throwIfAborted();
  }
}

const isBusy = (dataDir: string): RecoveryRefusal =>
  new RecoveryRefusal(
    `Another backup or check of ${dataDir} is under way, or its server removes old runs.`,
    'try again when that is over.',
  );

async function writeBackup(
  db: ReturnType<typeof openStore>,
  output: string,
  request: BackupRequest,
): Promise<BackupReport> {
  const copy = `${unfinishedName(output)}.db`;
  await removeUnfinished(output);
  const writer = isTarName(output)
    ? createTarWriter(output, Math.floor(request.nowMs / 1000), request.signal)
    : createDirectoryWriter(output, request.signal);
  try {
    const store = await copyStore(db, copy, request.signal).catch((error: unknown) => {
      if (isFullDisk(error)) throw noRoomFor(copy);
      throw isCorrupt(error) ? isDamaged(request.dataDir, error.message) : error;
    });
    const [problem] = problemsOfCopy(copy);
    if (problem !== undefined) throw isDamaged(request.dataDir, problem);
    return await fillBackup(writer, { copy, store, request });
  } finally {
    await writer.discard();
    await removeUnfinished(output);
  }
}

/** Also removes files of a killed process with the same number: in containers, each has the same. */
async function removeUnfinished(output: string): Promise<void> {
  const name = unfinishedName(output);
  for (const end of ['', '.db', '.db-journal', '.db-wal', '.db-shm']) {
    await rm(`${name}${end}`, { recursive: true, force: true });
  }
}

const isDamaged = (dataDir: string, problem: string): RecoveryRefusal =>
  new RecoveryRefusal(
    `The database of ${dataDir} is damaged, so no backup of it was made: ${problem}.`,
    `keep the backups that there are, and see "tutti doctor --data-dir ${dataDir}".`,
  );

interface Contents {
  readonly copy: string;
  readonly store: CopiedStore;
  readonly request: BackupRequest;
}

async function fillBackup(
  writer: BackupWriter,
  { copy, store, request }: Contents,
): Promise<BackupReport> {
  const written = [await writer.addFile('store/tutti.db', copy)];
  for (const path of await pathsOfSettings(request)) {
    written.push(await writer.addFile(path, join(request.dataDir, path)));
  }
  const others = written.length;
  for (const workflowId of store.workflowIds) {
    for (const name of await namesIn(join(blobsOf(request.dataDir), workflowId))) {
      const path = `blobs/${workflowId}/${name}`;
      written.push(await writer.addFile(path, join(request.dataDir, path)));
    }
  }
  const files = written.filter((file) => file !== null);
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  const { runs, liveRuns, schema } = store;
  const hasKeys = files.some(({ path }) => path.startsWith('keys/'));
  const checksums = checksumsText(files);
  await writer.addText(CHECKSUMS_FILE, checksums);
  const { version, createdAt } = request;
  const facts = { version, schema, createdAt, runs, liveRuns, files: files.length, bytes, hasKeys };
  await writer.addText(MANIFEST_FILE, manifestText({ ...facts, checksums: sha256Of(checksums) }));
  await writer.finish();
  return {
    output: request.output,
    runs,
    liveRuns,
    runFiles: written.length - others,
    bucket: recordedBucket(request.dataDir),
    bytes,
    hasKeys,
  };
}

/** Paths in the data directory: keys, tokens, revoked tokens, the name of a bucket, and descriptions of functions. */
async function pathsOfSettings({ dataDir, withKeys }: BackupRequest): Promise<readonly string[]> {
  const paths: string[] = [];
  // Also without the keys: a restored server must not accept revoked tokens.
  if (existsSync(revokedTokensOf(dataDir))) paths.push(basename(revokedTokensOf(dataDir)));
  if (existsSync(bucketRecordOf(dataDir))) paths.push(basename(bucketRecordOf(dataDir)));
  if (withKeys) {
    if (existsSync(join(dataDir, 'admin.token'))) paths.push('admin.token');
    const names = await namesIn(join(dataDir, 'keys'));
    // A process that died may have left an unfinished key.
    paths.push(...names.filter((name) => !name.endsWith('.tmp')).map((name) => `keys/${name}`));
  }
  const providers = join(dataDir, 'providers');
  const entries = existsSync(providers)
    ? await readdir(providers, { recursive: true, withFileTypes: true })
    : [];
  for (const entry of entries) {
    if (!entry.isFile()) continue;
    const path = relative(dataDir, join(entry.parentPath, entry.name)).split(sep).join('/');
    if (isPathOfData(path)) paths.push(path);
  }
  return paths;
}

/** Names of the files in a folder, in their order; none where there is no such folder. */
async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile());
    return files.map(({ name }) => basename(name)).sort();
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return [];
    throw error;
  }
}

/** Throws RecoveryRefusal where something has that name, and within the data directory. */
function refuseOutput(output: string, dataDir: string): void {
  if (isThere(output)) {
    throw new RecoveryRefusal(
      `${output} exists already.`,
      'name another output, or remove it if it is not needed any more.',
    );
  }
  // Besides, the server takes what lies in some folders there for its own, and removes it with a run.
  if (isWithin(realPlaceOf(resolve(output)), realPlaceOf(resolve(dataDir)))) {
    throw new RecoveryRefusal(
      `${output} is within the data directory, so it would be lost with it.`,
      'name an output elsewhere with --output, best on another disk.',
    );
  }
}

/** Also what leads nowhere. */
const isThere = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined;

function isWithin(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** Without links, though not all of it may be there yet. */
function realPlaceOf(path: string): string {
  if (existsSync(path)) return realpathSync(path);
  const above = dirname(path);
  return above === path ? path : join(realPlaceOf(above), basename(path));
}
