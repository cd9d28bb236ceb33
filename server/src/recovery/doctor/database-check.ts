/** Whether the database is whole, and of this version. */
import { statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { databaseOf } from '../../runtime/data-directory.ts';
import { MIGRATIONS } from '../../store/sqlite/migrations.ts';
import { prepareQuery } from '../../store/sqlite/query.ts';
import { integrityProblems, schemaOf } from '../store-copy.ts';
import type { Aside } from './aside.ts';
import type { Check, CheckResult, Finding } from './check.ts';

/** Messages of SQLite that are shown: those about one broken page are enough to know what to do. */
const SHOWN_MAX = 5;

const RESTORE =
  'stop the server and restore a backup (tutti docs operate/backup). Without one, keep the directory: programs that recover SQLite databases may read rows of it.';

/** Why the database cannot be read at all. */
export interface DatabaseProblem {
  readonly text: string;
  /** Advice about it; null for the advice about damage. */
  readonly advice: string | null;
}

export function databaseCheck(problem: DatabaseProblem | null): Check {
  return {
    name: 'database',
    about: 'the pages and the schema of the store',
    run({ dataDir, db, aside }) {
      if (db === null) return unreadable(problem ?? { text: 'it cannot be opened', advice: null });
      const file = databaseOf(dataDir);
      const bytes = bytesOf(file) + bytesOf(`${file}-wal`);
      const schema = schemaOf(db);
      const isOlder = schema < MIGRATIONS.length;
      const upgrade = `The schema is ${schema}: the server brings it to ${MIGRATIONS.length} when it starts.`;
      const damaged = damages(() => integrityProblems(db, 'integrity_check'));
      return {
        facts: { schema, bytes },
        notes: isOlder ? [upgrade] : [],
        findings: damaged.length > 0 ? damaged : [...brokenLinks(db), ...strangers(db, aside)],
      };
    },
  };
}

function unreadable({ text, advice }: DatabaseProblem): CheckResult {
  const finding = advice === null ? damage(oneLine(text)) : { what: text, repair: null, advice };
  return { facts: {}, notes: [], findings: [finding] };
}

const damage = (problem: string): Finding => ({
  what: `The database is damaged: ${problem}.`,
  repair: null,
  advice: RESTORE,
});

function damages(look: () => readonly string[]): readonly Finding[] {
  try {
    const problems = look();
    const more = problems.length - SHOWN_MAX;
    const shown = problems.slice(0, SHOWN_MAX).map((problem) => damage(oneLine(problem)));
    return more > 0 ? [...shown, damage(`there are ${more} more problems`)] : shown;
  } catch (error) {
    return [damage(error instanceof Error ? error.message : String(error))];
  }
}

const oneLine = (text: string): string => text.replace(/\s*\n\s*/g, '; ').replace(/\.$/, '');

function brokenLinks(db: DatabaseSync): readonly Finding[] {
  const query = prepareQuery<{ readonly table: string }>(db, 'PRAGMA foreign_key_check');
  const tables = new Set(query.all().map((row) => row.table));
  return [...tables].map((table) => damage(`rows of ${table} refer to others that are not there`));
}

/** Numbers that were given must not be given again. */
function strangers(db: DatabaseSync, aside: Aside): readonly Finding[] {
  const numbered = [
    { table: 'workflows', column: 'id' },
    { table: 'outbox', column: 'position' },
    // Older databases have no such table.
    ...(schemaOf(db) < MIGRATIONS.length ? [] : [{ table: 'shared_bodies', column: 'id' }]),
  ];
  return numbered.flatMap(({ table, column }) => {
    const query = prepareQuery<{ readonly highest: number | null; readonly given: number | null }>(
      db,
      `SELECT (SELECT max(${column}) FROM ${table}) AS highest,
         (SELECT seq FROM sqlite_sequence WHERE name = '${table}') AS given`,
    );
    const { highest = null, given = null } = query.get() ?? {};
    if (highest === null || highest <= (given ?? 0)) return [];
    return [
      {
        what: `The table ${table} has number ${highest}, and the last one that was given is ${given ?? 0}.`,
        repair: 'counts on from the highest number',
        advice: null,
        mend: () => {
          aside.keepDatabase(db);
          db.prepare('DELETE FROM sqlite_sequence WHERE name = ?').run(table);
          db.prepare('INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)').run(table, highest);
        },
      },
    ];
  });
}

function bytesOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}
