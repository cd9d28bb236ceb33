/** The texts of a manifest that may be or have expressions, each with the properties of its place. */

import { OPENING } from '@tutti/expressions';
import type { Hook, WorkflowJob, WorkflowManifest } from '@tutti/manifests';
import { dictionary } from '@tutti/manifests';
import type { DocumentPath } from '@tutti/manifests/documents';

/** Place of a text, which decides the contexts of its expressions. */
export interface TextPlace {
  /** The jobs around it, outermost first; none for what belongs to the whole workflow. */
  readonly jobs: readonly PlacedJob[];
  readonly part: TextPart;
  /** Index of the step in its job; null elsewhere. */
  readonly stepIndex: number | null;
}

export interface PlacedJob {
  readonly name: string;
  readonly job: WorkflowJob;
  /** The jobs that it may need. */
  readonly beside: WorkflowManifest['jobs'];
}

export type TextPart =
  | 'workflow'
  | 'workflow-variables'
  | 'workflow-outputs'
  | 'addresses'
  | 'job'
  | 'job-strategy'
  | 'job-concurrency'
  | 'job-continue-on-error'
  | 'job-if'
  | 'job-variables'
  | 'job-outputs'
  | 'step'
  | 'hook'
  /** Defaults apply to any steps. */
  | 'defaults'
  /** Where nothing is evaluated, or nothing is known of it. */
  | 'other';

export interface ManifestText {
  readonly path: DocumentPath;
  readonly text: string;
  /** In a condition `${{ }}` may be left out. */
  readonly isCondition: boolean;
  readonly place: TextPlace;
}

/** Keys of a workflow that have no expressions, or whose expressions are not those of the run. */
const PLAIN_KEYS: ReadonlySet<string> = new Set([
  'apiVersion',
  'kind',
  'metadata',
  'inputs',
  'secrets',
]);

export function manifestTexts(manifest: WorkflowManifest): readonly ManifestText[] {
  return Object.entries(manifest)
    .filter(([key]) => !PLAIN_KEYS.has(key) && key !== 'jobs')
    .flatMap(([key, value]) => textsOfKey(manifest, key, value))
    .concat(textsOfJobs(manifest.jobs, ['jobs'], []));
}

function textsOfKey(
  manifest: WorkflowManifest,
  key: string,
  value: unknown,
): readonly ManifestText[] {
  switch (key) {
    case 'resources':
      return textsOfResources(manifest);
    case 'hooks':
      return hookTexts(manifest.hooks ?? []);
    case 'outputs':
      return textsOfOutputs(manifest.outputs ?? {}, ['outputs'], workflowPlace('outputs'));
    case 'defaults':
      return textsOfDefaults(manifest.defaults, [key]);
    case 'strategy':
      // The matrix of a workflow has no effect.
      return textsIn({ ...manifest.strategy, matrix: null }, [key], workflowPlace(key));
    default:
      return textsIn(value, [key], workflowPlace(key));
  }
}

/** Texts of hooks, of a workflow or of an operator's file. Their names and `events` are not evaluated. */
export function hookTexts(hooks: readonly Hook[]): readonly ManifestText[] {
  const evaluated = hooks.map(({ name: _, events: __, ...hook }) => hook);
  return textsIn(evaluated, ['hooks'], workflowPlace('hooks'));
}

/** Descriptions of outputs are not evaluated. */
function textsOfOutputs(
  outputs: NonNullable<WorkflowManifest['outputs']>,
  path: DocumentPath,
  place: TextPlace,
): readonly ManifestText[] {
  return Object.entries(outputs).flatMap(([name, output]) =>
    typeof output === 'object'
      ? textsIn(output.value, [...path, name, 'value'], place)
      : textsIn(output, [...path, name], place),
  );
}

/** Other defaults have no effect. */
const textsOfDefaults = (
  defaults: WorkflowJob['defaults'],
  path: DocumentPath,
): readonly ManifestText[] => textsIn(defaults?.run, [...path, 'run'], workflowPlace('defaults'));

const WORKFLOW_PARTS: Readonly<Record<string, TextPart>> = dictionary<TextPart>({
  concurrency: 'workflow',
  strategy: 'workflow',
  'timeout-minutes': 'workflow',
  variables: 'workflow-variables',
  outputs: 'workflow-outputs',
  hooks: 'hook',
  defaults: 'defaults',
});

const workflowPlace = (key: string): TextPlace => ({
  jobs: [],
  part: WORKFLOW_PARTS[key] ?? 'other',
  stepIndex: null,
});

