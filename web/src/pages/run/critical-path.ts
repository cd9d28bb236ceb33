/** The jobs that made a run as long as it was. */
import { parseTimestamp } from '@tutti/manifests';
import { criticalPath } from '@tutti/run-graph';
import { useMemo } from 'react';
import { useRun } from './run-context.ts';

/** Their keys. */
export function useCriticalPath(): ReadonlySet<string> {
  const { doc } = useRun();
  return useMemo(() => {
    const jobs = doc.jobs.map(({ key, needs, ended }) => ({
      key,
      needs,
      endedAt: parseTimestamp(ended ?? ''),
    }));
    return new Set(criticalPath(jobs));
  }, [doc]);
}
