/** Damaged write-ahead logs that a start or a repair has kept beside the database. */
import { databaseOf } from '../../runtime/data-directory.ts';
import { keptLogsOf } from '../../store/sqlite/kept-log.ts';
import type { Check, Finding } from './check.ts';

export const logCheck: Check = {
  name: 'log',
  about: 'damaged write-ahead logs that were found, and kept',
  run({ dataDir }) {
    const kept = keptLogsOf(databaseOf(dataDir));
    return { facts: { kept: kept.length }, notes: [], findings: kept.map(lostFinding) };
  },
};

const lostFinding = (name: string): Finding => ({
  what: `A damaged write-ahead log is kept as store/${name}: runs that were confirmed before it was found may be lost.`,
  repair: null,
  advice:
    'look at the disk, and for runs that are missing, or restore a backup (tutti docs operate/backup). Then move the files that begin so to another place.',
});
