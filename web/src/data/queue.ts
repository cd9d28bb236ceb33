/** Jobs that wait, in the order in which they get environments: `GET /queue`. */
import { queryOptions } from '@tanstack/react-query';
import { ask } from './api.ts';
import { LIVE } from './live.ts';
import type { Page } from './runs.ts';

/** A job that waits. `usual_wait` is in milliseconds. */
export interface WaitingJob {
  readonly workflow_id: string;
  readonly workflow_name?: string;
  readonly job_id: string;
  readonly name: string;
  readonly since: string;
  /** A sentence. */
  readonly reason: string;
  readonly tags: readonly string[];
  readonly namespace: string;
  /** From 1, among jobs that wait for environments. */
  readonly place: number | null;
  readonly usual_wait: number | null;
}

/** The first rows of the queue. */
export const queueQuery = (namespace: string | undefined, rows = 200) =>
  queryOptions({
    queryKey: ['queue', namespace, rows],
    queryFn: ({ signal }) =>
      ask<Page<WaitingJob>>({
        path: '/queue',
        query: { namespace, per_page: String(rows) },
        signal,
      }),
    ...LIVE,
  });
