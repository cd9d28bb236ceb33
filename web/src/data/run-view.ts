/** A run as the server folds it: `GET /workflows/{id}/view`. */
import { queryOptions } from '@tanstack/react-query';
import type { RunDocument } from '@tutti/run-view';
import { ask, runPath } from './api.ts';

/** The server folds runs with more events or more output: to hold all of it would cost too much memory. */
const EVENTS_MAX = 20_000;
const LOG_BYTES_MAX = 32 * 1024 * 1024;
/** Pauses between two questions about such a run while it goes on, and about a run that may become one. */
const LOOK_INTERVAL_MS = 1_000;
const SIZE_INTERVAL_MS = 10_000;

export type ServedView = RunDocument & {
  readonly seq: number;
  readonly total: number;
  readonly failure_line: number | null;
  readonly log_bytes: number;
};

/** Whether the server folds the run, since the page cannot hold its events. */
export const isLarge = ({ total, log_bytes: bytes }: ServedView): boolean =>
  total > EVENTS_MAX || bytes > LOG_BYTES_MAX;

/** The number of an event, as an address has it; null for the newest state. */
export const momentOf = (at: string | undefined): number | null =>
  at !== undefined && /^\d{1,9}$/.test(at) ? Number(at) : null;

/** The run after some events; with null, the newest state of it. */
export const viewQuery = (runId: string, at: number | null) =>
  queryOptions({
    queryKey: ['view', runId, at],
    queryFn: ({ signal }) =>
      ask<ServedView>({
        path: runPath(runId, '/view'),
        query: { at: at === null ? undefined : String(at) },
        signal,
      }),
    refetchInterval: ({ state: { data } }) => {
      if (at !== null || data === undefined || data.run.ended !== null) return false;
      return isLarge(data) ? LOOK_INTERVAL_MS : SIZE_INTERVAL_MS;
    },
    staleTime: at === null ? 0 : Number.POSITIVE_INFINITY,
  });
