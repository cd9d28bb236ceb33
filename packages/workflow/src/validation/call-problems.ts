/** Calls of workflows that are written out: there must be such a file, or such a repository (docs/reference/language.md, called workflows). */
import { nameOfFile, type WorkflowJobs, type WorkflowManifest } from '@tutti/manifests';
import { type DocumentPath, nearestName, type Problem } from '@tutti/manifests/documents';
import { checked, parseCall, shownCall } from '../run/call-reference.ts';
import { NO_NAME } from './stand-ins.ts';
import type { WorkflowUse } from './workflow-use.ts';

export function callProblems(manifest: WorkflowManifest, use: WorkflowUse): readonly Problem[] {
  if (use === 'generated') return [];
  return problemsIn(manifest.jobs, callable(manifest, use), ['jobs']);
}

/** The workflows that jobs may call. */
interface Callable {
  readonly files: readonly string[];
  /** Names; null where nobody knows them. */
  readonly repositories: readonly string[] | null;
  /** Whether all files beside the workflow can be called. */
  readonly isInRepository: boolean;
}

function callable({ resources = {} }: WorkflowManifest, use: WorkflowUse): Callable {
  const { files = [], repositories = [] } = resources;
  const names = repositories.map(({ name }) => name);
  return {
    files: files.map(nameOfFile),
    repositories: use === 'started' && !names.includes(NO_NAME) ? names : null,
    isInRepository: use === 'called-in-repository',
  };
}

function problemsIn(
  jobs: WorkflowJobs,
  possible: Callable,
  path: DocumentPath,
): readonly Problem[] {
  return Object.entries(jobs).flatMap(([name, { uses, jobs: inside = {} }]) => {
    const why = uses === undefined || uses.includes('${{') ? null : reasonAgainst(uses, possible);
    const message = `Job "${name}" calls "${shownCall(uses ?? '')}", but ${why}.`;
    const own = { path: [...path, name, 'uses'], message, topic: 'called-workflows' };
    return [
      ...(why === null || uses === undefined ? [] : [{ ...own, ...hintFor(uses, possible) }]),
      ...problemsIn(inside, possible, [...path, name, 'jobs']),
    ];
  });
}

function reasonAgainst(uses: string, possible: Callable): string | null {
  const call = parseCall(uses, possible.repositories);
  if (call.kind === 'wrong') return call.why;
  const isThere = call.kind === 'repository' || possible.files.includes(call.file);
  // A misspelt entry among the files may have meant this one.
  if (isThere || possible.files.includes(NO_NAME)) return null;
  if (!possible.isInRepository) return `"${call.file}" is not in "resources.files"`;
  const beside = checked({ repository: '', path: call.file, ref: null });
  return beside.kind === 'wrong' ? beside.why : null;
}

/** The name of a file or of a repository that was probably meant. */
function hintFor(uses: string, { files, repositories }: Callable): { readonly hint?: string } {
  const isFile = uses.startsWith('./');
  const name = isFile ? uses.slice('./'.length) : (uses.split('/', 1)[0] ?? '');
  const names = isFile ? files : (repositories ?? []);
  const nearest = names.includes(name) ? null : nearestName(name, names);
  return nearest === null ? {} : { hint: `did you mean "${nearest}"?` };
}

/**
 * Entries that only a started workflow may have, in a called one (docs/reference/language.md, called workflows).
 * Values of secrets and addresses with credentials would not be masked from the start of the run. Secrets without values declare which ones
 * the workflow expects.
 */
export function callerProblems(
  { secrets = {}, resources = {} }: WorkflowManifest,
  use: WorkflowUse,
): readonly Problem[] {
  if (use === 'started') return [];
  const { repositories = [], testmanagers = [] } = resources;
  const why = 'in a called workflow: those of the workflow that is started count';
  return [
    ...Object.entries(secrets).flatMap(([name, value]) =>
      value === ''
        ? []
        : [problem(['secrets', name], `The secret "${name}" must have no value ${why}.`)],
    ),
    ...(repositories.length === 0
      ? []
      : [problem(['resources', 'repositories'], `There must be no repositories ${why}.`)]),
    ...(testmanagers.length === 0
      ? []
      : [problem(['resources', 'testmanagers'], `There must be no test managers ${why}.`)]),
  ];
}

const problem = (path: Problem['path'], message: string): Problem => ({
  path,
  message,
  topic: 'called-workflows',
});
