/** General errors of executions, which come after the test case that they are shown with. */
import type { DatabaseSync } from 'node:sqlite';
import type { TestErrorsRow } from '../store.ts';
import type { HashKey } from '../test-case-keys.ts';
import { prepareQuery } from './query.ts';
import { type TestCaseIndex, textOf } from './test-case-index.ts';

interface Execution {
  /** Its number in the history of the test case; null for the one that counts. */
  readonly number: number | null;
  readonly json: string;
}

/** The entries of a TestCase manifest that are read here. */
interface Manifest {
  readonly metadata?: { readonly execution_id?: string };
  readonly execution?: { readonly errorsList?: readonly unknown[] };
}

export type WriteErrors = (run: number, rows: readonly TestErrorsRow[]) => void;

export function createErrorsWriter(
  db: DatabaseSync,
  hashKey: HashKey,
  index: Pick<TestCaseIndex, 'find'>,
): WriteErrors {
  const executions = prepareQuery<Execution>(
    db,
    `SELECT number, json FROM (
       SELECT NULL AS number, json FROM test_cases WHERE id = ?1
       UNION ALL SELECT execution, json FROM test_case_history WHERE test_case = ?1)
     ORDER BY number DESC NULLS FIRST`,
  );
  const update = db.prepare('UPDATE test_cases SET json = ? WHERE id = ?');
  const updateEarlier = db.prepare(
    'UPDATE test_case_history SET json = ? WHERE test_case = ? AND execution = ?',
  );
  return (run, rows) => {
    if (rows.length === 0) return;
    const keyed = rows.map((row) => ({ ...row, text: textOf(hashKey(row.key)) }));
    const ids = index.find(
      run,
      keyed.map(({ text }) => text),
    );
    for (const { text, attachmentId, json } of keyed) {
      const id = ids.get(text);
      if (id === undefined) continue;
      const found = executions.all(id).find((execution) => isOf(execution, attachmentId));
      if (found === undefined) continue;
      const changed = withErrors(found.json, json);
      if (found.number === null) update.run(changed, id);
      else updateEarlier.run(changed, id, found.number);
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
