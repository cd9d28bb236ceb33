/**
 * Ends the runs of a command whose process was killed. The next owner of the data directory ends them. Otherwise they would
 * continue beside newer runs, or appear to run for ever.
 */
import { type WorkflowId, workflowCancellation } from '@tutti/manifests';
import type { EventBus, RunDirectory } from '../../bus/bus.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Service } from '../../runtime/service.ts';
import { isToBeEnded } from './overfull.ts';

export const INTERRUPTED = 'It was interrupted: the process that ran it on this machine was ended.';

interface InterruptedRunsDeps {
  readonly bus: Pick<EventBus, 'publish'>;
  readonly runs: Pick<RunDirectory, 'live'>;
  readonly clock: Pick<Clock, 'timestamp'>;
}

interface InterruptedRuns extends Service {
  /** The interrupted runs, oldest first. */
  readonly found: readonly WorkflowId[];
}

/** Start it after the arranger, and before services that would continue the runs. */
export function endInterruptedRuns({ bus, runs, clock }: InterruptedRunsDeps): InterruptedRuns {
  const found: WorkflowId[] = [];
  return {
    name: 'interrupted runs',
    found,
    async start() {
      const interrupted = [...runs.live()].filter((run) => run.isLocal && isToBeEnded(run));
      for (const run of interrupted.sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1))) {
        const sender = { apiGroup: run.apiGroup, clock };
        await bus.publish(workflowCancellation(sender, run, { reason: INTERRUPTED }));
        found.push(run.workflowId);
      }
    },
    async stop() {},
  };
}
