/** The contexts at each place of a manifest (wire facts 6.7), as far as they are known before the run. */
import type { WorkflowJob, WorkflowManifest } from '@tutti/manifests';
import { calledFile } from './called-files.ts';
import type { PlacedJob, TextPart, TextPlace } from './manifest-texts.ts';
import { NO_NAME } from './stand-ins.ts';
import type { WorkflowUse } from './workflow-use.ts';

/** A context, or a map in it, as a check before the run sees it. Asked for one name at a time, as there may be thousands. */
export interface KnownMembers {
  /** A member; undefined when there is none. */
  readonly get: (name: string) => KnownMembers | undefined;
  /** The names that exist, for hints. */
  readonly names: () => Iterable<string>;
  /** The sentence for a member that is not there. */
  readonly missing: (name: string) => string;
  /** Whether such a member is always an error. Else the last name of a path may be unknown, as for existing servers. */
  readonly refusesUnknown: boolean;
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
  addresses: rules(['opentf', 'inputs', 'secrets', 'variables'], false),
  job: rules(OF_JOBS, true),
  // Without status functions: the name of the group must not change while the job waits for it.
  'job-concurrency': rules(OF_JOBS, false),
  'job-continue-on-error': rules(OF_JOBS, true),
  'job-if': rules([...EVERYWHERE, 'needs'], true),
  'job-strategy': rules([...EVERYWHERE, 'needs'], true),
  'job-variables': rules([...OF_JOBS, 'runner'], false),
  'job-outputs': rules(OF_STEPS, true),
  step: rules(OF_STEPS, true),
  defaults: rules(OF_STEPS, true),
  hook: rules(OF_STEPS, true),
};

/** `continue-on-error` is evaluated when the bundle ends. Status functions exist only where jobs begin, and in steps. */
const BUNDLE_CONTINUE_ON_ERROR = rules(OF_JOBS, false);

/** The condition of a job is evaluated before its own matrix, which needs its strategy. Matrices around it exist by then. */
const BEFORE_MATRIX: ReadonlySet<TextPart> = new Set(['job-if', 'job-strategy']);
const BEFORE_MATRIX_IN_MATRIX = rules([...EVERYWHERE, 'needs', 'matrix'], true);

const hasMatrix = ({ job }: PlacedJob): boolean => job.strategy?.matrix !== undefined;

/** Outputs of a bundle speak of its jobs, and not of steps that it does not have. */
const BUNDLE_OUTPUTS = rules([...OF_JOBS, 'jobs'], false);

/** Rules for a job without a form, or with a misspelt one: it may have steps, or jobs. */
const FORMLESS = rules([...OF_STEPS, 'jobs'], true);
const OF_FORM: ReadonlySet<TextPart> = new Set(['job-outputs', 'job-continue-on-error']);

const isFormless = ({ steps, jobs, generator, uses }: WorkflowJob): boolean =>
  [steps, jobs, generator, uses].every((form) => form === undefined);

/** The rules of a place; null where there are none. */
export function rulesOf({ part, jobs }: TextPlace): PartRules | null {
  if (part === 'other') return null;
  if (BEFORE_MATRIX.has(part) && jobs.slice(0, -1).some(hasMatrix)) return BEFORE_MATRIX_IN_MATRIX;
  const job = jobs.at(-1)?.job;
  if (job !== undefined && isFormless(job) && OF_FORM.has(part)) return FORMLESS;
  const isOfBundle = job?.steps === undefined;
  if (isOfBundle && part === 'job-outputs') return BUNDLE_OUTPUTS;
  return isOfBundle && part === 'job-continue-on-error'
    ? BUNDLE_CONTINUE_ON_ERROR
    : PART_RULES[part];
}

export interface CheckedWorkflow {
  readonly manifest: WorkflowManifest;
  readonly use: WorkflowUse;
  /** Outputs of workflows in files of the run; absent where nobody has read the files. */
  readonly outputsOf?: OutputsOfFile | undefined;
}

/** The outputs of the workflow in a file, as it declares them; null where they are not known. */
export type OutputsOfFile = (file: string) => WorkflowManifest['outputs'] | null;

const OF_THE_RUN: ReadonlySet<string> = new Set(['inputs', 'secrets', 'resources']);

