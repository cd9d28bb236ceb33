/** Finds all mistakes of a workflow before it runs (wire facts 1.12): in its shape and in its content. */
import {
  acceptedApiVersions,
  generatedJobsSchema,
  nameOfFile,
  problemsOfHooks,
  problemsOfInputs,
  problemsOfJobs,
  type ResourceFile,
  TAKEN_PARTS,
  type WorkflowManifest,
  withApiVersions,
  workflowManifestSchema,
} from '@tutti/manifests';
import {
  createSchemaValidator,
  formatProblem,
  isSmallDocument,
  type Problem,
  type SchemaLibrary,
  sortProblems,
} from '@tutti/manifests/documents';
import { callerProblems, callProblems } from './call-problems.ts';
import { expressionProblems } from './expression-problems.ts';
import {
  functionProblems,
  type KnownFunctions,
  resourceFileProblems,
} from './function-problems.ts';
import { groupProblems } from './group-problems.ts';
import { ineffectiveParts } from './ineffective-parts.ts';
import { matrixProblems } from './matrix-problems.ts';
import { withMeantKeys } from './meant-keys.ts';
import { soundParts } from './sound-parts.ts';
import { stepProblems } from './step-problems.ts';
import { unsendableTextProblems } from './unsendable-texts.ts';
import type { WorkflowUse } from './workflow-use.ts';

/** Warnings are about what existing servers accept as well. */
export type WorkflowCheck =
  | {
      readonly ok: true;
      readonly manifest: WorkflowManifest;
      readonly warnings: readonly Problem[];
    }
  | {
      readonly ok: false;
      /** Errors, at least one; those of the shape first. */
      readonly problems: readonly Problem[];
      readonly warnings: readonly Problem[];
      /** False when the document has the keys and values of a workflow, which only say what cannot be. */
      readonly isMisshapen: boolean;
    };

/** Result for a file that is empty, or has only comments. */
const EMPTY: WorkflowCheck = {
  ok: false,
  problems: [{ path: [], message: 'the file is empty' }],
  warnings: [],
  isMisshapen: true,
};

/**
 * Checks any value; the schema is compiled at the first one. `apiGroup` is that of the server, if it has its own. Without `functions`, steps
 * may call any functions.
 */
export function createWorkflowCheck(
  load: () => SchemaLibrary,
  apiGroup?: string,
  functions: KnownFunctions | null = null,
): (value: unknown, use?: WorkflowUse) => WorkflowCheck {
  const versions = acceptedApiVersions('Workflow', apiGroup);
  const shapeProblems = createSchemaValidator(
    withApiVersions(workflowManifestSchema, versions),
    load,
  );
  return (written, use = 'started') => {
    if (written === null) return EMPTY;
    const value = withoutEmptySections(written);
    const ofShape = shapeProblems(value);
    if (ofShape.length > 0) {
      const found = sortProblems(allProblems(value, ofShape, shapeProblems, { use, functions }));
      return { ok: false, problems: found.errors, warnings: found.warnings, isMisshapen: true };
    }
    // The schema was checked above.
    const manifest = value as WorkflowManifest;
    const { errors: problems, warnings } = sortProblems(
      contentProblems(manifest, { use, functions }),
    );
    return problems.length === 0
      ? { ok: true, manifest, warnings }
      : { ok: false, problems, warnings, isMisshapen: false };
  };
}

/** Existing workflows may write them without anything in them. */
const MAY_BE_EMPTY: ReadonlySet<string> = new Set([
  'variables',
  'resources',
  'hooks',
  'defaults',
  'concurrency',
  'inputs',
  'outputs',
]);

function withoutEmptySections(value: unknown): unknown {
  if (!isMap(value)) return value;
  const isEmpty = ([key, section]: readonly [string, unknown]) =>
    section === null && MAY_BE_EMPTY.has(key);
  const entries = Object.entries(value);
  return entries.some(isEmpty)
    ? Object.fromEntries(entries.filter((entry) => !isEmpty(entry)))
    : value;
}

/** Errors and warnings of the jobs and outputs that a generator answers with. The first call compiles the schema. */
export function createJobsCheck(
  load: () => SchemaLibrary,
): (jobs: unknown, outputs?: Readonly<Record<string, unknown>>) => readonly Problem[] {
  const shapeProblems = createSchemaValidator(generatedJobsSchema, load);
  const shapeProblemsOf = (value: unknown) =>
    shapeProblems(isMap(value) ? value.jobs : undefined).map((problem) => ({
      ...problem,
      path: ['jobs', ...problem.path],
    }));
  return (jobs, outputs = {}) => {
    const value = { metadata: { name: '' }, jobs, outputs: evaluatedOutputs(outputs) };
    const ofShape = shapeProblemsOf(value);
    if (ofShape.length > 0) {
      return allProblems(value, ofShape, shapeProblemsOf, GENERATED);
    }
    // The schema was checked above.
    return contentProblems(value as WorkflowManifest, GENERATED);
  };
}

/** Outputs whose values may be expressions, as in workflows. The run takes all other outputs of a generator as texts. */
function evaluatedOutputs(
  outputs: Readonly<Record<string, unknown>>,
): NonNullable<WorkflowManifest['outputs']> {
  type Output = NonNullable<WorkflowManifest['outputs']>[string];
  const texts = Object.entries(outputs).flatMap(([name, output]): [string, Output][] => {
    if (typeof output === 'string') return [[name, output]];
    const value = isMap(output) ? output.value : null;
    return typeof value === 'string' ? [[name, { description: '', value }]] : [];
  });
  return Object.fromEntries(texts);
}

