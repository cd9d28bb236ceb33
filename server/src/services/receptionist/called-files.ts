/**
 * Files of the request that jobs call under a name which is written out: what is wrong with them is told before the run is accepted,
 * where its author still sits at the terminal. What only the run knows (names and inputs with expressions, files of repositories) is
 * checked when the job begins (`called-workflows.ts`).
 */
import {
  evaluateInputs,
  type InputDeclarations,
  isOrchestratorError,
  OrchestratorError,
} from '@tutti/manifests';
import { DOCUMENT_LIMITS } from '@tutti/manifests/documents';
import { type FileCall, fileCallsOf } from '@tutti/workflow/validation';
import type { BlobStore } from '../../blobs/blob-store.ts';
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
  { manifest, files }: Submission,
  deps: CalledFilesDeps,
): Promise<void> {
  if (files.size === 0) return;
  const read = new Map<string, InputDeclarations | null>();
  const refusals: OrchestratorError[] = [];
  const calls = [...fileCallsOf(manifest.jobs)];
  let bytesLeft = deps.limits.bodyBytes;
  // Those of called files come behind.
  for (const call of calls) {
    if (refusals.length === DOCUMENT_LIMITS.problemsTold) break;
    if (!files.has(call.file)) continue;
    try {
      if (!read.has(call.file)) {
        // What is wrong with a file is told once.
        read.set(call.file, null);
        const key = `${deps.scope}/${files.get(call.file)}`;
        const { size } = (await deps.blobs.info(key)) ?? { size: 0 };
        if (size > bytesLeft) continue;
        bytesLeft -= size;
        const called = deps.check(await readCalledFile(deps, key), 'called');
        read.set(call.file, called.inputs ?? {});
        calls.push(...fileCallsOf(called.jobs));
      }
      checkInputs(call, read.get(call.file) ?? null);
    } catch (error) {
      refusals.push(refusalOf(call, error));
    }
  }
  const [first] = refusals;
  if (first === undefined) return;
  const error = refusals.map(problemsOf).join('\n');
  throw new OrchestratorError('Invalid', first.message, { details: { error } });
}

function checkInputs({ inputs }: FileCall, declared: InputDeclarations | null): void {
  if (declared !== null && inputs !== null) evaluateInputs(declared, inputs);
}

function refusalOf({ file }: FileCall, error: unknown): OrchestratorError {
  if (!isOrchestratorError(error)) throw error;
  return new OrchestratorError('Invalid', cannotBeCalled(file, error.message), {
    details: { error: cannotBeCalled(file, problemsOf(error)) },
  });
}
