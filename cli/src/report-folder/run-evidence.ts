/** The files of all report folders of a run, by the test cases that they belong to. */
import type { Client } from '@tutti/client';
import { isOrchestratorError } from '@tutti/manifests';
import { evidenceOf, type TestOfEvidence } from '@tutti/run-view/failure';
import {
  archiveError,
  FolderError,
  folderEntries,
  isList,
  readList,
} from '@tutti/server/report-folder';
import { type Attachment, listAttachments } from '../attachments/list-attachments.ts';
import { choiceOf, foldersIn } from './find-folders.ts';

export interface FoundEvidence {
  /** The words after `tutti report open ID` that choose the report; each begins with a blank. */
  readonly choice: string;
  readonly files: readonly string[];
}

export type EvidenceFinder = (test: TestOfEvidence & { readonly job: string }) => FoundEvidence[];

export interface RunEvidence {
  /** Reads the lists of files of a job, once. Each list is the first entry of its archive, so the rest is not read. */
  load(job: string): Promise<void>;
  /** Knows the jobs that were loaded. */
  readonly find: EvidenceFinder;
}

export function evidenceOfRun(client: Client, workflowId: string): RunEvidence {
  const byJob = new Map<string, readonly FoundEvidence[]>();
  let folders: readonly Attachment[] | null = null;
  return {
    async load(job) {
      if (byJob.has(job)) return;
      folders ??= foldersIn((await listAttachments(client, workflowId)).attachments);
      const found: FoundEvidence[] = [];
      for (const folder of folders.filter((each) => each.job === job)) {
        const files = await filesOf(client, workflowId, folder);
        found.push({ choice: choiceOf(folder, folders), files });
      }
      byJob.set(job, found);
    },
    find: (test) =>
      (byJob.get(test.job) ?? [])
        .map(({ choice, files }) => ({ choice, files: evidenceOf(files, test) }))
        .filter(({ files }) => files.length > 0),
  };
}

/** None of an archive that is gone, or of one without a list. */
async function filesOf(
  client: Client,
  workflowId: string,
  { uuid }: Attachment,
): Promise<readonly string[]> {
  const stop = new AbortController();
  try {
    const { chunks } = await client.attachment(workflowId, uuid, { signal: stop.signal });
    for await (const entry of folderEntries(chunks)) {
      return isList(entry) ? (await readList(entry)).files : [];
    }
    return [];
  } catch (error) {
    // A broken archive has no evidence to show; `tutti report open` says what is wrong with it.
    const shown = archiveError(error);
    if (isOrchestratorError(shown) || shown instanceof FolderError) return [];
    throw error;
  } finally {
    stop.abort();
  }
}
