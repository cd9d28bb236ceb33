/**
 * Compares a run with its specification: the steps that ran, their order and outcomes, and the results that jobs exchanged. A loss of its
 * environment must explain each unexpected failure of a step.
 */
import { STEP_SEQUENCE } from '@tutti/manifests';
import { type Execution, executionsOf, type RunRecord } from '../run-record.ts';
import { type JobSpec, markOf, type RunSpec, type StepSpec } from './run-spec.ts';
import type { Effects, Ledger } from './side-effects.ts';

type Outcome = 'success' | 'failure' | 'cancelled' | 'skipped';

export interface Circumstances {
  readonly ledger: Ledger;
  /** Whether something that was done to its agent explains that a step was lost. */
  readonly isExcused: (execution: Execution) => boolean;
  /**
   * Whether it ran on an existing agent. Any message between such an agent and the server may get lost, which explains many failures. A
   * step that succeeds there must be as complete as elsewhere, and nothing may run twice.
   */
  readonly mayFailAnyhow: (execution: Execution) => boolean;
  /** Whether its disk explains that the server could not keep a file of the step. */
  readonly hadNoDisk: (execution: Execution) => boolean;
  /** Whether there was nobody who could have stopped the step in time. */
  readonly mayOverrun: (execution: Execution) => boolean;
  /** Whether the clock was set, so that the time of what runs always may be over at once. */
  readonly mayStopEarly: boolean;
  readonly mayBeCanceled: boolean;
  readonly mustBeCanceled: boolean;
}

interface Judgement {
  readonly run: RunRecord;
  readonly spec: RunSpec;
  readonly executions: ReadonlyMap<string, Execution>;
  readonly circumstances: Circumstances;
  readonly isCanceled: boolean;
  readonly outcomes: Map<string, Outcome>;
  readonly problems: string[];
}

export function expectationProblems(
  run: RunRecord,
  spec: RunSpec,
  circumstances: Circumstances,
): readonly string[] {
  const judgement: Judgement = {
    run,
    spec,
    circumstances,
    executions: new Map(executionsOf(run).map((execution) => [execution.mark, execution])),
    isCanceled: reasonsOf(run).length > 0,
    outcomes: new Map(),
    problems: [],
  };
  judgeEnd(judgement);
  for (const job of spec.jobs) judgeJob(judgement, job);
  judgeStatus(judgement);
  return judgement.problems;
}

/** Why it was cancelled; none if it was not. */
const reasonsOf = ({ events }: RunRecord): readonly string[] =>
  events.flatMap((event) =>
    event.kind === 'WorkflowCanceled' && event.details?.status === 'cancelled'
      ? String(event.details.reason)
      : [],
  );

function judgeEnd({ run, circumstances, isCanceled, problems }: Judgement): void {
  const { mayBeCanceled, mustBeCanceled } = circumstances;
  if (isCanceled && !mayBeCanceled) {
    problems.push(`it was cancelled, and nobody asked for it: ${reasonsOf(run).join()}`);
  }
  if (!isCanceled && mustBeCanceled)
    problems.push('its cancellation was answered with 200 and lost');
}

function judgeStatus({ run, outcomes, isCanceled, problems }: Judgement): void {
  const hasFailed = [...outcomes.values()].some(
    (outcome) => outcome === 'failure' || outcome === 'cancelled',
  );
  const expected = isCanceled || hasFailed ? 'FAILED' : 'DONE';
  if (run.status !== expected) problems.push(`it is ${run.status} and should be ${expected}`);
}

function judgeJob(judgement: Judgement, job: JobSpec): void {
  const isDue =
    job.when === 'always' || job.needs.every((name) => judgement.outcomes.get(name) === 'success');
  const outcome = isDue ? outcomeOf(judgement, job) : 'skipped';
  if (!isDue && !judgement.isCanceled) judgeAbsence(judgement, job);
  else if (!judgement.isCanceled || job.when === 'always') judgeNeeds(judgement, job);
  judgement.outcomes.set(
    job.name,
    job.continuesOnError && (outcome === 'failure' || outcome === 'cancelled')
      ? 'success'
      : outcome,
  );
}

const valuesOf = (job: JobSpec): readonly (string | null)[] => job.values ?? [null];

function outcomeOf(judgement: Judgement, job: JobSpec): Outcome {
  const outcomes = valuesOf(job).map((value) => instanceOutcome(judgement, job, value));
  if (outcomes.includes('cancelled')) return 'cancelled';
  return outcomes.includes('failure') ? 'failure' : 'success';
}

