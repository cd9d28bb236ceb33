/** Copies, restores and checks data directories for the command line, with the clock and the version of this process. */
import { HANDLER_ID } from './plugins/agentchannel/jobs/handler-id.ts';
import { INCEPTION_HANDLER_ID } from './plugins/inception/inception.ts';
import { type DoctorReport, examine } from './recovery/doctor/doctor.ts';
import { type BackupReport, makeBackup } from './recovery/make-backup.ts';
import { RecoveryRefusal } from './recovery/refusal.ts';
import { type RestoreReport, restoreBackup } from './recovery/restore-backup.ts';
import { systemClock } from './runtime/clock.ts';
import { SERVER_VERSION } from './runtime/version.ts';
import { project } from './services/arranger/projection.ts';

export type { BackupManifest } from './recovery/backup-manifest.ts';
export { type BackupReport, type DoctorReport, RecoveryRefusal, type RestoreReport };

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

/** A time such as 20260131T235959: it sorts, and every file system accepts it. */
const timeName = (): string => systemClock.timestamp().replace(/\..*$/, '').replace(/[-:]/g, '');
