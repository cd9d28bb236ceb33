/** Writes the history of tests: parts of runs that are folded. */
import type { DatabaseSync } from 'node:sqlite';
import { parseTimestamp } from '@tutti/manifests';
import {
  type FoldedEnd,
  type FoldedPart,
  type FoldedVariant,
  JOURNAL_LIMITS,
  type JournalRow,
  type TestedRunFacts,
  type TestFigures,
  type TestHistoryWrite,
} from '../test-history.ts';
import { outcomeNumber, stateNumber, uuidBytes, wholeOrNull } from '../test-history-codes.ts';
import { createCausePurge, createCauseWriter } from './cause-writer.ts';
import type { SqliteLimits } from './limits.ts';
import { prepareListQuery, prepareQuery } from './query.ts';

export type WriteHistory = (write: TestHistoryWrite) => void;

interface Found {
  readonly id: number;
}

export function createHistoryWriter(db: DatabaseSync, limits: SqliteLimits): WriteHistory {
  const begin = createBegin(db);
  const fold = createFold(db);
  const end = createEnd(db);
  const remove = createRemove(db, limits);
  const note = createNote(db);
  return (write) => {
    if (write.begin !== undefined) begin(write.begin);
    if (write.part !== undefined) {
      fold(write.part);
      for (const row of write.part.journal) note(row);
    }
    if (write.end !== undefined) end(write.end);
    for (const row of write.journal ?? []) note(row);
    if (write.remove !== undefined) remove(write.remove);
  };
}

/** A folding that was begun goes on. */
function createBegin(db: DatabaseSync) {
  const insert = db.prepare(
    `INSERT INTO tested_runs (workflow_id, namespace, project, name, version, branch, is_main, created_at, places, mass_jobs)
     SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10
     WHERE NOT EXISTS (SELECT 1 FROM tested_runs WHERE workflow_id = ?1 AND is_folded = 0)`,
  );
  return (facts: TestedRunFacts): void => {
    const { workflowId, namespace, project, name, version, branch, isMain } = facts;
    const lists = [facts.places, facts.massJobs].map((list) => JSON.stringify(list));
    const texts = [workflowId, namespace, project, name, version, branch] as const;
    insert.run(...texts, isMain ? 1 : 0, facts.createdAt, ...lists);
  };
}

