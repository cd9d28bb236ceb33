/** Lists the parts of a data directory that the doctor does not check. */
import { countOf } from '@tutti/manifests';

const NEVER = [
  'the content of attachments and resource files: only that they are there (the checksums of a backup show more)',
  'text within the pages of the database, of which SQLite keeps no checksums',
  'the configuration of the server, and the files that it names outside of the data directory',
  'whether the disk will take the next write',
];

const BESIDE_A_SERVER =
  'the write-ahead log, and rows that change at this moment: the server of the directory runs';

export function uncheckedOf(
  checks: readonly { readonly name: string; readonly isSkipped: boolean }[],
  { runs }: { readonly runs: number | null },
  isServerRunning: boolean,
): readonly string[] {
  const skipped = checks.filter(({ isSkipped }) => isSkipped).map(({ name }) => name);
  return [
    ...(skipped.length === 0 ? [] : [`${skipped.join(', ')}: skipped, as said there`]),
    ...(runs === null ? [] : [`runs but for the newest ${countOf(runs, 'run')} (--runs)`]),
    ...(isServerRunning ? [BESIDE_A_SERVER] : []),
    ...NEVER,
  ];
}
