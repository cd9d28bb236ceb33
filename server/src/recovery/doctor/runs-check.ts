/** Whether the stored projections of each run follow from its events, and whether its files exist. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { countOf } from '@tutti/manifests';
import { recordedBucket } from '../../blobs/bucket-record.ts';
import { blobsOf } from '../../runtime/data-directory.ts';
import { MIGRATIONS } from '../../store/sqlite/migrations.ts';
import { prepareQuery } from '../../store/sqlite/query.ts';
import { schemaOf } from '../store-copy.ts';
import { type Check, type CheckResult, type Finding, NOT_READ, type Subject } from './check.ts';
import { rebuildRun } from './rebuild-run.ts';
import {
  type ScannedRun,
  type ScanOptions,
  SELECT_STORED,
  type StoredRun,
  scanRun,
} from './run-scan.ts';

export interface RunsCheckOptions extends ScanOptions {
  /** Number of runs that are folded, the newest first. Null for all. */
  readonly runs: number | null;
}

export function runsCheck(options: RunsCheckOptions): Check {
  return {
    name: 'runs',
    about: 'what is kept of each run, against its events folded once more',
    run(subject) {
      const { db } = subject;
      if (db === null) return NOT_READ;
      if (schemaOf(db) < MIGRATIONS.length) return { ...NOT_READ, notes: [OLDER] };
      return checkRuns({ ...subject, db }, options);
    },
  };
}

export const OLDER =
  'Not checked: start the server once, so that the schema is that of this version.';

interface Tally {
  runs: number;
  live: number;
  events: number;
  /** Attachments of others whose files are not there. */
  notKept: number;
  readonly findings: Finding[];
}

type ReadSubject = Subject & { readonly db: DatabaseSync };

interface CheckedRun extends ReadSubject {
  /** Its files are elsewhere, and the check of files says so. */
  readonly isBucketUsed: boolean;
  readonly stored: StoredRun;
  readonly options: RunsCheckOptions;
}

function checkRuns(subject: ReadSubject, options: RunsCheckOptions): CheckResult {
  const { db } = subject;
  const isBucketUsed = recordedBucket(subject.dataDir) !== null;
  const tally: Tally = { runs: 0, live: 0, events: 0, notKept: 0, findings: [] };
  const ids = prepareQuery<{ readonly run: number }>(
    db,
    'SELECT id AS run FROM workflows ORDER BY id DESC LIMIT ?',
  ).all(options.runs ?? -1);
  const one = prepareQuery<StoredRun>(db, `${SELECT_STORED} WHERE id = ?`);
  for (const { run } of ids.reverse()) {
    // Each run as of one moment. All of them as of one would keep the log of a running server from being folded back.
    db.exec('BEGIN');
    try {
      const stored = one.get(run);
      // The run may have been removed meanwhile.
      if (stored !== undefined) noteRun(tally, { ...subject, isBucketUsed, stored, options });
    } finally {
      db.exec('COMMIT');
    }
  }
  const { runs, live, events, notKept, findings } = tally;
  const note = `${countOf(notKept, 'attachment')} of plugins without a file: those of other machines have none here (pluginFiles).`;
  return { facts: { runs, live, events }, notes: notKept === 0 ? [] : [note], findings };
}

function noteRun(tally: Tally, checked: CheckedRun): void {
  const { db, dataDir, isBucketUsed, stored, options } = checked;
  const scanned = scanRun(db, stored, options);
  tally.runs += 1;
  tally.live += stored.live;
  tally.events += scanned.events;
  tally.findings.push(...findingsOf(checked, scanned));
  const isMissing = (name: string) =>
    !isBucketUsed &&
    statSync(join(blobsOf(dataDir), scanned.workflowId, name), {
      throwIfNoEntry: false,
    })?.isFile() !== true;
  tally.notKept += scanned.namedFiles.filter(isMissing).length;
  for (const name of scanned.ownFiles.filter(isMissing)) {
    tally.findings.push({
      what: `The file ${name} of run ${scanned.workflowId} is missing.`,
      repair: null,
      advice: `take blobs/${scanned.workflowId}/${name} out of a backup, if one has it.`,
    });
  }
}

function findingsOf(
  { db, aside, stored, options: { project } }: CheckedRun,
  { workflowId, broken, differences }: ScannedRun,
): readonly Finding[] {
  if (broken !== null) {
    return [
      {
        what: `Run ${workflowId} cannot be read: ${broken}.`,
        repair: null,
        advice:
          'the server cannot go on with it, nor show it. Restore a backup that has it (tutti docs operate/backup).',
      },
    ];
  }
  if (differences.length === 0) return [];
  return [
    {
      what: `Run ${workflowId}: ${differences.join('; ')}.`,
      repair: 'makes what is kept of it anew of its events',
      advice: null,
      mend: () => {
        aside.keepDatabase(db);
        rebuildRun(db, stored, project);
      },
    },
  ];
}
