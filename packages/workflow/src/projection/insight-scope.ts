/** Scope of the condition of an insight (wire facts 6.7 and 9.5). */
import type { Scope } from '@tutti/expressions';
import { statusFunctions } from '../run/contexts.ts';
import type { Run } from '../run/run.ts';

/** The status functions tell how the run ended or, while it goes on, how it went so far. */
export function insightScope(run: Run): Scope {
  return {
    contexts: {
      workflow: {
        workflow_id: run.workflowId,
        name: run.name,
        namespace: run.namespace,
        status: run.phase === 'NONE' ? 'PENDING' : run.phase,
        creationTimestamp: run.createdAt,
        labels: run.labels,
      },
    },
    functions: statusFunctions(statusOf(run)),
  };
}

function statusOf(run: Run): 'success' | 'failure' | 'cancelled' {
  const cause = run.cancellation?.cause;
  if (cause === 'user' || cause === 'superseded') return 'cancelled';
  const hasFailed = run.phase === 'FAILED' || run.cancellation !== null;
  const hasFailedJob = [...run.jobs.values()].some(({ result }) => result === 'failure');
  return hasFailed || hasFailedJob ? 'failure' : 'success';
}
