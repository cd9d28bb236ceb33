/** What expressions can see in which place of a manifest (wire facts 6.7), and what is known of it before anything runs. */
import type { WorkflowJob, WorkflowManifest } from '@tutti/manifests';
import type { PlacedJob, TextPart, TextPlace } from './manifest-texts.ts';

/** A context, or a map in it, as a check before the run sees it. */
export interface KnownMembers {
  /** Null where nobody can tell which there are. */
  readonly members: ReadonlyMap<string, KnownMembers> | null;
  /** The sentence for a member that is not there. */
  readonly missing: (name: string) => string;
}

const EVERYWHERE = ['opentf', 'inputs', 'resources', 'variables', 'secrets'] as const;
const OF_JOBS = [...EVERYWHERE, 'needs', 'matrix'] as const;
const OF_STEPS = [...OF_JOBS, 'job', 'steps', 'runner'] as const;

export type ContextName = (typeof OF_STEPS)[number] | 'jobs';

/** Contexts that mean something elsewhere: in scopes of test cases, in insights. */
export const OTHER_CONTEXTS = ['test', 'workflow', 'jobs'] as const;
export const ALL_CONTEXTS: readonly string[] = [...OF_STEPS, ...OTHER_CONTEXTS];

interface PartRules {
  readonly contexts: readonly ContextName[];
  /** Whether `success()` and its like say something there. */
  readonly hasStatusFunctions: boolean;
}

const rules = (contexts: readonly ContextName[], hasStatusFunctions: boolean): PartRules => ({
  contexts,
  hasStatusFunctions,
});

/** Variables of a workflow are evaluated for each job that asks, so they see what such a job does. */
export const PART_RULES: Readonly<Record<Exclude<TextPart, 'other'>, PartRules>> = {
  workflow: rules(EVERYWHERE, false),
  'workflow-variables': rules([...OF_JOBS, 'runner'], false),
  'workflow-outputs': rules([...EVERYWHERE, 'jobs'], false),
  job: rules(OF_JOBS, true),
  'job-if': rules([...EVERYWHERE, 'needs'], true),
  'job-variables': rules([...OF_JOBS, 'runner'], false),
  'job-outputs': rules(OF_STEPS, true),
  step: rules(OF_STEPS, true),
  hook: rules(OF_STEPS, true),
};

/** Outputs of a bundle speak of its jobs, and not of steps that it does not have. */
const BUNDLE_OUTPUTS = rules([...OF_JOBS, 'jobs'], true);

/** The rules of a place; null where there are none. */
export function rulesOf({ part, jobs }: TextPlace): PartRules | null {
  if (part === 'other') return null;
  const isOfBundle = part === 'job-outputs' && jobs.at(-1)?.job.steps === undefined;
  return isOfBundle ? BUNDLE_OUTPUTS : PART_RULES[part];
}

/** What is known of a context at a place; null when nothing is, or when the context has no fixed members. */
export function knownContext(
  name: string,
  place: TextPlace,
  manifest: WorkflowManifest,
): KnownMembers | null {
  switch (name) {
    case 'inputs':
      return leaves(keysOf(manifest.inputs), (key) => `there is no input "${key}"`);
    case 'secrets':
      return leaves(keysOf(entryOf(manifest, 'secrets')), (key) => `there is no secret "${key}"`);
    case 'resources':
      return knownResources(manifest);
    case 'needs':
      return place.jobs.length === 0 ? null : knownNeeds(place.jobs);
    case 'steps':
      return knownSteps(place);
    case 'matrix':
      return knownMatrix(place);
    case 'jobs':
      return knownJobs(place.jobs.at(-1)?.job.jobs ?? manifest.jobs);
    case 'job':
      return leaves(['status'], (key) => `the context "job" has no "${key}"`);
    case 'runner':
      return leaves(['os', 'temp'], (key) => `the context "runner" has no "${key}"`);
    default:
      return null;
  }
}

function leaves(names: readonly string[], missing: (name: string) => string): KnownMembers {
  return { members: new Map(names.map((name) => [name, ANYTHING])), missing };
}

const ANYTHING: KnownMembers = { members: null, missing: () => '' };

const keysOf = (map: unknown): readonly string[] =>
  typeof map === 'object' && map !== null ? Object.keys(map) : [];

const entryOf = (map: object, key: string): unknown =>
  Object.getOwnPropertyDescriptor(map, key)?.value;

