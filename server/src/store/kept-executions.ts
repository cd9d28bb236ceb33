/** Which executions of test cases are kept. */

/** Forgotten runs that were made before a time: their executions have had theirs. */
export const SELECT_EXPIRED = `SELECT run FROM test_runs WHERE created_at < ?
  AND run NOT IN (SELECT id FROM workflows)`;

/** The execution that counts is kept whatever it is; of the others the newest are, `othersMax` of them. Answers the first of these. */
export function firstKept(
  { execution, counting }: { readonly execution: number; readonly counting: number },
  othersMax: number,
): number {
  const first = execution - othersMax;
  return counting < first ? first + 1 : first;
}
