/**
 * Workflows in repositories. A job of the run fetches the file and attaches it (wire facts 1.14). Its environment must have git and reach
 * the repository. The job is in the bundle that calls, until the bundle gets the jobs of the workflow.
 */
import type { WorkflowJob } from '@tutti/manifests';
import type { FetchedReference } from '../facts/fact.ts';
import { referenceText } from './call-reference.ts';
import { nameOfKey } from './job-tree.ts';
import type { Download, Job, Run } from './run.ts';

const PREFIX = '.download_job_';
/** Names of other jobs begin with no dot. */
export const isDownload = ({ key }: Pick<Job, 'key'>): boolean => nameOfKey(key).startsWith(PREFIX);

/** The function that does it, and how long it may take. */
const FUNCTION = 'tutti/fetch-file@v1';
const MINUTES_MAX = 10;

export const downloadName = (bundle: Pick<Job, 'key'>): string =>
  `${PREFIX}${nameOfKey(bundle.key)}`;

/** `isResource`: the repository is the name of a resource, which has the credentials for it. */
export function downloadJob(
  { repository, path, ref, stepId }: Omit<Download, 'job'>,
  isResource: boolean,
): WorkflowJob {
  const resource = `\${{ resources.repositories['${repository.replaceAll("'", "''")}'] }}`;
  const output = (name: string) => `\${{ steps['${stepId}'].outputs.${name} }}`;
  return {
    steps: [
      {
        id: stepId,
        uses: FUNCTION,
        with: {
          repository: isResource ? resource : repository,
          path,
          ...(ref === null ? {} : { ref }),
        },
        'timeout-minutes': MINUTES_MAX,
      },
    ],
    outputs: { commit: output('commit'), problem: output('problem') },
  };
}

/** The file that was fetched: where it came from, and the blob in which it is kept. Or why there is none. */
export type DownloadEnd =
  | { readonly ok: true; readonly blob: string; readonly fetched: FetchedReference }
  | { readonly ok: false; readonly why: string };

export function endOfDownload(run: Run, download: Download): DownloadEnd {
  const { repository, path, ref, stepId } = download;
  const job = run.jobs.get(download.job);
  const attached = [...(job?.attachments ?? [])].find(([, origin]) => origin.stepId === stepId);
  const commit = job?.outputs.commit ?? '';
  if (job?.result === 'success' && attached !== undefined && COMMIT.test(commit)) {
    return { ok: true, blob: attached[0], fetched: { repository, path, ref, commit } };
  }
  return { ok: false, why: whyNotFetched(download, job) };
}

const COMMIT = /^[0-9a-f]{40,64}$/;

function whyNotFetched(download: Download, job: Job | undefined): string {
  const { repository, path } = download;
  const where = `repository "${repository}" at ${download.ref ?? 'its main branch'}`;
  const environments =
    job === undefined || job.tags.length === 0
      ? 'environments'
      : `environments with the tags ${job.tags.join(', ')}`;
  switch (job?.outputs.problem) {
    case 'git':
      return `workflow "${referenceText(download)}" was to be fetched where git cannot be run. Install git on all ${environments}, or give the job "runs-on" of those that have it.`;
    case 'repository':
      return `${where} cannot be fetched. The log has what git says; check that there is such a branch, tag or commit, that the endpoint of the repository is right, and that its credentials may read it.`;
    case 'file':
      return `there is no file "${path}" in ${where}. The path begins at the root of the repository; links are not followed.`;
    default:
      return `workflow "${referenceText(download)}" could not be fetched. The log of job "${job?.name ?? PREFIX}" says why.`;
  }
}
