/** The answer of a generator. It comes from outside, so the rules of manifests are checked before the run takes it. */
import {
  atOnce,
  type GeneratorResultEvent,
  problemsOfJobs,
  type RunEvent,
  type StepId,
  type Steps,
  type WorkflowJob,
  type WorkflowJobs,
} from '@tutti/manifests';
import { warningsIn } from '../facts/decode.ts';
import { withoutWarnings } from '../facts/encode.ts';
import type { FactOf } from '../facts/fact.ts';
import { referenceText } from './call-reference.ts';
import { settingsOfCalled } from './called-settings.ts';
import { type BudgetedContext, RunEvents } from './events.ts';
import { bundlesAround } from './job-tree.ts';
import { endWithoutJobs } from './next-bundle-event.ts';
import { type Job, jobById, type Run } from './run.ts';
import { unknownNames } from './unknown-names.ts';

/** Why a result does not fit the run; null when it is the answer that a bundle waits for. */
export function refusalOfGenerator(
  run: Run,
  { event, isOfFile }: FactOf<'JobsGiven'>,
): string | null {
  const unasked = 'no generator is waited for at this job';
  const job = jobById(run, event.metadata.job_id);
  if (job?.phase !== 'GENERATING') return unasked;
  // Only the server reads called workflows, and its answer names the file.
  return isOfFile === (job.bundle?.category === 'uses') ? null : unasked;
}

/** The result as the run takes it, or the error that it is. */
export function generated(
  run: Run,
  fact: FactOf<'JobsGiven'>,
  context: BudgetedContext,
): readonly RunEvent[] {
  const { event } = fact;
  const job = jobById(run, event.metadata.job_id);
  if (job === null) return [];
  const settings = settingsOfCalled(run, job, fact, context.budget);
  const problems = [...problemsOf(run, job, fact), ...(settings.ok ? [] : [settings.error])];
  const events = new RunEvents(run, context);
  if (settings.ok && problems.length === 0) {
    const texts = [...warningsIn(event), ...unknownNames(run, job, event)];
    const warnings = texts.map((text) => events.warning(job, text));
    return [taken(job, event, settings.value, context), ...warnings];
  }
  const download = job.bundle?.download ?? null;
  if (download !== null) {
    // A repository may change at any time, and without the authors of the run.
    const why = sentenceOf(`workflow "${referenceText(download)}" cannot be called:`, problems);
    return [endWithoutJobs(run, job, why, events)];
  }
  const who = job.bundle?.category === 'uses' ? 'workflow that' : 'generator of';
  const verb = job.bundle?.category === 'uses' ? ' calls' : '';
  const error = `The ${who} job "${job.name}"${verb} gave jobs that are not valid: ${problems.join(' ')}`;
  return [events.error(job, error)];
}

/** Many problems stand in lines of their own. */
function sentenceOf(beginning: string, problems: readonly string[]): string {
  const text = problems.join('\n');
  return `${beginning}${text.includes('\n') ? '\n' : ' '}${text}`;
}

/** Problems of the schema are in the event already: the server, which has the schemas, checked it. */
function problemsOf(
  run: Run,
  job: Job,
  { event, problems }: FactOf<'JobsGiven'>,
): readonly string[] {
  if (problems.length > 0) return problems;
  const around = { jobs: run.jobs.size, bundles: bundlesAround(run, job).length + 1 };
  return problemsOfJobs(event.jobs, around).flatMap(({ path, message, isWarning }) =>
    isWarning === true ? [] : [`${path.join('.')}: ${message}`],
  );
}

/** Under the metadata that the run knows better, and with an id for each step, as readers of events expect. */
function taken(
  job: Job,
  event: GeneratorResultEvent,
  settings: object,
  { newId }: BudgetedContext,
): GeneratorResultEvent {
  const metadata = {
    ...withoutWarnings(event).metadata,
    ...settings,
    name: job.name,
    job_origin: job.origin,
  };
  return { ...event, metadata, jobs: withStepIds(event.jobs, () => newId() as StepId) };
}

/** The jobs, at any depth, with an id for each step that has none. New objects, since one may stand in several places. */
export const withStepIds = (jobs: WorkflowJobs, newStepId: () => StepId): WorkflowJobs =>
  atOnce(stepIdSteps(jobs, newStepId));

/** Gives ids to steps job by job: a workflow may have tens of thousands of steps. */
export function* stepIdSteps(jobs: WorkflowJobs, newStepId: () => StepId): Steps<WorkflowJobs> {
  const entries: [string, WorkflowJob][] = [];
  for (const [name, { steps, jobs: inside, ...job }] of Object.entries(jobs)) {
    const withIds: WorkflowJob = {
      ...job,
      ...(steps === undefined ? {} : { steps: steps.map((step) => withId(step, newStepId)) }),
      ...(inside === undefined ? {} : { jobs: yield* stepIdSteps(inside, newStepId) }),
    };
    entries.push([name, withIds]);
    yield;
  }
  return Object.fromEntries(entries);
}

export const withId = <Step extends { readonly id?: string }>(
  step: Step,
  newStepId: () => StepId,
): Step => (step.id === undefined ? { ...step, id: newStepId() } : step);