/** Members of a context at a place. Null when they are not known, or when the context has no fixed members. */
export function knownContext(
  name: string,
  place: TextPlace,
  { manifest, use, outputsOf }: CheckedWorkflow,
): KnownMembers | null {
  if (use === 'generated' && OF_THE_RUN.has(name)) return null;
  switch (name) {
    case 'inputs':
      return keysAs(manifest.inputs, (key) => `there is no input "${key}"`);
    case 'secrets':
      return keysAs(manifest.secrets, (key) => `there is no secret "${key}"`);
    case 'resources':
      return knownResources(manifest, use);
    case 'needs':
      return place.jobs.length === 0 ? null : knownNeeds(place.jobs, outputsOf);
    case 'steps':
      return knownSteps(place);
    case 'matrix':
      return knownMatrix(place);
    case 'jobs':
      return knownJobsAt(place, manifest, outputsOf);
    case 'opentf':
      return keysAs(OF_OPENTF, (key) => `the context "opentf" has no "${key}"`);
    case 'job':
      return keysAs({ status: '' }, (key) => `the context "job" has no "${key}"`);
    case 'runner':
      return keysAs({ os: '', temp: '' }, (key) => `the context "runner" has no "${key}"`);
    default:
      return null;
  }
}

/** A token is known, and empty. */
const OF_OPENTF = { workflow: '', namespace: '', job: '', actor: '', step: '', token: '' };

/** Members that cannot be known: every name is accepted. */
const ANYTHING: KnownMembers = {
  get: () => ANYTHING,
  names: () => [],
  missing: () => '',
  refusesUnknown: false,
};

/** The keys of a map, of which nothing more is known. A misspelt key may have meant any name. */
const keysAs = (map: object | undefined = {}, missing: KnownMembers['missing']): KnownMembers => ({
  get: (name) => (Object.hasOwn(map, name) || Object.hasOwn(map, NO_NAME) ? ANYTHING : undefined),
  names: () => Object.keys(map),
  missing,
  refusesUnknown: false,
});

/** Made once for each object that it speaks of: the expressions of a text may ask thousands of times. */
function once<Key extends object, T>(make: (key: Key) => T): (key: Key) => T {
  const made = new WeakMap<Key, T>();
  return (key) => {
    const known = made.get(key) ?? make(key);
    made.set(key, known);
    return known;
  };
}

const RESOURCE_KINDS = {
  files: 'file',
  repositories: 'repository',
  testmanagers: 'test manager',
} as const;

/** Repositories and test managers of a called workflow are those of the started one. */
function knownResources({ resources = {} }: WorkflowManifest, use: WorkflowUse): KnownMembers {
  const entries = Object.entries(RESOURCE_KINDS).map(([kind, noun]) => {
    if (use !== 'started' && kind !== 'files') return [kind, ANYTHING] as const;
    const names = namesOfList(listIn(resources, kind));
    const missing = (key: string) => `there is no resource ${noun} "${key}"`;
    return [kind, keysAs(names, missing)] as const;
  });
  const kinds = new Map(entries);
  return {
    get: (name) => kinds.get(name),
    names: () => kinds.keys(),
    missing: (key) => `the context "resources" has no "${key}"`,
    refusesUnknown: false,
  };
}

const NO_ENTRIES: readonly unknown[] = [];

/** Entries of resources are texts, or maps with a name; as the keys of a map. */
const namesOfList = once((list: object): object => {
  const names = Object.values(list).flatMap((entry: unknown) => {
    if (typeof entry === 'string') return [entry];
    const name = typeof entry === 'object' && entry !== null ? entryOf(entry, 'name') : undefined;
    return typeof name === 'string' ? [name] : [];
  });
  return Object.fromEntries(names.map((name) => [name, '']));
});

function listIn(map: object, key: string): readonly unknown[] {
  const value = entryOf(map, key);
  return Array.isArray(value) ? value : NO_ENTRIES;
}

const entryOf = (map: object, key: string): unknown =>
  Object.getOwnPropertyDescriptor(map, key)?.value;

const ownNeeds = once(({ needs = [] }: WorkflowJob) => new Set([needs].flat()));

/** Jobs that a job, or a bundle around it, needs. */
function knownNeeds(jobs: readonly PlacedJob[], outputsOf?: OutputsOfFile): KnownMembers {
  return {
    get(name) {
      const needing = jobs.findLast(({ job }) => ownNeeds(job).has(name));
      if (needing !== undefined) return knownOutcome(name, needing.beside[name], outputsOf);
      // A misspelt entry of `needs` may have meant this job.
      return jobs.some(({ job }) => ownNeeds(job).has(NO_NAME)) ? ANYTHING : undefined;
    },
    names: () => jobs.flatMap(({ job }) => [...ownNeeds(job)]),
    missing: (key) => `"${key}" is not in the "needs" of this job`,
    refusesUnknown: true,
  };
}

/** Jobs of a bundle, or of the workflow; null where nobody knows whether a job is a bundle. */
function knownJobsAt(
  { jobs }: TextPlace,
  manifest: WorkflowManifest,
  outputsOf?: OutputsOfFile,
): KnownMembers | null {
  const job = jobs.at(-1)?.job;
  if (job !== undefined && isFormless(job)) return null;
  return knownJobs(job?.jobs ?? manifest.jobs, outputsOf);
}

