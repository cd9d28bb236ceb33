/** Actions on runs and environments. */
import { useQueryClient } from '@tanstack/react-query';
import { ask, runPath } from './api.ts';

/** Asks for the end of a run. */
export const cancelRun = (runId: string) =>
  ask({ method: 'DELETE', path: runPath(runId), query: { reason: 'Canceled in the browser.' } });

/** Removes a run that is over. */
export const forgetRun = (runId: string) =>
  ask({ method: 'DELETE', path: runPath(runId, '/history') });

/** Starts a run again, or its failed jobs. Resolves with the id of the new run. */
export async function rerunRun(runId: string, { failed = false } = {}): Promise<string> {
  const query = failed ? { failed: 'true' } : {};
  const details = await ask<{ readonly workflow_id: string }>({
    method: 'POST',
    path: runPath(runId, '/rerun'),
    query,
  });
  return details.workflow_id;
}

/** Gives an environment no further job, or jobs again. */
export const setDraining = (agentId: string, isDraining: boolean) =>
  ask({
    method: isDraining ? 'POST' : 'DELETE',
    path: `/agents/${encodeURIComponent(agentId)}/drain`,
  });

/** Fetches all lists again, after something was changed. */
export function useRenewal() {
  const queries = useQueryClient();
  return () => queries.invalidateQueries();
}
