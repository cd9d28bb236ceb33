/** Copies, restores and checks of data directories, for the command line: with the clock and the version of this process. */
import { type BackupReport, makeBackup } from './recovery/make-backup.ts';
import { RecoveryRefusal } from './recovery/refusal.ts';
import { type RestoreReport, restoreBackup } from './recovery/restore-backup.ts';
import { systemClock } from './runtime/clock.ts';
import { SERVER_VERSION } from './runtime/version.ts';

export type { BackupManifest } from './recovery/backup-manifest.ts';
export { type BackupReport, RecoveryRefusal, type RestoreReport };

export interface BackupWish {
  readonly dataDir: string;
  /** A name with the time if it is null. */
  readonly output: string | null;
  readonly withKeys: boolean;
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
}): Promise<RestoreReport> {
  return restoreBackup({ ...wish, suffix: timeName() });
}

/** As in 20260131T235959: it sorts, and every file system takes it. */
const timeName = (): string => systemClock.timestamp().replace(/\..*$/, '').replace(/[-:]/g, '');
