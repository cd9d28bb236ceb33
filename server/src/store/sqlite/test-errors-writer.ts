/** General errors of executions, which come after the test case that they are shown with. */
import type { DatabaseSync } from 'node:sqlite';
import type { TestErrorsRow } from '../store.ts';
import { prepareQuery } from './query.ts';
import type { HashKey } from './test-case-keys.ts';

interface Execution {
  /** Row of the test case, and number of the execution in its history; null for the newest. */
  readonly id: number;
  readonly number: number | null;
  readonly json: string;
}

/** The entries of a TestCase manifest that are read here. */
interface Manifest {
  readonly metadata?: { readonly execution_id?: string };
  readonly execution?: { readonly errorsList?: readonly unknown[] };
}

export type WriteErrors = (run: number, rows: readonly TestErrorsRow[]) => void;

export function createErrorsWriter(db: DatabaseSync, hashKey: HashKey): WriteErrors {
  const newest = prepareQuery<Execution>(
    db,
    `SELECT c.id, NULL AS number, c.json
     FROM test_case_keys k JOIN test_cases c ON c.id = k.test_case WHERE k.run = ? AND k.key = ?`,
  );
  const earlier = prepareQuery<Execution>(
    db,
    `SELECT h.test_case AS id, h.execution AS number, h.json
     FROM test_case_keys k JOIN test_case_history h ON h.test_case = k.test_case
     WHERE k.run = ? AND k.key = ? ORDER BY h.execution DESC`,
  );
  const update = db.prepare('UPDATE test_cases SET json = ? WHERE id = ?');
  const updateEarlier = db.prepare(
    'UPDATE test_case_history SET json = ? WHERE test_case = ? AND execution = ?',
  );
  return (run, rows) => {
    for (const { key, attachmentId, json } of rows) {
      const hashed = hashKey(key);
      const all = [...newest.all(run, hashed), ...earlier.all(run, hashed)];
      const found = all.find((execution) => isOf(execution, attachmentId));
      if (found === undefined) continue;
      const changed = withErrors(found.json, json);
      if (found.number === null) update.run(changed, found.id);
      else updateEarlier.run(changed, found.id, found.number);
    }
  };
}

function isOf({ json }: Execution, attachmentId: string): boolean {
  const manifest: Manifest = JSON.parse(json);
  return manifest.metadata?.execution_id === attachmentId;
}

function withErrors(json: string, errors: string): string {
  const manifest: Manifest = JSON.parse(json);
  const { execution } = manifest;
  const errorsList = [...(execution?.errorsList ?? []), ...JSON.parse(errors)];
  return JSON.stringify({ ...manifest, execution: { ...execution, errorsList } });
}
