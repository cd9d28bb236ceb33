/** How long a job took, or takes until the shown moment. */
import { parseTimestamp } from '@tutti/manifests';
import { jobTimeMs } from '@tutti/run-view';
import { formatDuration } from '@tutti/run-view/text';
import { Elapsed } from './elapsed.tsx';
import { type JobPart, useRun } from './run-context.ts';

export function JobTime({ job }: { readonly job: JobPart }) {
  const { doc, isPast } = useRun();
  const startedAt = parseTimestamp(job.started ?? '');
  const endedAt = parseTimestamp(job.ended ?? '');
  if (startedAt === null) return null;
  if (endedAt === null) {
    return isPast || doc.run.ended === null ? <Elapsed since={job.started} /> : null;
  }
  const ms = jobTimeMs({ startedAt, endedAt }, endedAt);
  return ms === null ? null : <span>{formatDuration(ms)}</span>;
}
