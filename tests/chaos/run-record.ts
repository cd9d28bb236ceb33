/** A run that has ended, with all that the server tells of it. */
import type { ExecutionCommandEvent, ExecutionResultEvent, RunEvent } from '@tutti/manifests';
import type { Api } from '../support/api.ts';
import { allEvents, logTexts, only, statusOf } from '../support/runs.ts';
import { type Traces, tracesIn } from './workload.ts';

export interface RunRecord {
  readonly id: string;
  readonly status: string;
  readonly events: readonly RunEvent[];
  readonly texts: readonly string[];
}

/** A command of a step that leaves traces. */
export interface Execution extends Traces {
  readonly command: ExecutionCommandEvent;
  readonly result: ExecutionResultEvent | null;
}

export async function readRun(api: Api, id: string): Promise<RunRecord> {
  const [status, events, texts] = await Promise.all([
    statusOf(api, id),
    allEvents(api, id),
    logTexts(api, id),
  ]);
  return { id, status, events, texts };
}

export function executionsOf({ events }: RunRecord): readonly Execution[] {
  const results = only(events, 'ExecutionResult');
  return only(events, 'ExecutionCommand').flatMap((command) => {
    const traces = tracesIn(command.scripts.join('\n'));
    if (traces === null) return [];
    const { job_id: jobId, step_sequence_id: sequence } = command.metadata;
    const result = results.find(
      ({ metadata }) => metadata.job_id === jobId && metadata.step_sequence_id === sequence,
    );
    return [{ ...traces, command, result: result ?? null }];
  });
}
