/** A table of an SQLite store as one of a PostgreSQL store. */
import type { DatabaseSync } from 'node:sqlite';
import type { CopiedRow, CopiedTable } from '../../store/postgres/copied-table.ts';
import { prepareQuery } from '../../store/sqlite/query.ts';

/** A table whose rows come from a query, through a function of its columns. */
export function table<Row extends object>(
  [db, name, columns]: readonly [DatabaseSync, string, CopiedTable['columns']],
  sql: string,
  rowOf: (row: Row) => CopiedRow,
): CopiedTable {
  function* rows() {
    for (const row of prepareQuery<Row>(db, sql).iterate()) yield rowOf(row);
  }
  return { name, columns, rows };
}
