/** Which hooks of authors hold for a job. */
import type { Hook } from '@tutti/manifests';
import { extension } from '../facts/extensions.ts';
import { isDownload } from './download.ts';
import { bundlesAround } from './job-tree.ts';
import type { Job, Run } from './run.ts';

/** Hooks of the started workflow, then those of the called workflows around the job. A download job has none. */
export function hooksAround(run: Run, job: Job): readonly Hook[] {
  if (isDownload(job)) return [];
  const called = bundlesAround(run, job).flatMap(({ bundle }) => bundle?.called?.hooks ?? []);
  return [...extension.hooks(run.manifest, 'hooks'), ...called];
}
