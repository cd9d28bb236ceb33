/** The names that authors gave to steps, by the ids of these. */

/** Deeper than any jobs of jobs. */
const DEPTH_MAX = 16;

/** All steps in jobs, or in a list of steps, that have a name and an id. */
export function* stepNamesIn(definitions: unknown, depth = 0): Iterable<readonly [string, string]> {
  if (typeof definitions !== 'object' || definitions === null || depth > DEPTH_MAX) return;
  if (Array.isArray(definitions)) {
    for (const step of definitions) yield* nameOf(step);
    return;
  }
  for (const job of Object.values(definitions)) {
    if (typeof job !== 'object' || job === null) continue;
    if ('steps' in job) yield* stepNamesIn(job.steps, depth + 1);
    if ('jobs' in job) yield* stepNamesIn(job.jobs, depth + 1);
  }
}

function* nameOf(step: unknown): Iterable<readonly [string, string]> {
  if (typeof step !== 'object' || step === null || !('id' in step) || !('name' in step)) return;
  if (typeof step.id === 'string' && typeof step.name === 'string') yield [step.id, step.name];
}
