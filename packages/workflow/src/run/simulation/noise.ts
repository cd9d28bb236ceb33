/** Inputs that fit a run in everything but what matters: to be refused, or to leave it as it is. */
import type { ChannelId, EventMetadata, LoggedEvent, RunEvent, StepId } from '@tutti/manifests';
import { STEP_SEQUENCE } from '@tutti/manifests';
import { groupClaims } from '../concurrency.ts';
import type { RunInput } from '../decide.ts';
import { type Job, type Run, stepOriginOf } from '../run.ts';
import type { Random } from './random.ts';

export interface Noise {
  readonly refused: readonly RunEvent[];
  /** Inputs that cause no events. */
  readonly ignored: readonly RunInput[];
  /** Events that the log keeps and that change nothing. */
  readonly actual: readonly LoggedEvent[];
}

/** `about` is the metadata that all events of the run share. */
export function noise(run: Run, about: EventMetadata, random: Random): Noise {
  const jobs = [...run.jobs.values()];
  const job = random.pick(jobs);
  const spec = { outcome: 'failure', conclusion: 'failure', logs: ['noise'] };
  return {
    refused: [...resultsOfNothing(job, about), ...answersToNothing(job, about)],
    ignored: [...groupsOfNobody(run), ...groupsTooLate(job)],
    actual: [
      {
        apiVersion: 'example.org/v1alpha1',
        kind: 'Notification',
        metadata: { ...about, ...placeOf(job) },
        spec,
      },
      {
        apiVersion: 'example.org/v1alpha1',
        kind: 'Noise',
        metadata: { ...about, ...placeOf(job), step_sequence_id: job.command?.sequence ?? -1 },
        spec,
        status: 1,
      },
    ],
  };
}

/** A job that never asked for an environment has an id that nobody can know. */
const placeOf = ({ jobId, command, providerCall }: Job) => ({
  job_id: jobId ?? ('nobody' as NonNullable<Job['jobId']>),
  job_origin: [],
  step_id: command?.stepId ?? providerCall?.stepId ?? ('s0' as StepId),
  step_origin: [],
});

/** Results of another channel, or of a command that was never sent. */
function resultsOfNothing(job: Job, about: EventMetadata): readonly RunEvent[] {
  const other = { channel_id: 'channel-9' as ChannelId };
  const result = (more: {
    readonly step_sequence_id: number;
    readonly channel_id?: ChannelId;
  }) => ({
    apiVersion: 'example.org/v1alpha1',
    kind: 'ExecutionResult' as const,
    metadata: { ...about, ...placeOf(job), ...more },
    status: 0,
  });
  return [
    result({ ...other, step_sequence_id: job.command?.sequence ?? 0 }),
    result({ ...other, step_sequence_id: STEP_SEQUENCE.release }),
    result({ step_sequence_id: job.nextSequence }),
  ];
}

/** Answers for a step of the same id, elsewhere in the job. */
function answersToNothing(job: Job, about: EventMetadata): readonly RunEvent[] {
  const step_origin = [...stepOriginOf(job), 'elsewhere' as StepId];
  return [
    {
      apiVersion: 'example.org/v1beta1',
      kind: 'ProviderResult',
      metadata: { ...about, ...placeOf(job), step_origin },
      steps: [],
    },
    ...(job.phase === 'GENERATING' ? [] : [jobsForNobody(job, about)]),
  ];
}

function jobsForNobody(job: Job, about: EventMetadata): RunEvent {
  return {
    apiVersion: 'example.org/v1beta1',
    kind: 'GeneratorResult',
    metadata: { ...about, ...placeOf(job) },
    jobs: { a: { steps: [{ run: 'never' }] } },
  };
}

/** Granted to a job that waits for nothing any more. */
function groupsTooLate({ key, phase }: Job): readonly RunInput[] {
  return phase === 'WAITING' ? [] : [{ type: 'granted', job: key }];
}

/** Late grants of groups that were granted already. */
function groupsOfNobody(run: Run): readonly RunInput[] {
  return groupClaims(run)
    .filter(({ holds }) => holds)
    .flatMap(({ job, group }): readonly RunInput[] => [
      { type: 'granted', job },
      { type: 'held', job, group, heldBy: run.workflowId, heldByJob: job },
    ]);
}