function createFold(db: DatabaseSync) {
  const beginOf = prepareQuery<{ readonly at: string }>(
    db,
    'SELECT created_at AS at FROM tested_runs WHERE run = ?',
  );
  const putTest = prepareQuery<Found>(
    db,
    `INSERT INTO tests (uuid, namespace, project, technology, suite, name, first_run, last_run)
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?7) ON CONFLICT (uuid) DO UPDATE SET last_run = excluded.last_run RETURNING id`,
  );
  const putVariant = createVariantWriter(db);
  const putExecution = db.prepare(
    `INSERT OR IGNORE INTO executions (run, variant, attempt, outcome, started_ms, duration_us, place)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
  );
  const count = db.prepare('UPDATE tested_runs SET executions = executions + ? WHERE run = ?');
  const sumUp = createSum(db);
  const writeCauses = createCauseWriter(db);
  return ({ run, variants, causes }: FoldedPart): void => {
    const beginMs = parseTimestamp(beginOf.get(run)?.at ?? '') ?? 0;
    const changed = new Set<number>();
    let written = 0;
    for (const { test, variant, executions, ledger } of variants) {
      const { namespace, project, technology, suite, name } = test;
      const parts = [namespace, project, technology, suite, name] as const;
      const testRow = idIn(putTest.get(uuidBytes(test.id), ...parts, run));
      const variantRow = putVariant(testRow, variant, ledger);
      for (const { attempt, outcome, startedMs, durationMs, place } of executions) {
        const times = [Math.round(startedMs - beginMs), Math.round(durationMs * 1_000)] as const;
        putExecution.run(run, variantRow, attempt, outcomeNumber(outcome), ...times, place);
      }
      written += executions.length;
      if (ledger !== null) changed.add(testRow);
    }
    for (const testRow of changed) sumUp(testRow);
    if (causes !== undefined) writeCauses(run, causes);
    count.run(written, run);
  };
}

/** Entries of one test and variant follow each other. The oldest entries of a test leave, but none whose quarantine has an end. */
function createNote(db: DatabaseSync) {
  const end = db.prepare(
    `UPDATE test_journal SET until_ms = NULL WHERE until_ms IS NOT NULL
       AND test = (SELECT id FROM tests WHERE uuid = ?) AND variant IS (SELECT id FROM test_variants WHERE uuid = ?)`,
  );
  const insert = db.prepare(
    `INSERT INTO test_journal (at_ms, test, variant, kind, json, until_ms)
     SELECT ?1, id, (SELECT id FROM test_variants WHERE uuid = ?3), ?4, ?5, ?6 FROM tests WHERE uuid = ?2`,
  );
  const trim = db.prepare(
    `DELETE FROM test_journal WHERE until_ms IS NULL AND test = (SELECT id FROM tests WHERE uuid = ?1)
       AND id <= (SELECT id FROM test_journal WHERE test = (SELECT id FROM tests WHERE uuid = ?1)
         ORDER BY id DESC LIMIT 1 OFFSET ?2)`,
  );
  return ({ atMs, testId, variantId, kind, json, untilMs }: JournalRow): void => {
    const test = uuidBytes(testId);
    const variant = variantId === null ? null : uuidBytes(variantId);
    if (untilMs !== undefined) end.run(test, variant);
    insert.run(Math.round(atMs), test, variant, kind, json, wholeOrNull(untilMs));
    trim.run(test, JOURNAL_LIMITS.entries);
  };
}

/** Each figure has an index, so that only those are written that changed. */
function createSum(db: DatabaseSync) {
  const before = prepareListQuery<Figures>(
    db,
    `SELECT ${FIGURES.join(', ')} FROM tests WHERE id = ?`,
  );
  const after = prepareListQuery<Figures>(
    db,
    `SELECT min(state), max(flake_rate), sum(failures), sum(executions), max(duration_ms), max(last_failed_ms)
     FROM test_variants WHERE test = ? AND executions > 0`,
  );
  const writes = FIGURES.map((column) => db.prepare(`UPDATE tests SET ${column} = ? WHERE id = ?`));
  return (test: number): void => {
    const stored = before.get(test) ?? [];
    const sums = after.get(test) ?? [];
    // In a mass failure, and where all were skipped, none counts.
    if (sums[0] === null) return;
    for (const [at, value] of sums.entries()) {
      if (value !== stored[at]) writes[at]?.run(value, test);
    }
  };
}

type Figures = readonly (number | null)[];
const FIGURES = [
  ...['state', 'flake_rate', 'failures', 'executions', 'duration_ms', 'last_failed_ms'],
] as const;

function createVariantWriter(db: DatabaseSync) {
  const put = prepareQuery<Found>(
    db,
    `INSERT INTO test_variants (uuid, test, job, function) VALUES (?, ?, ?, ?)
     ON CONFLICT (uuid) DO UPDATE SET job = excluded.job RETURNING id`,
  );
  const putFolded = prepareQuery<Found>(
    db,
    `INSERT INTO test_variants (uuid, test, job, function, state, flake_rate, failures, executions, duration_ms, last_failed_ms)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (uuid) DO UPDATE SET state = excluded.state, flake_rate = excluded.flake_rate, failures = excluded.failures,
       executions = excluded.executions, duration_ms = excluded.duration_ms,
       last_failed_ms = coalesce(excluded.last_failed_ms, last_failed_ms) RETURNING id`,
  );
  const putLedger = db.prepare(
    `INSERT INTO test_ledgers (variant, bytes) VALUES (?, ?) ON CONFLICT DO UPDATE SET bytes = excluded.bytes`,
  );
  return (
    test: number,
    { id, job, function: called }: FoldedVariant['variant'],
    ledger: FoldedVariant['ledger'],
  ): number => {
    const parts = [uuidBytes(id), test, job, called] as const;
    if (ledger === null) return idIn(put.get(...parts));
    const row = idIn(putFolded.get(...parts, ...figuresOf(ledger)));
    putLedger.run(row, ledger.bytes);
    return row;
  };
}

const figuresOf = (figures: TestFigures) => {
  const { state, flakeRate, failures, executions, durationMs, lastFailedMs } = figures;
  return [
    stateNumber(state),
    flakeRate,
    failures,
    executions,
    durationMs,
    wholeOrNull(lastFailedMs),
  ] as const;
};

function idIn(found: Found | undefined): number {
  if (found === undefined) throw new Error('A row was written and has no number.');
  return found.id;
}

function createEnd(db: DatabaseSync) {
  const end = db.prepare(
    `UPDATE tested_runs SET is_folded = 1, only_failed = (SELECT id FROM tests WHERE uuid = ?) WHERE run = ?`,
  );
  const settle = db.prepare(
    'UPDATE workflows SET unfolded = 0 WHERE workflow_id = ? AND unfolded = ?',
  );
  const countImpact = db.prepare(`${COUNT_IMPACT} WHERE uuid = ?`);
  return ({ run, workflowId, mark, onlyFailed }: FoldedEnd): void => {
    const failed = onlyFailed === null ? null : uuidBytes(onlyFailed);
    end.run(failed, run);
    settle.run(workflowId, mark);
    if (failed !== null) countImpact.run(failed);
  };
}

const COUNT_IMPACT = `UPDATE tests SET impact =
  (SELECT count(DISTINCT workflow_id) FROM tested_runs WHERE only_failed = tests.id)`;

function createRemove(db: DatabaseSync, { purgeRowsMax }: Pick<SqliteLimits, 'purgeRowsMax'>) {
  const removeExecutions = db.prepare(
    `DELETE FROM executions WHERE (run, variant, attempt) IN
       (SELECT run, variant, attempt FROM executions WHERE run = ? LIMIT ?)`,
  );
  const removeRun = prepareQuery<{ readonly test: number | null }>(
    db,
    'DELETE FROM tested_runs WHERE run = ? RETURNING only_failed AS test',
  );
  const countImpact = db.prepare(`${COUNT_IMPACT} WHERE id = ?`);
  const removeTests = createTestRemove(db);
  const purgeCauses = createCausePurge(db);
  return (run: number): void => {
    if (Number(removeExecutions.run(run, purgeRowsMax).changes) === purgeRowsMax) return;
    const test = removeRun.get(run)?.test ?? null;
    if (test !== null) countImpact.run(test);
    removeTests(purgeRowsMax);
    purgeCauses(run, purgeRowsMax);
  };
}

/** Tests that ran in none of the kept runs. */
function createTestRemove(db: DatabaseSync) {
  const gone = prepareQuery<Found>(
    db,
    `SELECT id FROM tests WHERE last_run < (SELECT coalesce(min(run), 9e15) FROM tested_runs) ORDER BY last_run LIMIT ?`,
  );
  const removals = [
    'DELETE FROM test_ledgers WHERE variant IN (SELECT id FROM test_variants WHERE test = ?)',
    'DELETE FROM cause_variants WHERE variant IN (SELECT id FROM test_variants WHERE test = ?)',
    'DELETE FROM test_variants WHERE test = ?',
    'DELETE FROM test_journal WHERE test = ?',
    'DELETE FROM tests WHERE id = ?',
  ].map((text) => db.prepare(text));
  return (testsMax: number): void => {
    for (const { id } of gone.all(testsMax)) for (const removal of removals) removal.run(id);
  };
}
