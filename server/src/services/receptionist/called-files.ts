/**
 * Files of the request that jobs call under a name which is written out: what is wrong with them is told before the run is accepted,
 * where its author still sits at the terminal. What only the run knows (names and inputs with expressions, files of repositories) is
 * checked when the job begins (`called-workflows.ts`).
 */
import {
  type InputProblem,
  isOrchestratorError,
  OrchestratorError,
  problemsOfGiven,
  type WorkflowManifest,
} from '@tutti/manifests';
import { DOCUMENT_LIMITS, type Problem } from '@tutti/manifests/documents';
import {
  expressionProblems,
  type FileCall,
  fileCallsOf,
  type OutputsOfFile,
} from '@tutti/workflow/validation';
import type { BlobStore } from '../../blobs/blob-store.ts';
import { locatedProblem, type SourceDocument } from '../../http/documents.ts';
import {
  type CalledWorkflowsDeps,
  cannotBeCalled,
  problemsOf,
  readCalledFile,
} from './called-workflows.ts';
import type { CheckManifest } from './manifest-checks.ts';
import type { Submission } from './submission.ts';

export interface CalledFilesDeps extends Pick<CalledWorkflowsDeps, 'limits'> {
  readonly blobs: Pick<BlobStore, 'get' | 'info'>;
  readonly check: CheckManifest;
  /** Where the files of the request are kept. */
  readonly scope: string;
}

/**
 * Throws `Invalid`: the message is about the first call that cannot be made, `details.error` about as many as are told of a document. Files that are not in
 * the request, and those beyond `limits.bodyBytes` in all, are left to the run.
 */
export async function checkCalledFiles(
  { manifest, document, files }: Submission,
  deps: CalledFilesDeps,
): Promise<void> {
  const read = new Map<string, WorkflowManifest | null>();
  const callers: CallingWorkflow[] = [{ document, file: null, manifest }];
  const refusals: OrchestratorError[] = [];
  const calls: Call[] = callsIn(manifest, { document, file: null });
  let bytesLeft = deps.limits.bodyBytes;
  // Those of called files come behind.
  for (const call of calls) {
    if (refusals.length >= DOCUMENT_LIMITS.problemsTold) break;
    if (!files.has(call.file)) continue;
    try {
      if (!read.has(call.file)) {
        // What is wrong with a file is told once.
        read.set(call.file, null);
        const key = `${deps.scope}/${files.get(call.file)}`;
        const { size } = (await deps.blobs.info(key)) ?? { size: 0 };
        if (size > bytesLeft) continue;
        bytesLeft -= size;
        const source = await readCalledFile(deps, key, (value) =>
          deps.check.explain(value, 'called'),
        );
        const called = deps.check(source, 'called');
        read.set(call.file, called);
        const caller = { document: source, file: call.file };
        callers.push({ ...caller, manifest: called });
        calls.push(...callsIn(called, caller));
      }
      refusals.push(...wrongInputs(call, read.get(call.file) ?? null));
    } catch (error) {
      refusals.push(refusalOf(call, error));
    }
  }
  refusals.push(...callers.flatMap((caller) => wrongOutputs(caller, read)));
  const [first] = refusals;
  if (first === undefined) return;
  const told = refusals.slice(0, DOCUMENT_LIMITS.problemsTold);
  const error = told.map(problemsOf).join('\n');
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
}

interface Call extends FileCall {
  readonly caller: Caller;
}

const callsIn = ({ jobs }: WorkflowManifest, caller: Caller): Call[] =>
  fileCallsOf(jobs).map((call) => ({ ...call, caller }));

/** What does not fit is wrong in the workflow that calls, and told with its place there. */
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

/** Outputs that are read of what is called, and which that does not have. Nothing else is wrong with a workflow that is accepted. */
function wrongOutputs(
  caller: CallingWorkflow,
  read: ReadonlyMap<string, WorkflowManifest | null>,
): readonly OrchestratorError[] {
  const outputsOf: OutputsOfFile = (file) => {
    const called = read.get(file) ?? null;
    return called === null ? null : (called.outputs ?? {});
  };
  const use = caller.file === null ? 'started' : 'called';
  return expressionProblems(caller.manifest, use, outputsOf).map((problem) =>
    wrongIn(caller, problem),
  );
}

function wrongIn(caller: Caller, problem: Problem): OrchestratorError {
  const text = locatedProblem(problem, caller.document.placeOf(problem));
  const told = caller.file === null ? text : cannotBeCalled(caller.file, text);
  return new OrchestratorError('Invalid', told, { details: { error: told } });
}

function refusalOf({ file }: FileCall, error: unknown): OrchestratorError {
  if (!isOrchestratorError(error)) throw error;
  return new OrchestratorError('Invalid', cannotBeCalled(file, error.message), {
    details: { error: cannotBeCalled(file, problemsOf(error)) },
  });
}
