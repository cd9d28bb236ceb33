/** Expressions where nothing is evaluated, though an author may expect it: they would silently stay as they are written. */
import { CLOSING, OPENING } from '@tutti/expressions';
import type { Hook, WorkflowJobs, WorkflowManifest } from '@tutti/manifests';
import type { DocumentPath, Problem, TextPiece } from '@tutti/manifests/documents';

/** Hints: plain text that replaces the expression. */
const HINTS = {
  default: 'leave the default out, and write "inputs.NAME || …" where the input is read',
  event: 'write the name out, or "_" for any',
  key: 'names in maps stay as they are written',
  name: 'names are the same in every run, so write this one out',
  option: 'write the options out',
  secret: 'give its value when the run is started, or make it a variable',
} as const;

type Plain = keyof typeof HINTS;

/** The manifest must fit its schema. Texts for people, such as descriptions, may have whatever they want. */
export function plainTextProblems(manifest: WorkflowManifest): readonly Problem[] {
  const { inputs = {}, secrets = {}, resources = {}, hooks = [], jobs } = manifest;
  return [
    ...problemsOfInputs(inputs),
    ...textsIn(secrets, ['secrets'], 'secret'),
    ...problemsOfResources(resources),
    ...plainHookProblems(hooks),
    ...problemsOfJobs(jobs, ['jobs']),
  ];
}

/** Checks hooks that are no part of a workflow. */
export function plainHookProblems(hooks: readonly Hook[]): readonly Problem[] {
  return hooks.flatMap(({ events, before = [], after = [] }, index) => [
    ...textsIn(events, ['hooks', index, 'events'], 'event'),
    ...problemsOfSteps(before, ['hooks', index, 'before']),
    ...problemsOfSteps(after, ['hooks', index, 'after']),
  ]);
}

function problemsOfInputs(inputs: NonNullable<WorkflowManifest['inputs']>): readonly Problem[] {
  return Object.entries(inputs).flatMap(([name, { default: value, options }]) => [
    ...problemOfKey(name, ['inputs']),
    ...textsIn(value, ['inputs', name, 'default'], 'default'),
    ...textsIn(options, ['inputs', name, 'options'], 'option'),
  ]);
}

function problemsOfResources({
  files = [],
  repositories = [],
  testmanagers = [],
}: NonNullable<WorkflowManifest['resources']>): readonly Problem[] {
  const ofFiles = files.flatMap((file, index) => {
    const path = ['resources', 'files', index];
    return typeof file === 'string'
      ? textsIn(file, path, 'name')
      : textsIn(file.name, [...path, 'name'], 'name');
  });
  const ofOthers = Object.entries({ repositories, testmanagers }).flatMap(([kind, entries]) =>
    entries.flatMap(({ name }, index) => textsIn(name, ['resources', kind, index, 'name'], 'name')),
  );
  return [...ofFiles, ...ofOthers];
}

function problemsOfJobs(jobs: WorkflowJobs, path: DocumentPath): readonly Problem[] {
  return Object.entries(jobs).flatMap(([name, job]) => {
    const own = [...path, name];
    return [
      ...keysIn(job.with, [...own, 'with']),
      ...keysIn(job.strategy?.matrix, [...own, 'strategy', 'matrix']),
      ...problemsOfSteps(job.steps ?? [], [...own, 'steps']),
      ...problemsOfJobs(job.jobs ?? {}, [...own, 'jobs']),
    ];
  });
}

function problemsOfSteps(
  steps: readonly { readonly with?: unknown }[],
  path: DocumentPath,
): readonly Problem[] {
  return steps.flatMap((step, index) =>
    step.with === undefined ? [] : keysIn(step.with, [...path, index, 'with']),
  );
}

/** The expressions in all texts and keys of a value. */
function textsIn(value: unknown, path: DocumentPath, plain: Plain): readonly Problem[] {
  if (typeof value === 'string') {
    const piece = expressionIn(value);
    return piece === null ? [] : [{ ...problem(path, plain), piece }];
  }
  return inChildren(value, path, (child, place) => textsIn(child, place, plain));
}

/** The expressions in the keys of a value, whose texts are evaluated. */
function keysIn(value: unknown, path: DocumentPath): readonly Problem[] {
  return inChildren(value, path, keysIn);
}

function inChildren(
  value: unknown,
  path: DocumentPath,
  problemsOf: (child: unknown, path: DocumentPath) => readonly Problem[],
): readonly Problem[] {
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) {
    return value.flatMap((item, index) => problemsOf(item, [...path, index]));
  }
  return Object.entries(value).flatMap(([key, child]) => [
    ...problemOfKey(key, path),
    ...problemsOf(child, [...path, key]),
  ]);
}

const problemOfKey = (key: string, path: DocumentPath): readonly Problem[] =>
  expressionIn(key) === null ? [] : [{ ...problem(path, 'key'), key }];

const problem = (path: DocumentPath, plain: Plain): Problem => ({
  path,
  message: 'an expression is not evaluated here',
  hint: HINTS[plain],
  topic: 'expressions',
  isWarning: true,
});

/** The first one; null where there is none. */
function expressionIn(text: string): TextPiece | null {
  const at = text.indexOf(OPENING);
  const end = at === -1 ? -1 : text.indexOf(CLOSING, at);
  return end === -1 ? null : { at, length: end + CLOSING.length - at };
}
