/**
 * Counts runs by the events that they commit. For each job of a live run it keeps the time of the last command. Commands from
 * before a restart are not measured.
 */
import {
  type ExecutionCommandEvent,
  type ExecutionResultEvent,
  type JobId,
  type NotificationEvent,
  STEP_SEQUENCE,
  type WorkflowId,
} from '@tutti/manifests';
import { type Job, jobById } from '@tutti/workflow';
import { factOf } from '@tutti/workflow/facts';
import type { EventBus, RunDirectory } from '../../bus/bus.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Meters } from '../../runtime/meters.ts';

export interface RunMeterDeps {
  readonly bus: Pick<EventBus, 'subscribe'>;
  readonly runs: Pick<RunDirectory, 'current'>;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly meters: Meters;
}

export function meterRuns(deps: RunMeterDeps): void {
  const { bus, meters } = deps;
  const commands = new CommandTimes(deps.clock);
  bus.subscribe('Workflow', () => {
    meters.runsAccepted.count += 1;
  });
  bus.subscribe('ExecutionCommand', (event) => {
    commands.begin(event);
    if (event.metadata.step_sequence_id === STEP_SEQUENCE.release) countJob(deps, event);
  });
  bus.subscribe('ExecutionResult', (event) => {
    const seconds = commands.end(event);
    if (seconds === null) return;
    const isOffer = event.metadata.step_sequence_id === STEP_SEQUENCE.request;
    (isOffer ? meters.jobWaitSeconds : meters.commandSeconds).observe(seconds);
  });
  bus.subscribe('Notification', (event) => countJobWithoutEnvironment(deps, event));
  bus.subscribe('WorkflowCompleted', ({ metadata }) => {
    commands.forget(metadata.workflow_id);
    meters.runsEnded.add('done');
  });
  bus.subscribe('WorkflowCanceled', ({ metadata, details }) => {
    commands.forget(metadata.workflow_id);
    meters.runsEnded.add(details.status === 'cancelled' ? 'canceled' : 'failed');
  });
}

/** When each job that waits for a result was given its command. */
class CommandTimes {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #runs = new Map<WorkflowId, Map<JobId, number>>();

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock;
  }

  begin({ metadata }: ExecutionCommandEvent): void {
    // Commands that stop another command have no result of their own.
    if (metadata.step_sequence_id < STEP_SEQUENCE.release) return;
    const jobs = this.#runs.get(metadata.workflow_id) ?? new Map<JobId, number>();
    this.#runs.set(metadata.workflow_id, jobs);
    jobs.set(metadata.job_id, this.#clock.monotonicMs());
  }

  /** Duration of the command in seconds; null if unknown. */
  end({ metadata }: ExecutionResultEvent): number | null {
    const jobs = this.#runs.get(metadata.workflow_id);
    const sinceMs = jobs?.get(metadata.job_id);
    jobs?.delete(metadata.job_id);
    return sinceMs === undefined ? null : (this.#clock.monotonicMs() - sinceMs) / 1000;
  }

  forget(workflowId: WorkflowId): void {
    this.#runs.delete(workflowId);
  }
}

/** The result of a job that had an environment is known when that is given back. */
function countJob({ runs, meters }: RunMeterDeps, { metadata }: ExecutionCommandEvent): void {
  const run = runs.current(metadata.workflow_id);
  count(meters, run === null ? null : jobById(run, metadata.job_id));
}

function countJobWithoutEnvironment(
  { runs, meters }: RunMeterDeps,
  event: NotificationEvent,
): void {
  const fact = factOf(event);
  if (fact.type !== 'JobEnded') return;
  count(meters, runs.current(event.metadata.workflow_id)?.jobs.get(fact.job) ?? null);
}

/** Bundles do not count, because their jobs do. */
function count({ jobsEnded }: Meters, job: Job | null): void {
  if (job?.bundle === null && job.result !== null) jobsEnded.add(job.result);
}
