/**
 * Counts runs by the events that they commit. For each job of a live run it keeps the time of the last command. Commands from
 * before a restart are not measured.
 */
import {
  assertNever,
  type ExecutionCommandEvent,
  type ExecutionResultEvent,
  type JobId,
  type WorkflowId,
} from '@tutti/manifests';
import { type Job, jobById } from '@tutti/workflow';
import { type Fact, factOf } from '@tutti/workflow/facts';
import type { EventBus, RunDirectory } from '../../bus/bus.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Meters } from '../../runtime/meters.ts';

export interface RunMeterDeps {
  readonly bus: Pick<EventBus, 'subscribe'>;
  readonly runs: Pick<RunDirectory, 'current'>;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly meters: Meters;
}

/** Kinds of the events whose facts count. */
const KINDS = [
  ...(['Workflow', 'WorkflowCompleted', 'WorkflowCanceled'] as const),
  ...(['ExecutionCommand', 'ExecutionResult', 'Notification'] as const),
];

export function meterRuns(deps: RunMeterDeps): void {
  const commands = new CommandTimes(deps.clock);
  for (const kind of KINDS) {
    deps.bus.subscribe(kind, (event) => meter(deps, commands, factOf(event)));
  }
}

function meter({ runs, meters }: RunMeterDeps, commands: CommandTimes, fact: Fact): void {
  const run = runs.current(fact.event.metadata.workflow_id);
  switch (fact.type) {
    case 'RunReceived':
      meters.runsAccepted.count += 1;
      break;
    case 'EnvironmentRequested':
    case 'StepStarted':
      commands.begin(fact.event);
      break;
    case 'JobReleased':
      commands.begin(fact.event);
      // The result of a job that had an environment is known when that is given back.
      count(meters, run === null ? null : jobById(run, fact.event.metadata.job_id));
      break;
    case 'EnvironmentOffered':
      observe(meters.jobWaitSeconds, commands.end(fact.event));
      break;
    case 'StepAnswered':
    case 'EnvironmentFreed':
      observe(meters.commandSeconds, commands.end(fact.event));
      break;
    case 'JobEnded':
      count(meters, run?.jobs.get(fact.job) ?? null);
      break;
    case 'RunSucceeded':
      commands.forget(fact.event.metadata.workflow_id);
      meters.runsEnded.add('done');
      break;
    case 'RunEnded':
      commands.forget(fact.event.metadata.workflow_id);
      meters.runsEnded.add(fact.event.details.status === 'cancelled' ? 'canceled' : 'failed');
      break;
    // Commands that stop another command have no result of their own.
    case 'StepStopped':
    case 'FunctionCalled':
    case 'FunctionAnswered':
    case 'TestsAsked':
    case 'TestsJudged':
    case 'JobsAsked':
    case 'JobsGiven':
    case 'DownloadBegun':
    case 'Held':
    case 'Granted':
    case 'Halted':
    case 'Superseded':
    case 'JobOverdue':
    case 'StepOverdue':
    case 'StepEnded':
    case 'StepPrinted':
    case 'WorkerChanged':
    case 'ReportRead':
    case 'Noted':
    case 'FilesPublished':
    case 'RunFailed':
    case 'CancellationAsked':
      break;
    default:
      assertNever(fact);
  }
}

function observe(seconds: Meters['commandSeconds'], value: number | null): void {
  if (value !== null) seconds.observe(value);
}

/** When each job that waits for a result was given its command. */
class CommandTimes {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #runs = new Map<WorkflowId, Map<JobId, number>>();

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock;
  }

  begin({ metadata }: ExecutionCommandEvent): void {
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

/** Bundles do not count, because their jobs do. */
function count({ jobsEnded }: Meters, job: Job | null): void {
  if (job?.bundle === null && job.result !== null) jobsEnded.add(job.result);
}
