/** The events `Workflow` of two runs: what was started, with which values. Masked values stay masked. */
import { queryOptions, useQueries } from '@tanstack/react-query';
import type { LoggedEvent } from '@tutti/manifests';
import { ask, runPath } from '../../data/api.ts';

const manifestQuery = (runId: string) =>
  queryOptions({
    queryKey: ['manifest', runId],
    queryFn: async ({ signal }) => {
      const path = runPath(runId, '/status');
      const query = { fieldSelector: 'kind==Workflow', per_page: '1' };
      const { items } = await ask<{ readonly items: readonly LoggedEvent[] }>({
        path,
        query,
        signal,
      });
      return items[0] ?? null;
    },
    staleTime: Number.POSITIVE_INFINITY,
  });

/** Undefined until both are there. */
export function useManifests(a: string, b: string) {
  const [before, after] = useQueries({ queries: [manifestQuery(a), manifestQuery(b)] });
  return {
    error: before.error ?? after.error,
    again: () => void Promise.all([before.refetch(), after.refetch()]),
    before: before.data,
    after: after.data,
  };
}
