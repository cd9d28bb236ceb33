/** `tutti restore`: a data directory, made of a backup. */
import { countOf } from '@tutti/manifests';
import type { RestoreReport } from '@tutti/server';
import { type DataDirOption, dataDirOf, stoppable } from '../connection/data-directory.ts';
import { asCalled } from '../terminal/command-name.ts';
import { EXIT_CODES } from '../terminal/exit-codes.ts';
import type { Io } from '../terminal/io.ts';

export interface RestoreOptions extends DataDirOption {
  readonly force?: boolean;
}

/** Restores a data directory from a backup. Resolves with the exit code. */
export async function restoreData(
  backup: string,
  options: RestoreOptions,
  io: Io,
): Promise<number> {
  const { loadRecovery } = await import('@tutti/server');
  const { restore } = await loadRecovery();
  const dataDir = dataDirOf(options, io);
  const wish = { backup, dataDir, force: options.force === true };
  return await stoppable(io, async (signal) => {
    const report = await restore({ ...wish, signal });
    io.screen.write(reportText(report, backup, dataDir));
    const start = asCalled(`tutti server --data-dir ${dataDir}`, io.command);
    io.screen.write(`To start the server: ${start}\n`);
    return EXIT_CODES.done;
  });
}

function reportText(
  { manifest, aside, bucket }: RestoreReport,
  backup: string,
  dataDir: string,
): string {
  const { runs, liveRuns, createdAt, hasKeys } = manifest;
  const live = liveRuns === 0 ? '' : ` (${liveRuns} to go on)`;
  const lines = [
    `Restored: ${dataDir}, of ${backup}`,
    `${countOf(runs, 'run')}${live}, as of ${createdAt.replace(/\..*$/, '')} UTC.`,
    ...(hasKeys
      ? []
      : [
          'There was no key in it: the server makes a new one, and takes no token that it issued before.',
        ]),
    ...(bucket === null
      ? []
      : [`Files of runs were not in it: the server takes them from ${bucket} (--blobs).`]),
    ...(aside === null ? [] : [`What was there before: ${aside}`]),
  ];
  return lines.map((line) => `${line}\n`).join('');
}
