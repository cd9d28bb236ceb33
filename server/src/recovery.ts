/** Copies, restores and checks data directories for the command line, with the clock and the version of this process. */
import { recordedBucket } from './blobs/bucket-record.ts';
import { parseBucketPlace } from './blobs/s3/bucket-place.ts';
import type { ReplicaReport } from './cluster/look-at-replicas.ts';
import { HANDLER_ID } from './plugins/agentchannel/jobs/handler-id.ts';
import { INCEPTION_HANDLER_ID } from './plugins/inception/inception.ts';
import { type DoctorReport, examine } from './recovery/doctor/doctor.ts';
import { type BackupReport, makeBackup } from './recovery/make-backup.ts';
import type { MoveReport } from './recovery/move/move-store.ts';
import { RecoveryRefusal } from './recovery/refusal.ts';
import { type RestoreReport, restoreBackup } from './recovery/restore-backup.ts';
import { systemClock } from './runtime/clock.ts';
import { storeRecordOf } from './runtime/data-directory.ts';
import { recordedPlace } from './runtime/place-record.ts';
import { SERVER_VERSION } from './runtime/version.ts';
import { project } from './services/arranger/projection.ts';
import { parseDatabasePlace } from './store/postgres/database-place.ts';

export type { BackupManifest } from './recovery/backup-manifest.ts';
export {
  type BackupReport,
  type DoctorReport,
  type MoveReport,
  RecoveryRefusal,
  type ReplicaReport,
  type RestoreReport,
};

export interface BackupWish {
  readonly dataDir: string;
  /** Null for a name with the time. */
  readonly output: string | null;
  readonly withKeys: boolean;
  /** Aborts the backup, and leaves no file. */
  readonly signal: AbortSignal;
}

/** See make-backup.ts. */
export function backUp({ output, ...wish }: BackupWish): Promise<BackupReport> {
  const createdAt = systemClock.timestamp();
  return makeBackup({
    ...wish,
    output: output ?? `tutti-backup-${timeName()}`,
    version: SERVER_VERSION,
    createdAt,
    nowMs: systemClock.now(),
  });
}

/** See restore-backup.ts. */
export function restore(wish: {
  readonly backup: string;
  readonly dataDir: string;
  readonly force: boolean;
  readonly signal: AbortSignal;
}): Promise<RestoreReport> {
  return restoreBackup({ ...wish, suffix: timeName() });
}

/** See move-store.ts. */
export async function copyStore(wish: {
  readonly dataDir: string;
  readonly to: string;
  readonly blobs: string | null;
  readonly signal: AbortSignal;
  readonly onCopied: (kind: string, count: number) => void;
}): Promise<MoveReport> {
  const { moveStore } = await import('./recovery/move/move-store.ts');
  return await moveStore({ ...wish, suffix: timeName() });
}

/** See doctor.ts. `runs`: number of newest runs that are folded again; null for all. */
export function diagnose(wish: {
  readonly dataDir: string;
  readonly repair: boolean;
  readonly runs: number | null;
}): DoctorReport {
  return examine({
    ...wish,
    project,
    ownHandlers: [HANDLER_ID, INCEPTION_HANDLER_ID],
    suffix: timeName(),
    nowMs: systemClock.now(),
  });
}

/** A bucket with files of runs, or a database with runs. */
export interface PlaceReport {
  readonly address: string;
  /** The problem with it, and what to do; null if there is none. */
  readonly problem: string | null;
}

/** Looks at a bucket: the one of the address, else the one that has the files of the data directory. Null where there is none. */
export async function diagnoseBucket({
  dataDir,
  blobs,
}: {
  readonly dataDir: string;
  readonly blobs: string | null;
}): Promise<PlaceReport | null> {
  const url = blobs ?? recordedBucket(dataDir);
  if (url === null) return null;
  const { address } = parseBucketPlace(url);
  const { lookAtBucket } = await import('./blobs/s3/open-bucket.ts');
  return { address, problem: await lookAtBucket(url) };
}

/** Looks at a database: the one of the address, else the one that has the runs of the data directory. Null where there is none. */
export async function diagnoseStore({
  dataDir,
  store,
}: {
  readonly dataDir: string;
  readonly store: string | null;
}): Promise<PlaceReport | null> {
  const url = store ?? recordedPlace(storeRecordOf(dataDir));
  if (url === null) return null;
  const { address } = parseDatabasePlace(url);
  const { lookAtDatabase } = await import('./store/postgres/postgres-store.ts');
  return { address, problem: await lookAtDatabase(url) };
}

/** Looks at the replicas of a database. Call it where `diagnoseStore` finds no problem. */
export async function diagnoseReplicas({
  dataDir,
  store,
}: {
  readonly dataDir: string;
  readonly store: string | null;
}): Promise<readonly ReplicaReport[]> {
  const url = store ?? recordedPlace(storeRecordOf(dataDir));
  if (url === null) return [];
  const { lookAtReplicas } = await import('./cluster/look-at-replicas.ts');
  return await lookAtReplicas(url);
}

/** A time such as 20260131T235959: it sorts, and every file system accepts it. */
const timeName = (): string => systemClock.timestamp().replace(/\..*$/, '').replace(/[-:]/g, '');
