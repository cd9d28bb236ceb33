/** Cancelling runs (specification 4.7). */
import {
  messages,
  parseWorkflowId,
  status,
  workflowCancellation,
  workflowNotFound,
} from '@tutti/manifests';
import { withActor } from '../../auth/actor.ts';
import type { EventBus } from '../../bus/bus.ts';
import { queryFlag, queryText } from '../../http/query.ts';
import { sendStatus } from '../../http/reply.ts';
import type { Routes } from '../../http/routes.ts';
import { knownRun, type RunPath, type RunRight } from '../../http/run-in-path.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Store, WorkflowRow } from '../../store/store.ts';

interface KillswitchDeps {
  readonly apiGroup: string;
  readonly bus: EventBus;
  readonly store: Store;
  readonly clock: Clock;
}

const CANCEL: RunRight = { resource: 'workflows', verb: 'delete' };

export function killswitchRoutes(deps: KillswitchDeps): Routes {
  return (app) => {
    app.delete<RunPath>(
      '/workflows/:workflow_id',
      {
        config: { access: CANCEL },
        schema: {
          summary: 'Cancel a workflow',
          tags: ['killswitch'],
          parameters: {
            dryRun: { type: 'string' },
            source: { type: 'string' },
            reason: { type: 'string' },
          },
          operation: ({ IDS }) => ({
            id: 'cancelWorkflow',
            answers: { OK: { message: messages.workflowCanceled(IDS.workflow) } },
          }),
        },
      },
      async (request, reply) => {
        const workflowId = parseWorkflowId(request.params.workflow_id);
        const row = await knownRun(deps.store, workflowId, request.access, CANCEL);
        const dryRun = queryFlag(request, 'dryRun');
        request.audited = { namespace: row.namespace, ...(dryRun ? { dryRun } : {}) };
        const [source, reason] = [queryText(request, 'source'), queryText(request, 'reason')];
        if (dryRun && isOver(row)) throw workflowNotFound(workflowId);
        if (!dryRun) {
          // A finished run refuses it, and the client need not know (specification 4.7).
          const event = workflowCancellation(deps, row, {
            ...(reason === null ? {} : { reason }),
            ...(source === null ? {} : { source }),
          });
          await deps.bus.publish(withActor(event, request.access));
        }
        return sendStatus(reply, status('OK', messages.workflowCanceled(workflowId)));
      },
    );
  };
}

const isOver = ({ status: phase }: WorkflowRow): boolean => phase === 'DONE' || phase === 'FAILED';
