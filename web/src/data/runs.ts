/** Runs, as lists show them: `GET /runs`. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { ask } from './api.ts';
import { LIVE } from './live.ts';

/** A run in a list. Durations are in milliseconds. */
export interface RunSummary {
  readonly workflow_id: string;
  readonly name: string;
  readonly namespace: string;
  readonly status: 'PENDING' | 'RUNNING' | 'DONE' | 'FAILED';
  readonly canceled: boolean;
  readonly started_by: string | null;
  readonly created: string;
  readonly started: string | null;
  readonly ended: string | null;
  readonly duration: number | null;
  /** The median of the last runs of the same name that succeeded; null if there are none. */
  readonly usual_duration: number | null;
  readonly labels: Readonly<Record<string, string>>;
  readonly rerun_of: string | null;
  /** Null for a run of an earlier version that was not yet looked at. */
  readonly jobs: JobCounts | null;
  readonly tests: TestCounts;
  /** Why it waits; null if it does not. */
  readonly waiting: string | null;
  readonly first_failure: FirstFailure | null;
}

export type JobCounts = Readonly<
  Record<'total' | 'waiting' | 'running' | 'succeeded' | 'failed' | 'skipped' | 'canceled', number>
>;

export type TestCounts = Readonly<Record<'success' | 'failure' | 'error' | 'skipped', number>>;

export interface FirstFailure {
  readonly job: string | null;
  readonly job_id: string | null;
  readonly step: string | null;
  readonly step_id: string | null;
  readonly message: string;
}

/** Conditions and order of a list of runs, as the address of the page has them. */
export interface RunSearch {
  readonly status?: string;
  readonly q?: string;
  readonly name?: string;
  readonly namespace?: string;
  readonly label?: string;
  readonly since?: string;
  readonly sort?: string;
}

export interface Page<Item> {
  readonly items: readonly Item[];
  readonly total: number;
  /** Sentences on what the answer may lack. */
  readonly warnings?: readonly string[];
}

export const PAGE_ROWS = 200;

/** A page of a list of runs, from 0. */
export const runsQuery = (search: RunSearch, page = 0, rows = PAGE_ROWS) =>
  queryOptions({
    queryKey: ['runs', search, page, rows],
    queryFn: ({ signal }) =>
      ask<Page<RunSummary>>({
        path: '/runs',
        query: { ...requestOf(search), page: String(page + 1), per_page: String(rows) },
        signal,
      }),
    placeholderData: keepPreviousData,
    ...LIVE,
  });

/** The query of the interface for conditions of the page. */
export function requestOf({ q, label, since, ...search }: RunSearch) {
  return {
    ...search,
    ...(q === undefined ? {} : { search: q }),
    ...(label === undefined ? {} : { labelSelector: label }),
    ...(since === undefined ? {} : { since: sinceTime(since) }),
  };
}

const UNITS: Readonly<Record<string, number>> = { h: 3_600_000, d: 86_400_000 };

/** A moment, from a time or from an age such as `24h` or `7d`. */
function sinceTime(since: string): string {
  const [, count, unit = ''] = /^(\d{1,4})([hd])$/.exec(since) ?? [];
  if (count === undefined) return since;
  const minute = Math.floor(Date.now() / 60_000) * 60_000;
  return new Date(minute - Number(count) * (UNITS[unit] ?? 0)).toISOString().slice(0, 19);
}
