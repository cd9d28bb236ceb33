/** Commands for the tests of this folder. */
import type { ExecutionCommandEvent, JobId, StepId, Timestamp, WorkflowId } from '@tutti/manifests';

export const JOB_ID = '11111111-2222-4333-8444-555555555555' as JobId;

export interface CommandFixture extends Partial<ExecutionCommandEvent> {
  readonly sequence?: number;
  readonly hooks?: Readonly<Record<string, unknown>>;
  readonly locals?: readonly string[];
}

/** A command of the job `JOB_ID`: step 0 without scripts, unless the fixture says otherwise. */
export function executionCommand(fixture: CommandFixture = {}): ExecutionCommandEvent {
  const { sequence = 0, hooks, locals, ...rest } = fixture;
  return {
    apiVersion: 'opentestfactory.org/v1beta1',
    kind: 'ExecutionCommand',
    metadata: {
      name: 'tests',
      namespace: 'default',
      workflow_id: 'aaaaaaaa-2222-4333-8444-555555555555' as WorkflowId,
      creationTimestamp: '2026-01-31T12:34:56.123456' as Timestamp,
      job_id: JOB_ID,
      job_origin: [],
      step_id: 'bbbbbbbb-2222-4333-8444-555555555555' as StepId,
      step_origin: [],
      step_sequence_id: sequence,
      annotations: {
        ...(hooks === undefined ? {} : { 'opentestfactory.org/hooks': hooks }),
        ...(locals === undefined ? {} : { local_variables_names: locals }),
      },
    },
    'runs-on': ['linux'],
    scripts: [],
    ...rest,
  };
}
