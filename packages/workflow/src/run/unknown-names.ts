/**
 * Unknown names that only the run can find. They are inputs that generated jobs read, and outputs of jobs from elsewhere. They are empty,
 * as existing workflows expect, so the run warns of them.
 */
import { referencesIn, referencesOf } from '@tutti/expressions';
import { type GeneratorResultEvent, isOrchestratorError, type WorkflowJob } from '@tutti/manifests';
import {
  bundleSeenFrom,
  calledAround,
  jobsOfBundle,
  jobsOfWorkflow,
  nameOfKey,
  parentOf,
} from './job-tree.ts';
import type { Job, Run } from './run.ts';

/** Names that one warning lists. */
const SHOWN_MAX = 20;

/** Warnings about a bundle when its jobs come: names of inputs and outputs that do not exist. */
export function unknownNames(run: Run, job: Job, event: GeneratorResultEvent): readonly string[] {
  const ofJobs = job.bundle?.category === 'generator' ? unknownInputs(run, job, event) : [];
  const inputs = named('input', ofJobs);
  const outputs = named('output', unknownOutputs(run, job, Object.keys(event.outputs ?? {})));
  return [
    ...(inputs === null
      ? []
      : [`The jobs of "${job.name}" read the ${inputs}, which the workflow does not have.`]),
    ...(outputs === null
      ? []
      : [`Job "${job.name}" does not give the ${outputs}, which others read.`]),
  ];
}

function unknownInputs(run: Run, job: Job, { jobs, outputs }: GeneratorResultEvent): string[] {
  const known = calledAround(run, job)?.inputs ?? { ...run.manifest.inputs, ...run.inputs };
  return pathsIn([jobs, outputs]).flatMap(([context, name]) =>
    context === 'inputs' && name !== undefined && !Object.hasOwn(known, name) ? [name] : [],
  );
}

/** Outputs that are read in dependent jobs beside it, and in outputs of the bundle or workflow around it. */
function unknownOutputs(run: Run, job: Job, given: readonly string[]): string[] {
  const own = nameOfKey(job.key);
  const around = parentOf(run, job);
  const beside = around === null ? jobsOfWorkflow(run) : jobsOfBundle(run, around);
  const needing = beside.filter(({ definition }) => [definition.needs ?? []].flat().includes(own));
  const outputs =
    around === null ? run.manifest.outputs : bundleOutputs(around, bundleSeenFrom(run, job));
  const isOf = (context: string | undefined, name: string | undefined) =>
    (context === 'needs' || context === 'jobs') && name === own;
  const paths = pathsIn([
    needing.map(({ definition }) => withoutSameName(definition, own)),
    outputs,
  ]);
  return paths.flatMap(([context, name, member, output]) =>
    isOf(context, name) && member === 'outputs' && output !== undefined && !given.includes(output)
      ? [output]
      : [],
  );
}

const bundleOutputs = (around: Job, seen: Job | null): unknown =>
  seen === null ? around.bundle?.outputs : around.definition.outputs;

/** Jobs inside of it may have one of that name among them, and mean that. */
function withoutSameName({ jobs, ...definition }: WorkflowJob, name: string): WorkflowJob {
  return jobs === undefined || Object.hasOwn(jobs, name) ? definition : { ...definition, jobs };
}

/** References in the texts of a value; conditions need no delimiters. */
function pathsIn(value: unknown, key = ''): readonly (readonly string[])[] {
  if (typeof value === 'string') return pathsOf(value, key === 'if');
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, child]) => pathsIn(child, name));
}

function pathsOf(text: string, isCondition: boolean): readonly (readonly string[])[] {
  if (!/\b(?:inputs|needs|jobs)\b/.test(text)) return [];
  try {
    return (isCondition ? referencesOf(text) : referencesIn(text)).paths;
  } catch (error) {
    // A syntax error is reported where the expression is evaluated.
    if (!isOrchestratorError(error)) throw error;
    return [];
  }
}

function named(what: string, names: readonly string[]): string | null {
  const each = [...new Set(names)];
  if (each.length === 0) return null;
  const shown = each.slice(0, SHOWN_MAX).map((name) => `"${name}"`);
  const more = each.length > SHOWN_MAX ? ` and ${each.length - SHOWN_MAX} more` : '';
  return `${what}${each.length === 1 ? '' : 's'} ${shown.join(', ')}${more}`;
}
