/** Prepared statements with the type of their rows. */
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';

export interface Query<Row> {
  get(...parameters: SQLInputValue[]): Row | undefined;
  all(...parameters: SQLInputValue[]): Row[];
}

/** `Row` is what the columns of the text say; the two stand side by side wherever this is called. */
export function prepareQuery<Row extends object>(db: DatabaseSync, sql: string): Query<Row> {
  const statement: StatementSync = db.prepare(sql);
  // The driver cannot know the columns of a text; every table is STRICT, so a column has only values of its type.
  return statement as unknown as Query<Row>;
}
