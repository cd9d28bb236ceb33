/** Checks the files of a request that its workflow calls, and passes on requested contents. */
import type { BlobStore } from '../../blobs/blob-store.ts';
import type { DocumentTasks } from '../../http/document-tasks.ts';
import { readCalledFile } from './called-workflows.ts';
import type { Submission } from './submission.ts';
import { bytesOf } from './workflow-source.ts';
import { CHECK_CALLED_FILES } from './workflow-tasks.ts';

export interface CheckFilesDeps {
  readonly blobs: Pick<BlobStore, 'get' | 'info'>;
  readonly documents: Pick<DocumentTasks, 'run'>;
  readonly apiGroup: string;
  readonly limits: {
    /** Limit for a workflow, in bytes. */
    readonly bodyBytes: number;
  };
  /** Scope of the request's files. */
  readonly scope: string;
  /** The share of the sender of these documents. */
  readonly share: string;
}

/** Resolves with warnings; throws `Invalid`. Files outside of the request, or beyond `limits.bodyBytes` in total, are left to the run. */
export async function checkFilesOf(
  { source, files }: Submission,
  deps: CheckFilesDeps,
): Promise<readonly string[]> {
  const { apiGroup, share, limits, scope } = deps;
  const read: Record<string, Uint8Array | null> = Object.create(null);
  let bytes = 0;
  let missing: readonly string[] = [];
  let warnings: readonly string[] = [];
  do {
    for (const name of missing) {
      const key = `${scope}/${files.get(name)}`;
      const { size } = (files.has(name) ? await deps.blobs.info(key) : null) ?? { size: Infinity };
      const isTaken = bytes + size <= limits.bodyBytes;
      read[name] = isTaken ? await readCalledFile(deps, key) : null;
      if (isTaken) bytes += size;
    }
    const input = { source, apiGroup, files: { ...read } };
    const asker = { what: 'The workflow', share, bytes: bytesOf(source) + bytes };
    ({ missing, warnings } = await deps.documents.run(CHECK_CALLED_FILES, input, asker));
  } while (missing.length > 0);
  return warnings;
}
