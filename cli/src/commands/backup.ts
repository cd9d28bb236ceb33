/** `tutti backup`: a copy of a data directory, of a running server or a stopped one. */

import { countOf, sizeText } from '@tutti/manifests';
import type { BackupReport } from '@tutti/server';
import { type DataDirOption, dataDirOf, stoppable } from '../connection/data-directory.ts';
import { EXIT_CODES } from '../terminal/exit-codes.ts';
import type { Io } from '../terminal/io.ts';

export interface BackupOptions extends DataDirOption {
  readonly output?: string;
  readonly withoutKeys?: boolean;
}

/** Resolves with the exit code. */
export async function backUpData(options: BackupOptions, io: Io): Promise<number> {
  const { loadRecovery } = await import('@tutti/server');
  const { backUp } = await loadRecovery();
  const wish = {
    dataDir: dataDirOf(options, io),
    output: options.output ?? null,
    withKeys: options.withoutKeys !== true,
  };
  return await stoppable(io, async (signal) => {
    io.screen.write(reportText(await backUp({ ...wish, signal })));
    return EXIT_CODES.done;
  });
}

function reportText({
  output,
  runs,
  liveRuns,
  runFiles,
  bucket,
  bytes,
  hasKeys,
}: BackupReport): string {
  const live = liveRuns === 0 ? '' : ` (${liveRuns} not over)`;
  const keys = hasKeys
    ? 'It has the key that signs tokens, and the secrets of the runs: keep it as you keep those.'
    : 'It has the secrets of the runs: keep it as you keep those. Keys are not in it.';
  return (
    `Backup made: ${output}\n` +
    `${countOf(runs, 'run')}${live}, ${countOf(runFiles, 'file')} of runs, ${sizeText(bytes)} in all.\n` +
    `${keys}\n` +
    (bucket === null
      ? ''
      : `Files of runs are not in it, but in ${bucket}: keep that bucket, with its versions.\n`)
  );
}
