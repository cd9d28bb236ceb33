/** How many executions of one test case are kept. */

/** The execution that counts is kept whatever it is; of the others the newest are, `othersMax` of them. Answers the first of these. */
export function firstKept(
  { execution, counting }: { readonly execution: number; readonly counting: number },
  othersMax: number,
): number {
  const first = execution - othersMax;
  return counting < first ? first + 1 : first;
}
