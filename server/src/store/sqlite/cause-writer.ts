/** Writes causes of failures. Runs in the transaction of its part. */
import type { DatabaseSync } from 'node:sqlite';
import type { CauseBounds, FoldedCause, FoldedCauses } from '../causes.ts';
import { uuidBytes } from '../test-history-codes.ts';
import { prepareQuery } from './query.ts';

interface Found {
  readonly id: number;
}

export function createCauseWriter(db: DatabaseSync) {
  const make = createMaker(db);
  const update = prepareQuery<Found>(
    db,
    `UPDATE causes SET last_run = max(last_run, ?1), last_ms = max(last_ms, ?2), failures = failures + ?3,
       since_run = iif(?4, ?1, since_run), since_ms = iif(?4, ?2, since_ms) WHERE uuid = ?5 RETURNING id`,
  );
  const putKey = db.prepare('INSERT OR IGNORE INTO cause_keys (key, cause) VALUES (unhex(?), ?)');
  const countFailures = createFailureCount(db);
  const removeSurplus = createSurplusRemove(db);
  return (run: number, { bounds, items }: FoldedCauses): void => {
    for (const item of items) {
      make(run, item);
      const count = item.failures.reduce((sum, each) => sum + each.count, 0);
      const id = uuidBytes(item.id);
      const cause = update.get(run, item.atMs, count, item.isNew ? 1 : 0, id)?.id;
      if (cause === undefined) continue;
      for (const key of item.keys) putKey.run(key, cause);
      countFailures({ run, cause }, item, bounds);
    }
    for (const { made } of items) if (made !== null) removeSurplus(made.namespace, bounds);
  };
}

function createMaker(db: DatabaseSync) {
  const insert = db.prepare(
    `INSERT INTO causes (uuid, namespace, project, title, sample, first_failure, first_run, since_run, last_run, since_ms, last_ms)
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?7, ?7, ?8, ?8) ON CONFLICT (uuid) DO NOTHING`,
  );
  return (run: number, { id, made, atMs }: FoldedCause): void => {
    if (made === null) return;
    const { namespace, project, title, sample, first } = made;
    insert.run(uuidBytes(id), namespace, project, title, sample, first, run, atMs);
  };
}

function createFailureCount(db: DatabaseSync) {
  const ofVariant = db.prepare(
    `INSERT INTO cause_variants (cause, variant, failures, last_run)
     SELECT ?1, id, ?2, ?3 FROM test_variants WHERE uuid = ?4
     ON CONFLICT DO UPDATE SET failures = failures + excluded.failures, last_run = max(last_run, excluded.last_run)`,
  );
  const ofRun = db.prepare(
    `INSERT INTO cause_runs (cause, run, place, failures) VALUES (?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET failures = failures + excluded.failures`,
  );
  const cutVariants = db.prepare(
    `DELETE FROM cause_variants WHERE (cause, variant) IN (SELECT cause, variant FROM cause_variants WHERE cause = ?
       ORDER BY last_run DESC, failures DESC, variant LIMIT -1 OFFSET ?)`,
  );
  const cutRuns = db.prepare(
    `DELETE FROM cause_runs WHERE (cause, run, place) IN (SELECT cause, run, place FROM cause_runs WHERE cause = ?
       ORDER BY run DESC, failures DESC, place LIMIT -1 OFFSET ?)`,
  );
  return (
    { run, cause }: { readonly run: number; readonly cause: number },
    { failures }: FoldedCause,
    bounds: CauseBounds,
  ): void => {
    for (const { variantId, place, count } of failures) {
      ofVariant.run(cause, count, run, uuidBytes(variantId));
      ofRun.run(cause, run, place, count);
    }
    cutVariants.run(cause, bounds.variants);
    cutRuns.run(cause, bounds.runs);
  };
}

/** The causes that failed longest ago. */
function createSurplusRemove(db: DatabaseSync) {
  const inNamespace = prepareQuery<Found>(
    db,
    'SELECT id FROM causes WHERE namespace = ? ORDER BY last_run DESC, id DESC LIMIT -1 OFFSET ?',
  );
  const inAll = prepareQuery<Found>(
    db,
    'SELECT id FROM causes ORDER BY last_run DESC, id DESC LIMIT -1 OFFSET ?',
  );
  const remove = createCauseRemove(db);
  return (namespace: string, { perNamespace, all }: CauseBounds): void => {
    for (const { id } of inNamespace.all(namespace, perNamespace)) remove(id);
    for (const { id } of inAll.all(all)) remove(id);
  };
}

function createCauseRemove(db: DatabaseSync) {
  const removals = [
    'DELETE FROM cause_keys WHERE cause = ?',
    'DELETE FROM cause_variants WHERE cause = ?',
    'DELETE FROM cause_runs WHERE cause = ?',
    'DELETE FROM causes WHERE id = ?',
  ].map((text) => db.prepare(text));
  return (cause: number): void => {
    for (const removal of removals) removal.run(cause);
  };
}

/** Removes the failures of a run that leaves, and causes that are in none of the kept runs. */
export function createCausePurge(db: DatabaseSync) {
  const forgetRun = db.prepare('DELETE FROM cause_runs WHERE run = ?');
  const gone = prepareQuery<Found>(
    db,
    `SELECT id FROM causes WHERE last_run < (SELECT coalesce(min(run), 9e15) FROM tested_runs) ORDER BY last_run LIMIT ?`,
  );
  const remove = createCauseRemove(db);
  return (run: number, causesMax: number): void => {
    forgetRun.run(run);
    for (const { id } of gone.all(causesMax)) remove(id);
  };
}