function knownResources({ resources = {} }: WorkflowManifest): KnownMembers {
  const kinds = [
    ['files', 'file'],
    ['repositories', 'repository'],
    ['testmanagers', 'test manager'],
  ] as const;
  const members = kinds.map(([kind, noun]) => {
    const names = namesIn(entryOf(resources, kind));
    return [kind, leaves(names, (key) => `there is no resource ${noun} "${key}"`)] as const;
  });
  return {
    members: new Map(members),
    missing: (key) => `the context "resources" has no "${key}"`,
  };
}

/** Entries of resources are texts, or maps with a name. */
function namesIn(list: unknown): readonly string[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((entry: unknown) => {
    if (typeof entry === 'string') return [entry];
    const name = typeof entry === 'object' && entry !== null ? entryOf(entry, 'name') : undefined;
    return typeof name === 'string' ? [name] : [];
  });
}

/** What a job needs, and what the bundles need that it is in. */
function knownNeeds(jobs: readonly PlacedJob[]): KnownMembers {
  const members = jobs.flatMap(({ job, beside }) =>
    [job.needs ?? []].flat().map((name) => [name, knownOutcome(name, beside[name])] as const),
  );
  return {
    members: new Map(members),
    missing: (key) => `"${key}" is not in the "needs" of this job`,
  };
}

function knownJobs(jobs: WorkflowManifest['jobs']): KnownMembers {
  const members = Object.entries(jobs).map(
    ([name, job]) => [name, knownOutcome(name, job)] as const,
  );
  return { members: new Map(members), missing: (key) => `there is no job "${key}" here` };
}

function knownOutcome(name: string, job: WorkflowJob | undefined): KnownMembers {
  const members = new Map([
    ['result', ANYTHING],
    ['outputs', knownOutputs(name, job)],
  ]);
  return { members, missing: (key) => `of a job there are "result" and "outputs", not "${key}"` };
}

/** Outputs of jobs that come from elsewhere are known there. */
function knownOutputs(name: string, job: WorkflowJob | undefined): KnownMembers {
  const isHere = job !== undefined && (job.steps !== undefined || job.jobs !== undefined);
  if (!isHere) return ANYTHING;
  return leaves(keysOf(job.outputs), (key) => `job "${name}" has no output "${key}"`);
}

const OF_STEP = new Map(['outputs', 'outcome', 'conclusion'].map((key) => [key, ANYTHING]));

function knownSteps({ part, jobs, stepIndex }: TextPlace): KnownMembers | null {
  // The steps of a hook are those of what it is for.
  if (part === 'hook') return null;
  const steps = jobs.at(-1)?.job.steps ?? [];
  const before = stepIndex === null ? steps : steps.slice(0, stepIndex);
  const known: KnownMembers = {
    members: OF_STEP,
    missing: (key) => `of a step there are "outputs", "outcome" and "conclusion", not "${key}"`,
  };
  return {
    members: new Map(before.flatMap(({ id }) => (id === undefined ? [] : [[id, known]]))),
    missing: (key) =>
      steps.some(({ id }) => id === key)
        ? `the step "${key}" has not run yet here`
        : `no step ${stepIndex === null ? 'of this job' : 'before this one'} has the id "${key}"`,
  };
}

/** Null when the matrix is an expression, or is that of the job of a hook. */
function knownMatrix({ part, jobs }: TextPlace): KnownMembers | null {
  if (part === 'hook' || jobs.length === 0) return null;
  const matrices = jobs.flatMap(({ job }) => {
    const strategy = entryOf(job, 'strategy');
    const matrix =
      typeof strategy === 'object' && strategy !== null ? entryOf(strategy, 'matrix') : undefined;
    return matrix === undefined ? [] : [matrix];
  });
  if (matrices.length === 0) return leaves([], () => 'this job has no matrix');
  const included = matrices.map((matrix) => namesOfMatrix(matrix));
  if (included.some((names) => names === null)) return null;
  const names = included.flatMap((each) => each ?? []);
  return leaves(names, (key) => `the matrix of this job has no "${key}"`);
}

function namesOfMatrix(matrix: unknown): readonly string[] | null {
  if (typeof matrix !== 'object' || matrix === null) return null;
  const include = entryOf(matrix, 'include') ?? [];
  if (!Array.isArray(include) || include.some((entry) => typeof entry !== 'object')) return null;
  const axes = Object.keys(matrix).filter((key) => key !== 'include' && key !== 'exclude');
  return [...axes, ...include.flatMap(keysOf)];
}
