/** Files of runs that no run has. The check of runs finds missing files. */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { recordedBucket } from '../../blobs/bucket-record.ts';
import { blobsOf } from '../../runtime/data-directory.ts';
import { prepareQuery } from '../../store/sqlite/query.ts';
import { type Check, type CheckResult, type Finding, NOT_READ, type Subject } from './check.ts';

/** Names that begin so are not those of runs: unfinished files, and parts of reports that are being made. */
const OWN = /^(?:~|insight-)/;
/** Files of a workflow come before it, and the workflow a moment later. */
const YOUNG_MS = 10 * 60_000;

export const filesCheck: Check = {
  name: 'files',
  about: 'attachments and resource files without a run',
  run(subject) {
    const { db, dataDir } = subject;
    if (db === null) return NOT_READ;
    const bucket = recordedBucket(dataDir);
    if (bucket !== null) return { ...NOT_READ, notes: [`Not checked: files are in ${bucket}.`] };
    // The folders first: the store already knows a run that has files then, or the run is young.
    const folders = foldersIn(blobsOf(dataDir));
    const runs = prepareQuery<{ readonly workflowId: string }>(
      db,
      'SELECT workflow_id AS workflowId FROM workflows',
    ).all();
    const known = new Set(runs.map(({ workflowId }) => workflowId));
    return lookAt(subject, folders, known);
  },
};

function lookAt(
  subject: Subject,
  folders: readonly string[],
  known: ReadonlySet<string>,
): CheckResult {
  const findings: Finding[] = [];
  let [files, bytes] = [0, 0];
  for (const name of folders) {
    const folder = join(blobsOf(subject.dataDir), name);
    const size = sizeOf(folder);
    files += size.files;
    bytes += size.bytes;
    if (known.has(name) || OWN.test(name) || isYoung(subject, folder)) continue;
    findings.push({
      what: `The folder blobs/${name} has files of no run (${size.files}, of ${size.bytes} bytes).`,
      repair: 'moves it aside',
      advice: null,
      mend: () => subject.aside.moveThere(folder),
    });
  }
  return { facts: { files, bytes }, notes: [], findings };
}

function isYoung({ isServerRunning, nowMs }: Subject, folder: string): boolean {
  const found = statSync(folder, { throwIfNoEntry: false });
  return isServerRunning && (found === undefined || nowMs - found.mtimeMs < YOUNG_MS);
}

function foldersIn(directory: string): readonly string[] {
  const found = statSync(directory, { throwIfNoEntry: false });
  if (found === undefined) return [];
  const entries = readdirSync(directory, { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
}

/** A file that is removed meanwhile does not count. */
function sizeOf(folder: string): { readonly files: number; readonly bytes: number } {
  let [files, bytes] = [0, 0];
  for (const name of namesIn(folder)) {
    const found = statSync(join(folder, name), { throwIfNoEntry: false });
    if (found?.isFile() !== true) continue;
    files += 1;
    bytes += found.size;
  }
  return { files, bytes };
}

function namesIn(folder: string): readonly string[] {
  return statSync(folder, { throwIfNoEntry: false }) === undefined ? [] : readdirSync(folder);
}
