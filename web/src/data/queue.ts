/** Jobs that wait, in the order in which they get environments: `GET /queue`. */
import { queryOptions } from '@tanstack/react-query';
import { ask } from './api.ts';
import { LIVE } from './live.ts';
import type { Page } from './runs.ts';

/** A job that waits, or a whole run. `usual_wait` is in milliseconds. */
export interface WaitingJob {
  readonly workflow_id: string;
  /** Name of the run. */
  readonly workflow: string;
  readonly namespace: string;
  /** Null for a whole run. */
  readonly job_id: string | null;
  readonly name: string | null;
  readonly tags: readonly string[];
  readonly since: string | null;
  /** A sentence. */
  readonly reason: string | null;
  /** Advice, as a sentence. */
  readonly help: string | null;
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
