/** A plan as a flowchart of Mermaid, which GitHub, GitLab and many wikis draw. */
import { cleanLine } from '@tutti/run-view/text';
import type { PlannedJob, WorkflowPlan } from '@tutti/workflow/plan';

export function mermaidFormat(plan: WorkflowPlan): string {
  const ids = idsOf(plan.jobs);
  const lines = [
    'flowchart LR',
    ...nodes(plan.jobs, ids, '  '),
    ...edges(plan.jobs, ids),
    '  classDef idle stroke-dasharray: 4',
  ];
  return lines.map((line) => `${line}\n`).join('');
}

/** Keys of jobs have characters that ids may not have. */
function idsOf(jobs: readonly PlannedJob[]): ReadonlyMap<string, string> {
  return new Map(allJobs(jobs).map(({ key }, index) => [key, `job${index + 1}`]));
}

const allJobs = (jobs: readonly PlannedJob[]): readonly PlannedJob[] =>
  jobs.flatMap((job) => [job, ...allJobs(job.jobs)]);

function nodes(
  jobs: readonly PlannedJob[],
  ids: ReadonlyMap<string, string>,
  indent: string,
): readonly string[] {
  return jobs.flatMap((job) => {
    const id = ids.get(job.key) ?? '';
    const style = job.runs === false ? ':::idle' : '';
    if (job.jobs.length === 0) return [`${indent}${id}["${label(job)}"]${style}`];
    return [
      `${indent}subgraph ${id}["${label(job)}"]`,
      ...nodes(job.jobs, ids, `${indent}  `),
      `${indent}end`,
    ];
  });
}

function edges(jobs: readonly PlannedJob[], ids: ReadonlyMap<string, string>): readonly string[] {
  return allJobs(jobs).flatMap((job) =>
    job.needs.map((need) => `  ${ids.get(need) ?? ''} --> ${ids.get(job.key) ?? ''}`),
  );
}

function label({ name, runsOn, condition, open, error }: PlannedJob): string {
  const parts = [
    name,
    ...(runsOn.length === 0 ? [] : [runsOn.map(({ text }) => text).join(', ')]),
    ...(condition === null ? [] : [`if ${condition}`]),
    ...(open === null ? [] : [open]),
    ...(error === null ? [] : [`error: ${error}`]),
  ];
  return parts.map(escaped).join('<br>');
}

/** Characters that quoted texts must escape. */
const ENTITIES: Readonly<Record<string, string>> = {
  '"': '#quot;',
  '#': '#35;',
  '<': '#lt;',
  '>': '#gt;',
};

const escaped = (text: string): string =>
  cleanLine(text).replace(/["#<>]/g, (character) => ENTITIES[character] ?? '');
