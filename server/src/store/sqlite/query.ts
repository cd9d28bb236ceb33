/** Prepared statements with the type of their rows. */
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import type { Store } from '../store.ts';

/** Methods of the store that read without waiting. */
export type Reads<Names extends keyof Store> = {
  readonly [Name in Names]: (...query: Parameters<Store[Name]>) => Awaited<ReturnType<Store[Name]>>;
};

export interface Query<Row> {
  get(...parameters: SQLInputValue[]): Row | undefined;
  all(...parameters: SQLInputValue[]): Row[];
  iterate(...parameters: SQLInputValue[]): Iterable<Row>;
}

/** `Row` has the columns of the text; callers write both side by side. */
export function prepareQuery<Row extends object>(db: DatabaseSync, sql: string): Query<Row> {
  const statement: StatementSync = db.prepare(sql);
  // The driver cannot know the columns of a text. Every table is STRICT, so a column has only values of its type.
  return statement as unknown as Query<Row>;
}

/**
 * Prepares a query whose rows are lists of their columns, for rows that are read by the ten thousand. Objects of the driver have no shape,
 * so making and reading one takes several times as long.
 */
export function prepareListQuery<Row extends readonly unknown[]>(
  db: DatabaseSync,
  sql: string,
): Query<Row> {
  const statement: StatementSync = db.prepare(sql);
  statement.setReturnArrays(true);
  // As above.
  return statement as unknown as Query<Row>;
}

/** For texts that are put together of conditions and an order: there are few of them. */
export function createQueries<Row extends object>(db: DatabaseSync): (sql: string) => Query<Row> {
  const prepared = new Map<string, Query<Row>>();
  return (sql) => {
    const query = prepared.get(sql) ?? prepareQuery<Row>(db, sql);
    prepared.set(sql, query);
    return query;
  };
}
