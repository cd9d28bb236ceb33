/**
 * Finds the jobs of a run that do not run. Nobody asked for them, or the run takes them over from an earlier run of the same workflow. Both
 * stand in its `Workflow` event. Each of them ends with an event of its own as soon as the run may begin.
 */
import type { RunEvent, WorkflowJobs } from '@tutti/manifests';
import type { RunEvents } from './events.ts';
import { bundlesAround } from './job-tree.ts';
import type { Job, JobResult, Run } from './run.ts';

/** Named jobs of a workflow, and all that these need. */
export function withNeeds(jobs: WorkflowJobs, names: readonly string[]): ReadonlySet<string> {
  const chosen = new Set(names);
  // Iterating a set also visits entries that are added meanwhile.
  for (const name of chosen) {
    const { needs = [] } = (Object.hasOwn(jobs, name) ? jobs[name] : undefined) ?? {};
    for (const need of typeof needs === 'string' ? [needs] : needs) chosen.add(need);
  }
  return chosen;
}

/** The end of a job that does not run in this run; null for one that does. */
export function endUnrun(run: Run, job: Job, events: RunEvents): RunEvent | null {
  if (job.parent === null && run.chosen?.has(job.key) === false) {
    return events.jobEnded(job, 'skipped', `Job "${job.name}" skipped: it was not asked for.`);
  }
  const taken = run.taken?.jobs.get(job.key);
  if (run.taken === null || taken === undefined || taken.mark !== markOf(run, job)) return null;
  const { result, outputs, jobId } = taken;
  const log = `Job "${job.name}" taken over from workflow ${run.taken.from}, where it ${VERBS[result]}.`;
  return events.jobEnded(job, result, log, { outputs, taken: { from: run.taken.from, jobId } });
}

const VERBS: Readonly<Record<JobResult, string>> = {
  success: 'succeeded',
  failure: 'failed',
  cancelled: 'was canceled',
  skipped: 'was skipped',
};

/**
 * Two jobs with equal keys and marks are the same job, unchanged between runs. Generators and repositories may give another job for a key,
 * and names of a matrix may hide a different value. Ids that were made up for steps differ each time.
 */
export function markOf(run: Run, job: Job): string {
  const known = marks.get(job);
  if (known !== undefined) return known;
  const mark = hashOf(textOf(run, job));
  marks.set(job, mark);
  return mark;
}

/** A cache: a job's mark never changes, and each event asks for those of all waiting jobs. */
const marks = new WeakMap<Job, string>();

function textOf(run: Run, job: Job): string {
  const called = bundlesAround(run, job).map(({ bundle }) => {
    const { fetched: _, ...rest } = bundle?.called ?? { fetched: null };
    return rest;
  });
  return JSON.stringify([job.definition, job.matrix, called], withoutMadeUpIds);
}

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** An `id` elsewhere is a value that the author, or the generator, chose. */
function withoutMadeUpIds(key: string, value: unknown): unknown {
  return STEP_LISTS.has(key) && Array.isArray(value) ? value.map(withoutMadeUpId) : value;
}

const STEP_LISTS: ReadonlySet<string> = new Set(['steps', 'before', 'after']);

function withoutMadeUpId(step: unknown): unknown {
  if (typeof step !== 'object' || step === null || !('id' in step)) return step;
  const { id, ...rest } = step;
  return typeof id === 'string' && UUID.test(id) ? rest : step;
}

/** 64 bits of two multiplications, which keep apart what nobody makes alike on purpose: whoever could may start runs anyhow. */
function hashOf(text: string): string {
  let [low, high] = [0x811c9dc5, 0x1b873593];
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    low = Math.imul(low ^ code, 0x01000193);
    high = Math.imul(high ^ code, 0x85ebca6b) ^ (high >>> 13);
  }
  return [low, high].map((part) => (part >>> 0).toString(16).padStart(8, '0')).join('');
}
