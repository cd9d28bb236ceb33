/** Calls of workflows: which file a job means, and whether it may be called there. */
import { interpolateText, type Scope } from '@tutti/expressions';
import { OrchestratorError } from '@tutti/manifests';
import type { CalledFile, CalledWorkflow, RepositoryReference } from '../facts/fact.ts';
import {
  type CallReference,
  checked,
  parseCall,
  referenceText,
  shownCall,
} from './call-reference.ts';
import { bundlesAround } from './job-tree.ts';
import type { Job, Run } from './run.ts';

/** Workflows that call workflows that call … end here. */
export const CALLS_MAX = 10;

/** The called workflow: a file of the run, or one that must be fetched first. */
export type Call =
  | ({ readonly kind: 'file' } & CalledFile)
  | ({ readonly kind: 'repository' } & RepositoryReference);

/** Resolves `uses` of a job. Throws `Invalid` if it names no workflow that can be called. */
export function callOf(run: Run, job: Job, uses: string, scope: Scope): Call {
  const text = calledText(run, uses, scope);
  const around = bundlesAround(run, job).flatMap(({ bundle }) => bundle?.called ?? []);
  const call = fileOfRun(run, text) ?? inRepository(run, text, around.at(-1) ?? null);
  refuseEndlessCalls(around, call);
  return call;
}

/** `uses` with its expressions replaced; throws `Invalid`. */
export const calledText = (run: Run, uses: string, scope: Scope): string =>
  interpolateText(uses, withNamesOfRepositories(run, scope));

/** `${{ resources.repositories.shop }}/checks.yaml` is what `shop/checks.yaml` is: nothing of a resource but its name belongs there. */
function withNamesOfRepositories(run: Run, scope: Scope): Scope {
  const { contexts } = scope;
  const names = repositoriesOf(run).map((name) => [name, name] as const);
  const resources = () => ({
    ...Object(contexts.resources),
    repositories: Object.fromEntries(names),
  });
  // A getter: resources are evaluated only where an expression reads them.
  const named = Object.create(null, {
    ...Object.getOwnPropertyDescriptors(contexts),
    resources: { enumerable: true, get: resources },
  });
  return { ...scope, contexts: named };
}

/** Names of the repositories that jobs may call workflows in: those of the workflow that was started. */
export const repositoriesOf = ({ manifest }: Run): readonly string[] =>
  (manifest.resources?.repositories ?? []).map(({ name }) => name);

function fileOfRun(run: Run, text: string): Call | null {
  const file = text.replace(/^\.\//, '');
  const blob = Object.hasOwn(run.files, file) ? run.files[file] : undefined;
  return blob === undefined ? null : { kind: 'file', file, blob, fetched: null };
}

/** In a workflow from a repository, other files are those of the same repository, at the same commit. */
function inRepository(run: Run, text: string, caller: CalledWorkflow | null): Call {
  const call = parseCall(text, repositoriesOf(run));
  switch (call.kind) {
    case 'repository':
      return call;
    case 'wrong':
      throw invalid(`"${shownCall(text)}" cannot be called: ${call.why}.`);
    case 'file':
      return beside(call.file, caller);
  }
}

function beside(path: string, caller: CalledWorkflow | null): Call {
  if (caller?.fetched == null) {
    throw invalid(`There is no file "${path}" with the run that could be called.`);
  }
  const { repository, commit: ref } = caller.fetched;
  const call: CallReference = checked({ repository, path, ref });
  if (call.kind === 'repository') return call;
  throw invalid(`"./${shownCall(path)}" cannot be called: it is no path of a file.`);
}

function refuseEndlessCalls(around: readonly CalledWorkflow[], call: Call): void {
  if (around.some((called) => isSame(called, call))) {
    const last = call.kind === 'file' ? call.file : referenceText(call);
    const chain = [...around.map(({ file }) => file), last].map((name) => `"${name}"`);
    throw invalid(`Workflows call themselves: ${chain.join(' calls ')}.`);
  }
  if (around.length >= CALLS_MAX) {
    throw invalid(`Workflows call each other more than ${CALLS_MAX} deep.`);
  }
}

function isSame({ file, fetched }: CalledWorkflow, call: Call): boolean {
  if (call.kind === 'file' || fetched === null)
    return call.kind === 'file' && fetched === null && file === call.file;
  const isSamePath = fetched.repository === call.repository && fetched.path === call.path;
  return isSamePath && (fetched.ref === call.ref || fetched.commit === call.ref);
}

function invalid(message: string): OrchestratorError {
  return new OrchestratorError('Invalid', message);
}