/** Only the addresses of resources are evaluated. */
function textsOfResources({ resources = {} }: WorkflowManifest): readonly ManifestText[] {
  const place: TextPlace = { jobs: [], part: 'addresses', stepIndex: null };
  return RESOURCE_KINDS.flatMap((kind) =>
    (resources[kind] ?? []).flatMap((entry, index) =>
      Object.entries(Object(entry)).flatMap(([key, value]) =>
        ADDRESS_KEYS[kind].includes(key)
          ? textsIn(value, ['resources', kind, index, key], place)
          : [],
      ),
    ),
  );
}

const RESOURCE_KINDS = ['files', 'repositories', 'testmanagers'] as const;

const ADDRESS_KEYS: Readonly<Record<(typeof RESOURCE_KINDS)[number], readonly string[]>> = {
  files: ['url'],
  repositories: ['endpoint', 'repository'],
  testmanagers: ['endpoint', 'testmanager'],
};

const JOB_PARTS: Readonly<Record<string, TextPart>> = dictionary<TextPart>({
  concurrency: 'job-concurrency',
  'continue-on-error': 'job-continue-on-error',
  if: 'job-if',
  name: 'job',
  outputs: 'job-outputs',
  'runs-on': 'job',
  strategy: 'job-strategy',
  'timeout-minutes': 'job',
  uses: 'job',
  variables: 'job-variables',
  with: 'job',
});

function textsOfJobs(
  jobs: WorkflowManifest['jobs'],
  path: DocumentPath,
  around: readonly PlacedJob[],
): readonly ManifestText[] {
  return Object.entries(jobs).flatMap(([name, job]) =>
    textsOfJob(job, [...path, name], [...around, { name, job, beside: jobs }]),
  );
}

function textsOfJob(
  job: WorkflowJob,
  path: DocumentPath,
  jobs: readonly PlacedJob[],
): readonly ManifestText[] {
  return Object.entries(job).flatMap(([key, value]) => {
    if (key === 'jobs') return textsOfJobs(job.jobs ?? {}, [...path, key], jobs);
    if (key === 'steps') return textsOfSteps(job.steps ?? [], [...path, key], jobs);
    if (key === 'defaults') return textsOfDefaults(job.defaults, [...path, key]);
    const place = { jobs, part: JOB_PARTS[key] ?? 'other', stepIndex: null };
    if (key === 'outputs') return textsOfOutputs(job.outputs ?? {}, [...path, key], place);
    return textsIn(value, [...path, key], place);
  });
}

function textsOfSteps(
  steps: readonly unknown[],
  path: DocumentPath,
  jobs: readonly PlacedJob[],
): readonly ManifestText[] {
  return steps.flatMap((step, stepIndex) =>
    textsIn(step, [...path, stepIndex], { jobs, part: 'step', stepIndex }),
  );
}

/** Where a condition stands, counted from the key of a workflow or of a job, or from a step. */
function isCondition(path: DocumentPath, root: DocumentPath, part: TextPart): boolean {
  if (path.at(-1) !== 'if') return false;
  if (part === 'job-if') return true;
  const within = path.slice(root.length);
  if (part === 'step') return within.length === 1;
  // The condition of a hook, or of a step of a hook: `hooks[0].if`, `hooks[0].before[1].if`.
  return (
    part === 'hook' && (within.length === 2 || (within.length === 4 && within[1] !== 'events'))
  );
}

/** A text without expressions needs no check. */
const mayHaveExpressions = (text: string, key: string | number | undefined): boolean =>
  key === 'if' || text.includes(OPENING);

/** The texts of a value that may have expressions; it lies at `root`. */
function textsIn(value: unknown, root: DocumentPath, place: TextPlace): readonly ManifestText[] {
  const texts: ManifestText[] = [];
  // The visit changes one path: most texts have no expressions, and need no path of their own.
  const path = [...root];
  const visit = (each: unknown): void => {
    if (typeof each === 'string') {
      if (!mayHaveExpressions(each, path.at(-1))) return;
      const ofText = [...path];
      const condition = isCondition(ofText, root, place.part);
      texts.push({ path: ofText, text: each, isCondition: condition, place });
    } else if (typeof each === 'object' && each !== null) {
      const isList = Array.isArray(each);
      for (const [key, child] of Object.entries(each)) {
        path.push(isList ? Number(key) : key);
        visit(child);
        path.pop();
      }
    }
  };
  visit(value);
  return texts;
}
