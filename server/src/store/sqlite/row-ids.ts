/**
 * Keys of rows that are numbered in a run: events, log pages, test cases. A key is one integer: the number of the run, then the number in
 * the run. Neighbours in a run are then neighbours in the file. An append touches one page, and a scan of a run reads only that run.
 * Inserting with a key of two columns costs almost twice as much.
 *
 * 2^24 rows per run and 2^29 runs fit the 2^53 integers that a JavaScript number holds exactly.
 */
export const ROWS_PER_RUN = 2 ** 24;

/** Key of the row with this number, 0 to `ROWS_PER_RUN - 1`; throws when a run has outgrown its numbers. */
export function rowId(run: number, number: number): number {
  if (number >= ROWS_PER_RUN) {
    throw new Error(`A run has more than ${ROWS_PER_RUN} events, log pages or test cases.`);
  }
  return run * ROWS_PER_RUN + number;
}

/** The number in its run of the row with this key. */
export function rowNumber(id: number): number {
  return id % ROWS_PER_RUN;
}

/** First and last key that rows of this run can have. */
export function rowIdRange(run: number): { readonly first: number; readonly last: number } {
  return { first: run * ROWS_PER_RUN, last: run * ROWS_PER_RUN + ROWS_PER_RUN - 1 };
}