/** Nothing of a job that is not due is there. */
function judgeAbsence(judgement: Judgement, job: JobSpec): void {
  for (const value of valuesOf(job)) {
    for (const step of job.steps) {
      const mark = markOf(judgement.spec, job, step, value);
      if (judgement.executions.has(mark)) {
        judgement.problems.push(`step ${mark} was commanded, and its job is not due`);
      }
    }
  }
}

function instanceOutcome(judgement: Judgement, job: JobSpec, value: string | null): Outcome {
  if (judgement.isCanceled) return canceledOutcome(judgement, job, value);
  if (job.timesOut) return timedOutOutcome(judgement, job, value);
  let hasFailed = false;
  for (const step of job.steps) {
    const isDue = step.when === 'always' || (step.when === 'failure') === hasFailed;
    const mark = markOf(judgement.spec, job, step, value);
    const execution = judgement.executions.get(mark);
    if (!isDue && execution !== undefined) {
      judgement.problems.push(`step ${mark} was commanded, and is not due`);
    }
    if (!isDue) continue;
    if (execution === undefined) judgement.problems.push(`step ${mark} never ran`);
    else if (!stepSucceeds(judgement, step, execution)) hasFailed ||= !step.continuesOnError;
  }
  return hasFailed ? 'failure' : 'success';
}

/** Whether it succeeded, which has to be what its specification says, or to be explained. */
function stepSucceeds(judgement: Judgement, step: StepSpec, execution: Execution): boolean {
  const { circumstances, problems } = judgement;
  const { mark, result } = execution;
  const succeeded = result?.status === 0 && !isStopped(judgement, execution);
  if (succeeded === (step.kind === 'succeeds')) return succeeded;
  const how = `(${result?.status}): ${result?.logs}`;
  if (succeeded) {
    const isLate = step.kind === 'hangs' && circumstances.mayOverrun(execution);
    if (!isLate) problems.push(`step ${mark} ${step.kind}, and succeeded`);
  } else if (lacksDisk(execution)) {
    if (!circumstances.hadNoDisk(execution)) problems.push(`step ${mark} found no room ${how}`);
  } else if (circumstances.mayFailAnyhow(execution)) {
    return succeeded;
  } else if (!isLoss(execution)) {
    problems.push(`step ${mark} failed for no reason that is told ${how}`);
  } else if (!circumstances.isExcused(execution)) {
    problems.push(`step ${mark} was lost, and nothing was done to its agent ${how}`);
  }
  return succeeded;
}

const LOST_BEFORE = /The step could not run: the environment of its job was lost before\.$/;

const LOST_AGENT = /Agent "([^"]+)" \([^)]+\) was lost: /;

const LOSSES = [
  LOST_AGENT,
  /The environment of the job was lost while the server was down\.$/,
  LOST_BEFORE,
] as const;

/** It says that the server could not keep its file. */
const lacksDisk = ({ result }: Execution): boolean =>
  (result?.logs ?? []).some((line) => DISK_TROUBLES.some((text) => line.endsWith(text)));

const DISK_TROUBLES = [
  ': the server has no space left for it.',
  ': the disk of the server failed (EIO).',
];

/** It was told to stop: its time was over, whatever it said then. */
function isStopped({ run }: Judgement, { command }: Execution): boolean {
  return run.events.some(
    ({ kind, metadata }) =>
      kind === 'ExecutionCommand' &&
      metadata.step_sequence_id === STEP_SEQUENCE.terminate &&
      metadata.job_id === command.metadata.job_id &&
      metadata.step_id === command.metadata.step_id,
  );
}

/** It says that its environment was lost. */
export const isLoss = (execution: Execution): boolean => says(execution, LOSSES);

/** The agent whose loss it tells of, by the name of its registration. */
export function lostAgentOf({ result }: Execution): string | null {
  for (const line of result?.logs ?? []) {
    const [, name] = LOST_AGENT.exec(line) ?? [];
    if (name !== undefined) return name;
  }
  return null;
}

const says = ({ result }: Execution, patterns: readonly RegExp[]): boolean =>
  (result?.logs ?? []).some((line) => patterns.some((pattern) => pattern.test(line)));

