/** Quarantine of tests: `GET /quarantine`, and how one begins and ends. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { ask } from './api.ts';
import type { Page } from './runs.ts';
import { type Quarantine, RENEWAL_MS, type TestState, testPath } from './tests.ts';

export interface ListedQuarantine extends Quarantine {
  readonly test_id: string;
  readonly namespace: string;
  readonly project: string;
  /** With its suite. */
  readonly name: string;
  readonly state: TestState;
}

/** Conditions on the list, as the address of the page has them. */
export interface QuarantineSearch {
  readonly project?: string;
  readonly namespace?: string;
}

export const QUARANTINE_ROWS = 50;

export const quarantineQuery = (search: QuarantineSearch, page = 0) =>
  queryOptions({
    queryKey: ['quarantine', search, page],
    queryFn: ({ signal }) =>
      ask<Page<ListedQuarantine>>({
        path: '/quarantine',
        query: { ...search, page: String(page + 1), per_page: String(QUARANTINE_ROWS) },
        signal,
      }),
    placeholderData: keepPreviousData,
    refetchInterval: RENEWAL_MS,
  });

/** The body of the request. The server ends what has no `until`. */
export interface WantedQuarantine {
  readonly reason: string;
  readonly until?: string | undefined;
  readonly variant?: string | undefined;
  readonly link?: string | undefined;
  readonly force?: boolean | undefined;
}

export const quarantineTest = (testId: string, wanted: WantedQuarantine) =>
  ask({
    method: 'POST',
    path: testPath(testId, '/quarantine'),
    body: { contentType: 'application/json', text: JSON.stringify(wanted) },
  });

/** Without a variant, those of all its variants end, too. */
export const releaseTest = (
  testId: string,
  {
    reason,
    variant,
  }: { readonly reason?: string | undefined; readonly variant?: string | undefined },
) => ask({ method: 'DELETE', path: testPath(testId, '/quarantine'), query: { reason, variant } });
