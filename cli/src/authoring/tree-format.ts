/** Shows a plan as a tree of jobs. It shows where each runs, its needs, and whether it runs if all goes well. */
import { countOf } from '@tutti/manifests';
import { cleanLine as clean } from '@tutti/run-view/text';
import type { PlannedJob, PlannedStep, WorkflowPlan } from '@tutti/workflow/plan';
import type { Paint } from '../terminal/style.ts';

export interface TreeOptions {
  readonly paint: Paint;
  /** Whether each step has its line. */
  readonly hasSteps: boolean;
}

export function treeFormat(plan: WorkflowPlan, options: TreeOptions): string {
  const { paint } = options;
  const title = `${paint('bold', clean(plan.name))} in namespace ${clean(plan.namespace)}`;
  const lines = [title, ...branches(plan.jobs, options), ...notes(plan, paint)];
  return lines.map((line) => `${line}\n`).join('');
}

function branches(jobs: readonly PlannedJob[], options: TreeOptions): readonly string[] {
  return jobs.flatMap((job, index) => {
    const isLast = index === jobs.length - 1;
    const [joint, rest] = isLast ? ['└─ ', '   '] : ['├─ ', '│  '];
    const steps = options.hasSteps ? job.steps.map((step) => stepLine(step, options.paint)) : [];
    const below = [...steps, ...branches(job.jobs, options)];
    return [`${joint}${headline(job, options)}`, ...below.map((line) => `${rest}${line}`)];
  });
}

function headline(job: PlannedJob, { paint, hasSteps }: TreeOptions): string {
  const isIdle = job.runs === false;
  const name = isIdle ? paint('dim', clean(job.name)) : paint('bold', clean(job.name));
  return [
    name,
    ...(job.kind === 'steps' ? [whereOf(job, paint)] : [contentOf(job), ...placeOf(job, paint)]),
    ...(hasSteps || job.kind !== 'steps' ? [] : [countOf(job.steps.length, 'step')]),
    ...(job.needs.length === 0 ? [] : [`needs ${job.needs.map(localName).join(', ')}`]),
    ...(job.condition === null ? [] : [paint('cyan', `if ${clean(job.condition)}`)]),
    ...(isIdle ? [paint('yellow', 'does not run if all goes well')] : []),
    ...(job.open === null ? [] : [paint('yellow', clean(job.open))]),
    ...(job.error === null ? [] : [paint('red', `error: ${clean(job.error)}`)]),
  ].join('  ');
}

/** Expressions that only the run can evaluate are shown as written. */
function whereOf({ runsOn }: PlannedJob, paint: Paint): string {
  if (runsOn.length === 0) return 'on any environment';
  const tags = runsOn.map(({ text, isKnown }) =>
    isKnown ? paint('green', clean(text)) : paint('yellow', clean(text)),
  );
  return `on ${tags.join(', ')}`;
}

/** Known jobs show the tags of their bundle beside their own. */
const placeOf = (job: PlannedJob, paint: Paint): readonly string[] =>
  job.jobs.length > 0 || job.runsOn.length === 0 ? [] : [whereOf(job, paint)];

function contentOf({ kind, jobs, open, error }: PlannedJob): string {
  const count = open === null && error === null ? `: ${countOf(jobs.length, 'job')}` : '';
  return kind === 'jobs' ? countOf(jobs.length, 'job') : `${kind}${count}`;
}

function stepLine({ name, uses, condition }: PlannedStep, paint: Paint): string {
  const what = uses === null ? 'run ' : 'uses';
  const when = condition === null ? '' : `  ${paint('cyan', `if ${clean(condition)}`)}`;
  return `  ${paint('dim', what)} ${clean(name)}${when}`;
}

function notes({ openInputs, error }: WorkflowPlan, paint: Paint): readonly string[] {
  return [
    ...(error === null ? [] : [paint('red', `error: ${clean(error)}`)]),
    ...(openInputs.length === 0
      ? []
      : [paint('yellow', `A run must be given: ${openInputs.map(clean).join(', ')}.`)]),
  ];
}

const localName = (key: string): string => key.slice(key.lastIndexOf('/') + 1);
