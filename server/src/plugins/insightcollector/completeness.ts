/** Notice in a report that is made before all results of its run exist. */
import { messages } from '@tutti/manifests';
import { isInsightWorker, isReportReader, type Run } from '@tutti/workflow';

/** A sentence; null where nothing more is to come of the run. */
export function incompleteness({ phase, workers }: Pick<Run, 'phase' | 'workers'>): string | null {
  if (phase !== 'DONE' && phase !== 'FAILED') return messages.reportWhileRunning();
  const ids = [...workers].filter((id) => !isInsightWorker(id));
  const readers = ids.filter(isReportReader);
  if (readers.length > 0) return messages.reportWhileReading(readers.length);
  return ids.length > 0 ? messages.reportWhileWorking(ids.length) : null;
}
