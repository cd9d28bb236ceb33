/** Compares the work of a run with the plan in its workflow. */
import { only } from '../support/runs.ts';
import { type Execution, executionsOf, type RunRecord } from './run-record.ts';
import { tracesIn } from './workload.ts';

/**
 * Every job runs whose `needs` have succeeded, and in each every step up to the first that fails. Nothing else runs. The run is DONE if all
 * of this succeeded.
 */
export function planProblems(run: RunRecord): readonly string[] {
  const executions = new Map(executionsOf(run).map((execution) => [execution.mark, execution]));
  const problems: string[] = [];
  const succeeded = new Set<string>();
  const jobs = Object.entries(only(run.events, 'Workflow')[0]?.jobs ?? {});
  for (const [name, job] of jobs) {
    const marks = (job.steps ?? []).flatMap((step) => markIn(step.run));
    const isDue = [job.needs ?? []].flat().every((needed) => succeeded.has(needed));
    const progress = progressOf(marks, executions, isDue);
    problems.push(...progress.problems);
    if (progress.hasSucceeded) succeeded.add(name);
  }
  const expected = succeeded.size === jobs.length ? 'DONE' : 'FAILED';
  if (run.status !== expected) problems.push(`it is ${run.status} and should be ${expected}`);
  return problems;
}

const markIn = (script: string | undefined): readonly string[] => {
  const traces = tracesIn(script ?? '');
  return traces === null ? [] : [traces.mark];
};

interface Progress {
  readonly problems: readonly string[];
  readonly hasSucceeded: boolean;
}

function progressOf(
  marks: readonly string[],
  executions: ReadonlyMap<string, Execution>,
  isDue: boolean,
): Progress {
  const problems: string[] = [];
  let goesOn = isDue;
  for (const mark of marks) {
    const execution = executions.get(mark);
    if (goesOn && execution === undefined) problems.push(`step ${mark} never ran`);
    if (!goesOn && execution !== undefined) problems.push(`step ${mark} ran after a failure`);
    goesOn &&= execution?.result?.status === 0;
  }
  if (marks.length === 0) problems.push('a job has no steps that leave traces');
  return { problems, hasSucceeded: goesOn };
}