function knownJobs(jobs: WorkflowManifest['jobs'], outputsOf?: OutputsOfFile): KnownMembers {
  return {
    get: (name) =>
      Object.hasOwn(jobs, name) ? knownOutcome(name, jobs[name], outputsOf) : undefined,
    names: () => Object.keys(jobs),
    missing: (key) => `there is no job "${key}" here`,
    refusesUnknown: true,
  };
}

function knownOutcome(
  name: string,
  job: WorkflowJob | undefined,
  outputsOf?: OutputsOfFile,
): KnownMembers {
  const members = { result: ANYTHING, outputs: knownOutputs(name, job, outputsOf) };
  return {
    get: (key) => (key === 'result' || key === 'outputs' ? members[key] : undefined),
    names: () => Object.keys(members),
    missing: (key) => `of a job there are "result" and "outputs", not "${key}"`,
    refusesUnknown: false,
  };
}

/** Outputs of jobs that come from elsewhere are known there. */
function knownOutputs(
  name: string,
  job: WorkflowJob | undefined,
  outputsOf?: OutputsOfFile,
): KnownMembers {
  const file = job === undefined ? null : calledFile(job);
  const given = file === null ? null : (outputsOf?.(file) ?? null);
  if (given !== null) {
    return keysAs(given, (key) => `job "${name}" calls "${file}", which has no output "${key}"`);
  }
  const isHere = job !== undefined && (job.steps !== undefined || job.jobs !== undefined);
  return isHere ? keysAs(job.outputs, (key) => `job "${name}" has no output "${key}"`) : ANYTHING;
}

const OF_STEP = keysAs(
  { outputs: '', outcome: '', conclusion: '' },
  (key) => `of a step there are "outputs", "outcome" and "conclusion", not "${key}"`,
);

type Steps = NonNullable<WorkflowJob['steps']>;

const indexById = once(
  (steps: Steps) =>
    // Several steps may share an id: from the first one on, the id exists.
    new Map(
      steps.flatMap(({ id }, index) => (id === undefined ? [] : [[id, index] as const])).reverse(),
    ),
);

function knownSteps({ part, jobs, stepIndex }: TextPlace): KnownMembers | null {
  const steps = jobs.at(-1)?.job.steps;
  // The `steps` in a hook are those of the job or function around which it runs.
  if (part === 'hook' || steps === undefined) return null;
  const indexes = indexById(steps);
  const isBefore = (index: number) => stepIndex === null || index < stepIndex;
  return {
    get(id) {
      const index = indexes.get(id);
      return index !== undefined && isBefore(index) ? OF_STEP : undefined;
    },
    names: () => [...indexes].flatMap(([id, index]) => (isBefore(index) ? [id] : [])),
    missing: (key) =>
      indexes.has(key)
        ? `the step "${key}" has not run yet here`
        : `no step ${stepIndex === null ? 'of this job' : 'before this one'} has the id "${key}"`,
    refusesUnknown: true,
  };
}

/** Null when the matrix is an expression, or is that of the job of a hook. */
function knownMatrix({ part, jobs }: TextPlace): KnownMembers | null {
  if (part === 'hook' || jobs.length === 0) return null;
  const seen = BEFORE_MATRIX.has(part) ? jobs.slice(0, -1) : jobs;
  const matrices = seen.flatMap(({ job }) => job.strategy?.matrix ?? []);
  // Without a matrix around, the context does not exist.
  if (matrices.length === 0) {
    return { ...keysAs({}, () => 'this job has no matrix'), refusesUnknown: true };
  }
  const known = matrices.map((matrix) =>
    typeof matrix === 'object' && matrix !== null ? namesOfMatrix(matrix).names : null,
  );
  if (known.includes(null)) return null;
  return {
    get: (name) => (known.some((names) => names?.has(name) === true) ? ANYTHING : undefined),
    names: () => known.flatMap((names) => [...(names ?? [])]),
    missing: (key) => `the matrix of this job has no "${key}"`,
    refusesUnknown: false,
  };
}

/** Names of axes and of included entries; null where an entry is an expression. */
const namesOfMatrix = once((matrix: object): { readonly names: ReadonlySet<string> | null } => {
  const include = entryOf(matrix, 'include') ?? NO_ENTRIES;
  const entries: readonly unknown[] = Array.isArray(include) ? include : [include];
  const maps = entries.flatMap((entry) =>
    typeof entry === 'object' && entry !== null ? [entry] : [],
  );
  if (maps.length < entries.length) return { names: null };
  const axes = Object.keys(matrix).filter((key) => key !== 'include' && key !== 'exclude');
  return { names: new Set([...axes, ...maps.flatMap((map) => Object.keys(map))]) };
});
