/** Finds steps that call unknown functions, and inputs that functions do not take. */
import {
  type InputDeclarations,
  type InputValues,
  nameOfFile,
  problemsOfGiven,
  type WorkflowManifest,
} from '@tutti/manifests';
import { type DocumentPath, nearestName, type Problem } from '@tutti/manifests/documents';

/** The functions of a server, as far as its client knows them. */
export interface KnownFunctions {
  readonly names: readonly string[];
  /** False if there may be others: problems with unknown names are then warnings. */
  readonly isComplete: boolean;
  /** The function that answers a step with this `uses`. Its inputs are null if only its plugin knows them. Null for no function. */
  find(uses: string): { readonly inputs: InputDeclarations | null } | null;
}

export function functionProblems(
  { jobs, hooks = [] }: WorkflowManifest,
  functions: KnownFunctions,
): readonly Problem[] {
  const ofHooks = hooks.flatMap(({ before = [], after = [] }, index) => [
    ...placed(before, ['hooks', index, 'before']),
    ...placed(after, ['hooks', index, 'after']),
  ]);
  return [...stepsOfJobs(jobs, ['jobs']), ...ofHooks].flatMap((step) =>
    problemsOf(step, functions),
  );
}

interface CallingStep {
  readonly uses?: string;
  readonly with?: InputValues;
}

/** A step that calls a function. */
interface PlacedStep {
  readonly step: CallingStep;
  readonly path: DocumentPath;
}

const placed = (steps: readonly CallingStep[], path: DocumentPath): readonly PlacedStep[] =>
  steps.flatMap((step, index) =>
    step.uses === undefined ? [] : [{ step, path: [...path, index] }],
  );

function stepsOfJobs(jobs: WorkflowManifest['jobs'], path: DocumentPath): readonly PlacedStep[] {
  return Object.entries(jobs).flatMap(([name, job]) => [
    ...placed(job.steps ?? [], [...path, name, 'steps']),
    ...stepsOfJobs(job.jobs ?? {}, [...path, name, 'jobs']),
  ]);
}

/** A file, and a name that only the run knows, are no names of functions. */
const isName = (uses: string): boolean => !/^\.{1,2}\/|\$\{\{/.test(uses);

function problemsOf(
  { step: { uses = '', with: given = {} }, path }: PlacedStep,
  functions: KnownFunctions,
): readonly Problem[] {
  if (uses === '' || !isName(uses)) return [];
  const found = functions.find(uses);
  if (found === null) return [unknownFunction(uses, path, functions)];
  return found.inputs === null ? [] : inputProblems(uses, given, found.inputs, path);
}

function unknownFunction(
  uses: string,
  path: DocumentPath,
  { names, isComplete }: KnownFunctions,
): Problem {
  const nearest = nearestName(uses, names);
  return {
    path: [...path, 'uses'],
    message: `There is no function "${uses}".`,
    hint:
      nearest === null
        ? 'name the server that has it with --server; "tutti providers" lists its functions'
        : `did you mean "${nearest}"?`,
    ...(isComplete ? {} : { isWarning: true }),
  };
}

function inputProblems(
  uses: string,
  given: InputValues,
  declared: InputDeclarations,
  path: DocumentPath,
): readonly Problem[] {
  const names = Object.keys(declared);
  const isOpen = names.some((name) => name.startsWith('{'));
  const unknown = isOpen ? [] : Object.keys(given).filter((name) => !isDeclared(name, declared));
  const known = Object.entries(given).filter(([name]) => !unknown.includes(name));
  return [
    ...unknown.map((name) => unknownInput(uses, name, names, path)),
    ...problemsOfGiven(declared, Object.fromEntries(known))
      .filter(({ path: [name] }) => name === undefined || !isForRun(given[name]))
      .map(({ path: [name], message }) => ({
        path: name === undefined ? [...path, 'uses'] : [...path, 'with', name],
        message,
      })),
  ];
}

const PUT_FILE = /^actions\/put-file(?:@|$)/;

/** Steps that take a resource file by a name that the workflow does not have: they would fail. */
export function resourceFileProblems({
  jobs,
  resources = {},
}: WorkflowManifest): readonly Problem[] {
  const names = (resources.files ?? []).map(nameOfFile);
  return stepsOfJobs(jobs, ['jobs']).flatMap(({ step: { uses = '', with: given = {} }, path }) => {
    if (!PUT_FILE.test(uses)) return [];
    return ['file', 'data'].flatMap((key) => {
      const name = given[key];
      if (typeof name !== 'string' || isForRun(name) || names.includes(name)) return [];
      return [unknownFile(name, names, [...path, 'with', key])];
    });
  });
}

function unknownFile(name: string, names: readonly string[], path: DocumentPath): Problem {
  const nearest = nearestName(name, names);
  return {
    path,
    message: `"${name}" is not in "resources.files".`,
    ...(nearest === null ? {} : { hint: `did you mean "${nearest}"?` }),
  };
}

/** Existing workflows write `_` where a name has `-`. */
const isDeclared = (name: string, declared: InputDeclarations): boolean =>
  Object.hasOwn(declared, name) || Object.hasOwn(declared, name.replaceAll('_', '-'));

/** The run evaluates expressions, so the value is not known before. */
const isForRun = (value: unknown): boolean => typeof value === 'string' && value.includes('${{');

function unknownInput(
  uses: string,
  name: string,
  names: readonly string[],
  path: DocumentPath,
): Problem {
  const nearest = nearestName(name, names);
  const known = names.length === 0 ? 'it takes none' : `it takes ${names.join(', ')}`;
  return {
    path: [...path, 'with'],
    key: name,
    message: `The function "${uses}" has no input "${name}".`,
    hint: nearest === null ? known : `did you mean "${nearest}"?`,
  };
}