/** The step with which the environment was lost. It is an earlier step if this one says so and took no time. */
export function lossOf(executions: readonly Execution[], execution: Execution): Execution {
  if (!says(execution, [LOST_BEFORE])) return execution;
  const { job_id: jobId } = execution.command.metadata;
  const first = executions.find(
    (other) => other.command.metadata.job_id === jobId && isLoss(other),
  );
  return first ?? execution;
}

/** A job that had less time than it needs was stopped, perhaps before it had an environment. */
function timedOutOutcome(judgement: Judgement, job: JobSpec, value: string | null): Outcome {
  const last = job.steps.at(-1);
  const mark = last === undefined ? '' : markOf(judgement.spec, job, last, value);
  const execution = judgement.executions.get(mark);
  if (execution?.result?.status !== 0 || isStopped(judgement, execution)) return 'cancelled';
  if (!judgement.circumstances.mayOverrun(execution)) {
    judgement.problems.push(`job ${job.name} had no time left, and step ${mark} succeeded`);
  }
  return 'success';
}

/** Steps that always run must also run after a cancellation, in jobs that had begun. */
function canceledOutcome(judgement: Judgement, job: JobSpec, value: string | null): Outcome {
  const known = (step: StepSpec) =>
    judgement.executions.get(markOf(judgement.spec, job, step, value));
  const mayStopEarly = judgement.circumstances.mayStopEarly || job.timesOut;
  const begun = !mayStopEarly && job.steps.some((step) => known(step) !== undefined);
  for (const step of job.steps) {
    if (begun && step.when === 'always' && known(step) === undefined) {
      judgement.problems.push(`step ${step.number} of job ${job.name} runs always, and did not`);
    }
  }
  // The job may have either outcome; all jobs that need it treat both alike.
  return 'cancelled';
}

/** Checks the results that a job read of the jobs that it needs, and that those had begun before. */
function judgeNeeds(judgement: Judgement, job: JobSpec): void {
  const [first] = job.steps;
  if (first === undefined) return;
  for (const value of valuesOf(job)) {
    const mark = markOf(judgement.spec, job, first, value);
    const effects = judgement.circumstances.ledger.get(mark);
    if (effects === undefined || effects.starts === 0) continue;
    for (const name of job.needs) judgeNeed(judgement, mark, effects, name);
  }
}

function judgeNeed(judgement: Judgement, mark: string, effects: Effects, name: string): void {
  const { spec, problems, outcomes, isCanceled } = judgement;
  const needed = spec.jobs.find((job) => job.name === name);
  if (needed === undefined) return;
  const actual = effects.infos.get(`result.${name}`);
  const isKnown = actual === outcomes.get(name) || (isBad(actual) && isBad(outcomes.get(name)));
  if (actual !== undefined && !isKnown && !isCanceled) {
    problems.push(`step ${mark} read that ${name} is ${actual}, and it is ${outcomes.get(name)}`);
  }
  for (const value of valuesOf(needed)) {
    judgeOrder(judgement, mark, effects, needed, value);
  }
  const output = effects.infos.get(`output.${name}`);
  const expected = needed.gives ? expectedOutput(judgement, needed) : undefined;
  if (output !== undefined && expected !== undefined && output !== expected) {
    problems.push(`step ${mark} read ${output} of ${name}, and it gave ${expected}`);
  }
}

const isBad = (outcome: string | undefined): boolean =>
  outcome === 'failure' || outcome === 'cancelled';

function judgeOrder(
  judgement: Judgement,
  mark: string,
  effects: Effects,
  needed: JobSpec,
  value: string | null,
): void {
  const { executions, circumstances, problems, spec } = judgement;
  for (const step of needed.steps) {
    const other = markOf(spec, needed, step, value);
    const execution = executions.get(other);
    // A lost step may still run unseen.
    if (execution === undefined || execution.result === null || isLoss(execution)) continue;
    const lastStart = circumstances.ledger.get(other)?.lastStart ?? -1;
    if (lastStart > effects.firstStart) problems.push(`step ${other} ran after ${mark}`);
  }
}

/** The mark of its first step if that said it. Undefined where it cannot be told whether it got that far. */
function expectedOutput(judgement: Judgement, needed: JobSpec): string | undefined {
  const [first] = needed.steps;
  if (first === undefined) return undefined;
  const mark = markOf(judgement.spec, needed, first, null);
  const execution = judgement.executions.get(mark);
  if (execution === undefined) return '';
  return execution.result?.status === 0 ? mark : undefined;
}
