/** Lays the graph of a run out. With many jobs, that takes too long between two frames, so a worker does it. */
import { foldJobs, type GraphJob, type Layout, layOut } from '@tutti/run-graph';
import { useEffect, useMemo, useState } from 'react';
import { workerAt } from '../../data/own-worker.ts';
import address from './graph-worker.ts?worker&url';
import type { JobPart } from './run-context.ts';

export interface LayoutQuestion {
  readonly jobs: readonly GraphJob[];
  /** Keys of boxes that the reader opened. */
  readonly opened: ReadonlySet<string>;
}

/** As many are laid out within some milliseconds. */
const JOBS_AT_ONCE = 200;

const ask = workerAt<LayoutQuestion, Layout>(address);

/** A new layout only when the jobs, or the urgency of one, changed. Null until there is one. */
export function useLayout(
  parts: readonly JobPart[],
  opened: LayoutQuestion['opened'],
): Layout | null {
  const jobs = parts.map(({ key, needs, status }) => ({
    key,
    needs,
    isUrgent: status === 'FAILED' || status === 'RUNNING',
  }));
  const text = JSON.stringify(jobs);
  const isSmall = jobs.length <= JOBS_AT_ONCE;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the text stands for the jobs
  const atOnce = useMemo(
    () => (isSmall ? layOut(foldJobs(jobs, { opened })) : null),
    [text, opened],
  );
  const [later, setLater] = useState<Layout | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the text stands for the jobs
  useEffect(() => {
    if (isSmall) return;
    let isWanted = true;
    void ask({ jobs, opened }).then((layout) => {
      if (isWanted) setLater(layout);
    });
    return () => {
      isWanted = false;
    };
  }, [text, opened]);
  return atOnce ?? later;
}
