/** `DELETE /workflows/{workflow_id}/history`, an extension: deletes a run now instead of at its retention time. */
import { messages, OrchestratorError, status } from '@tutti/manifests';
import { sendStatus } from '../../http/reply.ts';
import type { Routes } from '../../http/routes.ts';
import { type RunPath, runInPath } from '../../http/run-in-path.ts';
import type { WorkflowRow } from '../../store/store.ts';
import { forgetRuns, type RetentionDeps } from './retention.ts';

const DELETE = { resource: 'workflows', verb: 'delete' } as const;
/** Backups take minutes. */
const BACKUP_SECONDS = 10;

export function forgetRoutes(
  deps: Pick<RetentionDeps, 'store' | 'blobs' | 'lockFiles' | 'feed'>,
): Routes {
  return (app) => {
    app.delete<RunPath>(
      '/workflows/:workflow_id/history',
      {
        config: { access: DELETE },
        schema: {
          summary: 'Forget a workflow that is over',
          description:
            'Removes its events, log, files and test results, as retention does later. Later runs keep the earlier executions of their tests as long as the configuration says.',
          tags: ['observer'],
          operation: ({ IDS }) => ({
            id: 'forgetWorkflow',
            answers: { OK: { message: messages.workflowForgotten(IDS.workflow) } },
            failures: ['Conflict', 'ServiceUnavailable'],
          }),
        },
      },
      async (request, reply) => {
        const row = await runInPath(deps.store, request, DELETE);
        request.audited = { namespace: row.namespace };
        refuseLive(row);
        if (!(await forgetRuns(deps, [row.workflowId]))) throw filesCopied();
        return sendStatus(reply, status('OK', messages.workflowForgotten(row.workflowId)));
      },
    );
  };
}

/** A worker of the run would write to deleted files. */
function refuseLive({ workflowId, completedAt, live, workers }: WorkflowRow): void {
  if (completedAt === null) {
    throw new OrchestratorError('Conflict', messages.workflowGoesOn(workflowId));
  }
  if (!live) return;
  const message = messages.workflowWorkedOn(workflowId, workers.length);
  throw new OrchestratorError('Conflict', message);
}

const filesCopied = (): OrchestratorError =>
  new OrchestratorError('ServiceUnavailable', messages.filesCopied(), {
    retryAfterSeconds: BACKUP_SECONDS,
  });
