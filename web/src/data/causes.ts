/** Causes of failures over all runs: `GET /causes`, and what is below it. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { ask, runPath } from './api.ts';
import type { Page } from './runs.ts';
import { type Begin, RENEWAL_MS, renewedAfter } from './tests.ts';

export interface ListedCause {
  readonly metadata: {
    readonly id: string;
    readonly namespace: string;
    readonly project: string;
    readonly name: string;
    readonly lastSeen: string;
  };
  readonly status: { readonly failures: number; readonly since: Begin; readonly last: Begin };
}

export interface OneCause extends ListedCause {
  readonly status: ListedCause['status'] & {
    readonly sample: string;
    readonly tests: readonly {
      readonly test_id: string;
      readonly variant_id: string;
      readonly suite: string;
      readonly name: string;
      readonly job: string;
      readonly failures: number;
    }[];
    readonly runs: readonly {
      readonly workflow_id: string;
      readonly version: string | null;
      readonly branch: string | null;
      readonly at: string;
      readonly agent: string | null;
      readonly failures: number;
    }[];
    readonly versions: readonly { readonly version: string | null; readonly failures: number }[];
    readonly environments: readonly {
      readonly agent: string | null;
      readonly tags: readonly string[];
      readonly failures: number;
    }[];
  };
}

/** A cause of one run. */
export interface RunCause {
  readonly id: string;
  readonly title: string;
  readonly failures: number;
  /** Null before the run is in the history. */
  readonly known: {
    readonly cause_id: string;
    readonly isNew: boolean;
    readonly since: Pick<Begin, 'workflow_id' | 'at'>;
  } | null;
  readonly tests: readonly {
    readonly id: string;
    readonly suite: string;
    readonly name: string;
  }[];
}

/** Conditions on a list of causes, as the address of the page has them. */
export interface CauseSearch {
  readonly q?: string;
  readonly project?: string;
  readonly namespace?: string;
}

export const CAUSES_ROWS = 50;

export const causesQuery = (
  { q, ...search }: CauseSearch & { readonly test?: string },
  page = 0,
  rows = CAUSES_ROWS,
) =>
  queryOptions({
    queryKey: ['all-causes', q, search, page, rows],
    queryFn: ({ signal }) =>
      ask<Page<ListedCause>>({
        path: '/causes',
        query: {
          ...search,
          ...(q === undefined ? {} : { search: q }),
          page: String(page + 1),
          per_page: String(rows),
        },
        signal,
      }),
    placeholderData: keepPreviousData,
    refetchInterval: RENEWAL_MS,
  });

export const causeQuery = (id: string) =>
  queryOptions({
    queryKey: ['cause', id],
    queryFn: ({ signal }) => ask<OneCause>({ path: `/causes/${encodeURIComponent(id)}`, signal }),
    refetchInterval: RENEWAL_MS,
  });

/** The causes of a run. `endedMs` is null while it goes on. */
export const runCausesQuery = (runId: string, endedMs: number | null) =>
  queryOptions({
    queryKey: ['causes', runId],
    queryFn: ({ signal }) =>
      ask<{ readonly failures: number; readonly items: readonly RunCause[] }>({
        path: runPath(runId, '/causes'),
        signal,
      }),
    refetchInterval: ({ state: { data } }) =>
      data?.items.some(({ known }) => known === null) && renewedAfter(endedMs),
  });
