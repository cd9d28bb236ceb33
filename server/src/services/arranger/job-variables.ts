/** The variables that the data source shows with a job. */
import type { Variables } from '@tutti/manifests';
import { type Job, type Run, variableLevels, variableValues } from '@tutti/workflow';

export const JOB_VARIABLES_LIMITS = {
  /**
   * Total length of variables stored with the jobs of a run, in characters; each job has the same share. Otherwise a thousand
   * jobs with four thousand variables each would take 100 MiB, and seconds.
   */
  length: 4 * 1024 * 1024,
} as const;

/** Variables of the job, and of bundles and workflow around it as far as they fit. */
export function shownVariables(run: Run, job: Job): Readonly<Record<string, string>> {
  let room = JOB_VARIABLES_LIMITS.length / run.jobs.size;
  const levels: Variables[] = [];
  for (const level of variableLevels(run, job).toReversed()) {
    if (level === undefined) continue;
    room -= lengthOf(level);
    if (room < 0) break;
    levels.unshift(level);
  }
  return variableValues(...levels);
}

const lengths = new WeakMap<Variables, number>();

/** Jobs share the levels around them. */
function lengthOf(level: Variables): number {
  const known = lengths.get(level);
  if (known !== undefined) return known;
  let length = 0;
  for (const [name, variable] of Object.entries(level)) {
    length += name.length + (typeof variable === 'string' ? variable : variable.value).length;
  }
  lengths.set(level, length);
  return length;
}
