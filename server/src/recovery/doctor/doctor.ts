/** Looks at a data directory, check by check, and makes safe repairs. */
import { existsSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { countOf } from '@tutti/manifests';
import { databaseOf } from '../../runtime/data-directory.ts';
import { damageText, keepDamagedLog } from '../../store/sqlite/kept-log.ts';
import { filesLockOf, serverLockOf, takeLock } from '../../store/sqlite/lock-file.ts';
import type { LogDamage } from '../../store/sqlite/log-damage.ts';
import { lookAtUnusedLog } from '../../store/sqlite/owned-database.ts';
import { RECOVERY_LIMITS } from '../limits.ts';
import { RecoveryRefusal } from '../refusal.ts';
import { isCorrupt, openStore } from '../store-copy.ts';
import { createAside } from './aside.ts';
import type { Check, CheckResult, Finding, Subject } from './check.ts';
import { type DatabaseProblem, databaseCheck } from './database-check.ts';
import { filesCheck } from './files-check.ts';
import { keysCheck } from './keys-check.ts';
import { logCheck } from './log-check.ts';
import { recordsCheck } from './records-check.ts';
import { rowsCheck } from './rows-check.ts';
import { type RunsCheckOptions, runsCheck } from './runs-check.ts';

interface DoctorRequest extends RunsCheckOptions {
  readonly dataDir: string;
  readonly repair: boolean;
  /** Makes the name of the kept data unique to this repair. */
  readonly suffix: string;
  readonly nowMs: number;
}

interface ReportedFinding extends Omit<Finding, 'mend'> {
  readonly isRepaired: boolean;
}

export interface CheckReport extends Omit<CheckResult, 'findings' | 'isSkipped'> {
  readonly name: string;
  readonly about: string;
  readonly isSkipped: boolean;
  /** The first of them, as many as `findingsTold` allows. */
  readonly findings: readonly ReportedFinding[];
  readonly more: MoreFindings;
}

/** Findings that are only counted. */
interface MoreFindings {
  readonly findings: number;
  /** Findings among them that were not repaired. */
  readonly left: number;
}

export interface DoctorReport {
  readonly dataDir: string;
  readonly isServerRunning: boolean;
  readonly checks: readonly CheckReport[];
  /** Things that no check looked at. */
  readonly unchecked: readonly string[];
  /** The folder with the data that a repair changed; null if it changed nothing. */
  readonly kept: string | null;
}

/** Checks a data directory, and repairs it if asked. Throws RecoveryRefusal if there is no data, or if a repair is not allowed. */
export function examine(request: DoctorRequest): DoctorReport {
  const { dataDir, repair } = request;
  const opened = openDatabase(request);
  const serverLock = takeLock(serverLockOf(databaseOf(dataDir)), 0);
  // A check holds up no server that starts; a repair does.
  if (!repair) serverLock?.release();
  try {
    if (serverLock === null && repair) throw isInUse(dataDir);
    return runChecks(request, opened, serverLock === null);
  } finally {
    opened.db?.close();
    if (repair) serverLock?.release();
  }
}

function runChecks(
  request: DoctorRequest,
  { db, problem }: OpenedDatabase,
  isServerRunning: boolean,
): DoctorReport {
  const { dataDir, nowMs } = request;
  // Without the lock, files of old runs could leave before their runs do.
  const filesLock = takeLock(filesLockOf(databaseOf(dataDir)), RECOVERY_LIMITS.filesLockWaitMs);
  const aside = createAside(dataDir, request.suffix);
  const subject = { dataDir, db, isServerRunning, aside, nowMs };
  const checks = [
    databaseCheck(problem),
    logCheck,
    runsCheck(request),
    rowsCheck,
    filesCheck,
    recordsCheck,
    keysCheck,
  ];
  try {
    const reports = checks.map((check) => reportOf(check, subject, request.repair));
    const kept = existsSync(aside.folder) ? aside.folder : null;
    const unchecked = uncheckedOf(reports, request, isServerRunning);
    return { dataDir, isServerRunning, checks: reports, unchecked, kept };
  } finally {
    filesLock?.release();
  }
}

interface OpenedDatabase {
  readonly db: DatabaseSync | null;
  readonly problem: DatabaseProblem | null;
}

/** A database that cannot be opened is a finding; a missing one is wrong use. */
function openDatabase({ dataDir, repair }: DoctorRequest): OpenedDatabase {
  const file = databaseOf(dataDir);
  try {
    const damage = lookAtUnusedLog(file);
    if (damage !== null && !repair) return { db: null, problem: logProblem(damage) };
    if (damage !== null) keepDamagedLog(file, damage);
    const db = openStore(file, dataDir, { readOnly: !repair });
    // As the server does when it starts.
    if (damage !== null) db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    return { db, problem: null };
  } catch (error) {
    if (isCorrupt(error)) return { db: null, problem: { text: error.message, advice: null } };
    if (!(error instanceof RecoveryRefusal) || !existsSync(file)) throw error;
    const advice = error.isDamage ? null : error.next;
    return { db: null, problem: { text: error.message, advice } };
  }
}

/** To open it would remove the log, or have it look whole. */
const logProblem = (damage: LogDamage): DatabaseProblem => ({
  text: damageText(damage),
  advice:
    'copy the directory to another place. Then use --repair, or start the server: both keep the log beside the database, and go on with what is whole of it.',
});

const isInUse = (dataDir: string): RecoveryRefusal =>
  new RecoveryRefusal(
    `A server uses ${dataDir}, so nothing can be repaired.`,
    'stop that server first, or leave out --repair to look only.',
  );

function reportOf(check: Check, subject: Subject, repair: boolean): CheckReport {
  const { isSkipped = false, facts, notes, findings } = resultOf(check, subject);
  const reports = findings.map(({ mend, ...finding }) => {
    if (repair) mend?.();
    return { ...finding, isRepaired: repair && mend !== undefined };
  });
  const first = reports.slice(0, RECOVERY_LIMITS.findingsShown);
  const others = reports.slice(RECOVERY_LIMITS.findingsShown);
  const left = others.filter(({ isRepaired }) => !isRepaired).length;
  const more = { findings: others.length, left };
  return { name: check.name, about: check.about, isSkipped, facts, notes, findings: first, more };
}

/** Where the database is damaged, any of its pages may be met. */
function resultOf(check: Check, subject: Subject): CheckResult {
  try {
    return check.run(subject);
  } catch (error) {
    if (!isCorrupt(error)) throw error;
    const what = `It could not be checked to its end: ${error.message}.`;
    const advice = 'see what is said of the database.';
    return { facts: {}, notes: [], findings: [{ what, repair: null, advice }] };
  }
}

const NEVER = [
  'the content of attachments and resource files: only that they are there (the checksums of a backup show more)',
  'text within the pages of the database, of which SQLite keeps no checksums',
  'the configuration of the server, and the files that it names outside of the data directory',
  'whether the disk will take the next write',
];

const BESIDE_A_SERVER =
  'the write-ahead log, and rows that change at this moment: the server of the directory runs';

function uncheckedOf(
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