/** The use of a workflow, and the functions that its steps may call; null for any. */
interface CheckContext {
  readonly use: WorkflowUse;
  readonly functions: KnownFunctions | null;
}

const GENERATED: CheckContext = { use: 'generated', functions: null };

function contentProblems(
  manifest: WorkflowManifest,
  { use, functions }: CheckContext,
): readonly Problem[] {
  return [
    ...inputProblems(manifest),
    ...problemsOfJobs(manifest.jobs),
    ...stepProblems(manifest.jobs),
    ...matrixProblems(manifest.jobs),
    ...groupProblems(manifest, use),
    ...callProblems(manifest, use),
    ...callerProblems(manifest, use),
    ...hookProblems(manifest),
    ...ineffectiveParts(manifest),
    ...metadataProblems(manifest.metadata),
    ...resourceProblems(manifest),
    ...unsendableTextProblems(manifest),
    ...expressionProblems(manifest, use),
    ...(use === 'started' ? resourceFileProblems(manifest) : []),
    ...(functions === null ? [] : functionProblems(manifest, functions)),
  ];
}

/** Problems of the shape, and problems in parts with a right shape: an author sees all at once. */
function allProblems(
  value: unknown,
  ofShape: readonly Problem[],
  shapeProblems: (value: unknown) => readonly Problem[],
  context: CheckContext,
): readonly Problem[] {
  if (!isSmallDocument(value)) return ofShape;
  const meant = withMeantKeys(value, ofShape, shapeProblems);
  const manifest = soundParts(meant.value, meant.ofShape);
  const ofContent = manifest === null ? [] : contentProblems(manifest, context);
  const reported = new Set(ofShape.map(formatProblem));
  const further = [...meant.ofShape, ...ofContent].map((problem) => meant.written(problem));
  return [...ofShape, ...further.filter((problem) => !reported.has(formatProblem(problem)))];
}

const isMap = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A name in braces stands for any inputs of a function. A workflow that had one would take every misspelt input. */
function inputProblems({ inputs = {} }: WorkflowManifest): readonly Problem[] {
  const inBraces = Object.keys(inputs).filter((name) => name.startsWith('{'));
  const named = inBraces.map((name) => ({
    path: ['inputs'],
    key: name,
    message: `The input "${name}" of a workflow must not begin with "{".`,
  }));
  return [...named, ...problemsOfDeclared(inputs)];
}

function problemsOfDeclared(inputs: NonNullable<WorkflowManifest['inputs']>): readonly Problem[] {
  return problemsOfInputs(inputs).map(({ path, message }) => ({
    path: ['inputs', ...path],
    message,
  }));
}

function hookProblems({ hooks }: WorkflowManifest): readonly Problem[] {
  return problemsOfHooks(hooks ?? []).map((problem) => ({
    ...problem,
    path: ['hooks', ...problem.path],
  }));
}

function resourceProblems({ resources = {} }: WorkflowManifest): readonly Problem[] {
  const { files = [], repositories = [], testmanagers = [] } = resources;
  return [
    ...fileNameProblems(files),
    ...repeatedNames('files', files.map(nameOfFile)),
    ...Object.entries({ repositories, testmanagers }).flatMap(([kind, entries]) =>
      repeatedNames(
        kind,
        entries.map(({ name }) => name),
      ).map((problem) => ({ ...problem, ...AMBIGUOUS })),
    ),
  ];
}

function fileNameProblems(files: readonly ResourceFile[]): readonly Problem[] {
  return files.flatMap((file, index) => {
    if (typeof file !== 'string') return [];
    const why = whyNotAttached(file);
    if (why === null) return [];
    const message = `The resource file "${file}" cannot be attached: ${why}.`;
    return [{ path: ['resources', 'files', index], message }];
  });
}

function whyNotAttached(name: string): string | null {
  if (TAKEN_PARTS.includes(name)) return 'this part of the request has a meaning of its own';
  // The server keeps parts as entries of an object, where these have another meaning.
  return name in Object.prototype ? 'no part of the request may have this name' : null;
}

/** Existing servers take them. */
const AMBIGUOUS = { hint: 'expressions read the last one', isWarning: true } as const;

/** Expressions cannot distinguish two resources of one name. */
function repeatedNames(kind: string, names: readonly string[]): readonly Problem[] {
  const seen = new Set<string>();
  return names.flatMap((name, index) => {
    const isFirst = !seen.has(name);
    seen.add(name);
    // A resource with a wrong name has an empty one here.
    if (name === '' || isFirst) return [];
    const message = `There are several resources with the name "${name}".`;
    return [{ path: ['resources', kind, index], message }];
  });
}

/** Extra entries of the metadata are the author's, except for those that the run itself writes into. */
function metadataProblems(metadata: WorkflowManifest['metadata']): readonly Problem[] {
  const annotations: unknown = metadata.annotations ?? {};
  return isMap(annotations)
    ? []
    : [
        {
          path: ['metadata', 'annotations'],
          message: 'metadata.annotations is no object, and is left out.',
          isWarning: true,
        },
      ];
}
