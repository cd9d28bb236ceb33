/**
 * Checks files of the request that jobs call by a literal name. The run is not yet accepted, and its author not yet gone. Names and inputs
 * with expressions, and files of repositories, are known only in the run. They are checked when the job begins (`called-workflows.ts`).
 */
import {
  type InputProblem,
  isOrchestratorError,
  OrchestratorError,
  problemsOfGiven,
  type WorkflowManifest,
} from '@tutti/manifests';
import {
  DOCUMENT_LIMITS,
  type Problem,
  type SortedProblems,
  sortProblems,
} from '@tutti/manifests/documents';
import {
  expressionProblems,
  type FileCall,
  fileCallsOf,
  type OutputsOfFile,
} from '@tutti/workflow/validation';
import { locatedProblem, type SourceDocument, warningTexts } from '../../http/documents.ts';
import { cannotBeCalled, problemsOf } from './called-problems.ts';
import { checkManifest, readWorkflowDocument } from './read-workflow.ts';
import type { WorkflowSource } from './workflow-source.ts';

export interface CalledFilesInput {
  readonly source: WorkflowSource;
  readonly apiGroup: string;
  /** Contents of the requested files by name; null for files that are checked in the run. */
  readonly files: Readonly<Record<string, Uint8Array | null>>;
}

export interface CheckedFiles {
  /** Called files that are needed before any check. */
  readonly missing: readonly string[];
  /** Warnings about called files, and about their use in callers. */
  readonly warnings: readonly string[];
}

/**
 * Throws `Invalid` once no file is missing. The message describes the first impossible call, `details.error` as many as for one
 * document.
 */
export function checkCalledFiles({ source, apiGroup, files }: CalledFilesInput): CheckedFiles {
  const started = { source, apiGroup, use: 'started' } as const;
  const document = readWorkflowDocument(started);
  const { manifest } = checkManifest(document, started);
  const read = new Map<string, WorkflowManifest | null>();
  const callers: CallingWorkflow[] = [{ document, file: null, manifest, warnings: [] }];
  const refusals: OrchestratorError[] = [];
  const missing = new Set<string>();
  const calls: Call[] = callsIn(manifest, { document, file: null });
  // Problems of called files follow.
  for (const call of calls) {
    if (refusals.length >= DOCUMENT_LIMITS.problemsMax) break;
    const content = Object.hasOwn(files, call.file) ? files[call.file] : undefined;
    if (content === undefined) missing.add(call.file);
    if (content === undefined || content === null) continue;
    try {
      if (!read.has(call.file)) {
        // Each problem of a file is reported once.
        read.set(call.file, null);
        const input = { source: { content, contentType: null }, apiGroup, use: 'called' } as const;
        const calledDocument = readWorkflowDocument(input);
        const { manifest: called, warnings } = checkManifest(calledDocument, input);
        read.set(call.file, called);
        const caller = { document: calledDocument, file: call.file };
        callers.push({ ...caller, manifest: called, warnings });
        calls.push(...callsIn(called, caller));
      }
      refusals.push(...wrongInputs(call, read.get(call.file) ?? null));
    } catch (error) {
      refusals.push(refusalOf(call, error));
    }
  }
  if (missing.size > 0) return { missing: [...missing], warnings: [] };
  const found = callers.map((caller) => ({ caller, ...problemsOfOutputs(caller, read) }));
  refusals.push(
    ...found.flatMap(({ caller, errors }) => errors.map((problem) => wrongIn(caller, problem))),
  );
  const [first] = refusals;
  if (first === undefined) {
    return { missing: [], warnings: found.flatMap((each) => warningsIn(each.caller, each)) };
  }
  const shown = refusals.slice(0, DOCUMENT_LIMITS.problemsMax);
  const error = shown.map(problemsOf).join('\n');
  throw new OrchestratorError('Invalid', first.message, { details: { error } });
}

/** The workflow that calls. */
interface Caller {
  readonly document: SourceDocument;
  /** Null for the one that is started. */
  readonly file: string | null;
}

interface CallingWorkflow extends Caller {
  readonly manifest: WorkflowManifest;
  /** Warnings of the called workflow; none for the started one, whose warnings are known. */
  readonly warnings: readonly Problem[];
}

interface Call extends FileCall {
  readonly caller: Caller;
}

const callsIn = ({ jobs }: WorkflowManifest, caller: Caller): Call[] =>
  fileCallsOf(jobs).map((call) => ({ ...call, caller }));

/** Wrong inputs are a problem of the calling workflow, and reported with their place there. */
function wrongInputs(call: Call, called: WorkflowManifest | null): readonly OrchestratorError[] {
  if (called === null || call.inputs === null) return [];
  const problems = problemsOfGiven(called.inputs ?? {}, call.inputs);
  return problems.map((problem) => wrongInput(call, problem));
}

function wrongInput(
  { file, place, caller }: Call,
  { path, message }: InputProblem,
): OrchestratorError {
  return wrongIn(caller, { path: [...place, ...path], message: cannotBeCalled(file, message) });
}

/** Problems of expressions, once the outputs of called workflows are known. */
function problemsOfOutputs(
  caller: CallingWorkflow,
  read: ReadonlyMap<string, WorkflowManifest | null>,
): SortedProblems {
  const outputsOf: OutputsOfFile = (file) => {
    const called = read.get(file) ?? null;
    return called === null ? null : (called.outputs ?? {});
  };
  const use = caller.file === null ? 'started' : 'called';
  return sortProblems(expressionProblems(caller.manifest, use, outputsOf));
}

/** Each once, though the expressions were looked at twice. */
function warningsIn(
  { document, file, warnings: before }: CallingWorkflow,
  { warnings }: SortedProblems,
): readonly string[] {
  const texts = new Set(warningTexts(document, [...before, ...warnings]));
  return [...texts].map((text) => (file === null ? text : `Workflow "${file}": ${text}`));
}

function wrongIn(caller: Caller, problem: Problem): OrchestratorError {
  const text = locatedProblem(problem, caller.document.placeOf(problem));
  const shown = caller.file === null ? text : cannotBeCalled(caller.file, text);
  return new OrchestratorError('Invalid', shown, { details: { error: shown } });
}

function refusalOf({ file }: FileCall, error: unknown): OrchestratorError {
  if (!isOrchestratorError(error)) throw error;
  return new OrchestratorError('Invalid', cannotBeCalled(file, error.message), {
    details: { error: cannotBeCalled(file, problemsOf(error)) },
  });
}
