/**
 * Files of the request that jobs call under a name which is written out: what is wrong with them is told before the run is accepted,
 * where its author still sits at the terminal. What only the run knows (names and inputs with expressions, files of repositories) is
 * checked when the job begins (`called-workflows.ts`).
 */
import {
  type InputDeclarations,
  type InputProblem,
  isOrchestratorError,
  OrchestratorError,
  problemsOfGiven,
  type WorkflowManifest,
} from '@tutti/manifests';
import { DOCUMENT_LIMITS } from '@tutti/manifests/documents';
import { type FileCall, fileCallsOf } from '@tutti/workflow/validation';
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
  if (files.size === 0) return;
  const read = new Map<string, InputDeclarations | null>();
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
        read.set(call.file, called.inputs ?? {});
        calls.push(...callsIn(called, { document: source, file: call.file }));
      }
      refusals.push(...wrongInputs(call, read.get(call.file) ?? null));
    } catch (error) {
      refusals.push(refusalOf(call, error));
    }
  }
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

interface Call extends FileCall {
  readonly caller: Caller;
}

const callsIn = ({ jobs }: WorkflowManifest, caller: Caller): Call[] =>
  fileCallsOf(jobs).map((call) => ({ ...call, caller }));

/** What does not fit is wrong in the workflow that calls, and told with its place there. */
function wrongInputs(call: Call, declared: InputDeclarations | null): readonly OrchestratorError[] {
  if (declared === null || call.inputs === null) return [];
  return problemsOfGiven(declared, call.inputs).map((problem) => wrongInput(call, problem));
}

function wrongInput(
  { file, place, caller }: Call,
  { path, message }: InputProblem,
): OrchestratorError {
  const problem = { path: [...place, ...path], message: cannotBeCalled(file, message) };
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
