/**
 * The decisions of a run: which events follow an input. Pure, total and deterministic. The caller appends the events and keeps the run that
 * comes with them, or throws both away.
 */
import {
  assertNever,
  type ExecutionResultEvent,
  isRunEvent,
  type JobId,
  type LoggedEvent,
  type OtherEvent,
  type ProviderResultEvent,
  type RunEvent,
  STEP_SEQUENCE,
  type WorkflowCanceledEvent,
  type WorkflowEvent,
  type WorkflowId,
} from '@tutti/manifests';
import { factOf, warningsIn } from '../facts/decode.ts';
import { withoutWarnings } from '../facts/encode.ts';
import type { Fact, FactOf } from '../facts/fact.ts';
import { groupOfWorkflow } from './concurrency.ts';
import { workflowOutputScope } from './contexts.ts';
import { DueJobs } from './due-jobs.ts';
import { attempt, createDecisionBudget, DECISION_STEPS_MAX, outputTexts } from './evaluation.ts';
import { type BudgetedContext, type DecisionContext, RunEvents } from './events.ts';
import { evolve } from './evolve.ts';
import { failureThatHalts } from './fail-fast.ts';
import { failureSentence } from './failed-jobs.ts';
import { generated, refusalOfGenerator } from './generated-jobs.ts';
import { jobsOfWorkflow } from './job-tree.ts';
import { isJudgeAwaited } from './judging.ts';
import { masksProblem, secretsProblem } from './masks-of-run.ts';
import { nextJobEvent } from './next-job-event.ts';
import { overdue, type PassedTime } from './overdue.ts';
import { emptyRun, isEnded, type Job, jobById, type Run, stepOriginOf } from './run.ts';
import {
  type Deadlock,
  endDeadlocked,
  type Superseding,
  supersede,
  supersedingReason,
} from './superseding.ts';
import { listsOf, rememberedByList } from './with-entry.ts';
import { settingsOfWorkflow } from './workflow-settings.ts';

export type RunInput =
  /** An event from the bus. */
  | { readonly type: 'event'; readonly event: LoggedEvent }
  /** A deadline of the run (see `nextDeadline`) has passed. */
  | ({ readonly type: 'deadline' } & PassedTime)
  /** The concurrency group of a job, or of the workflow (null), is free or held by another run. */
  | { readonly type: 'granted'; readonly job: string | null }
  | {
      readonly type: 'held';
      readonly job: string | null;
      readonly group: string;
      readonly heldBy: WorkflowId;
      /** Key of the job that holds it; null where it is the workflow that does. */
      readonly heldByJob: string | null;
    }
  /** Another run takes over the group that a job, or the workflow (null), holds or waits for. */
  | ({ readonly type: 'superseded' } & Superseding)
  /** The holder of the group that a job waits for itself waits for this job. */
  | ({ readonly type: 'deadlocked' } & Deadlock);

export type Decision =
  | {
      readonly outcome: 'accepted';
      readonly events: readonly LoggedEvent[];
      readonly run: Run;
      /** Cost of the decision: steps of its evaluations. */
      readonly steps: number;
    }
  | { readonly outcome: 'refused'; readonly why: string };

export function decide(run: Run, input: RunInput, given: DecisionContext): Decision {
  const context: BudgetedContext = { ...given, budget: createDecisionBudget() };
  switch (input.type) {
    case 'event':
      return onEvent(run, input.event, context);
    case 'deadline':
      return follow(run, overdue(run, input, new RunEvents(run, context)), context);
    case 'granted':
      return follow(run, granted(run, input.job, context), context);
    case 'held':
      return follow(run, held(run, input, context), context);
    case 'superseded':
      return follow(run, supersede(run, input, new RunEvents(run, context)), context);
    case 'deadlocked':
      return follow(run, endDeadlocked(run, input, new RunEvents(run, context)), context);
  }
}

function onEvent(run: Run, event: LoggedEvent, context: BudgetedContext): Decision {
  if (!isRunEvent(event)) return kept(run, event);
  const fact = factOf(event);
  const why = refusal(run, fact);
  if (why !== null) return { outcome: 'refused', why };
  if (fact.type === 'RunReceived') return received(fact.event, context);
  return follow(run, taken(run, fact, context), context);
}

/** Keeps events of plugins in the log of the run, also after its end. */
function kept(run: Run, event: OtherEvent): Decision {
  if (run.phase === 'NONE') return { outcome: 'refused', why: UNKNOWN_RUN };
  return { outcome: 'accepted', events: [event], run, steps: 0 };
}

/** A run stops if it cannot hide all that its steps mask, or gets invalid jobs. */
function taken(run: Run, fact: Fact, context: BudgetedContext): readonly RunEvent[] {
  if (fact.type === 'JobsGiven') return generated(run, fact, context);
  const refused = fact.type === 'FunctionAnswered' ? answerRefused(run, fact, context) : null;
  if (refused !== null) return [refused];
  const { event } = fact;
  const problem = isEnded(run) ? null : masksProblem(run, event);
  return problem === null ? [event] : [event, new RunEvents(run, context).error(null, problem)];
}

/** The error that the answer of a provider is; null where it can be taken. */
function answerRefused(
  run: Run,
  { event, problems }: FactOf<'FunctionAnswered'>,
  context: BudgetedContext,
): RunEvent | null {
  const job = jobById(run, event.metadata.job_id);
  if (problems.length === 0 || job === null) return null;
  const uses = job.providerCall?.uses ?? '';
  const error = `Function "${uses}" of job "${job.name}" gave an answer that is not valid: ${problems.join(' ')}`;
  return new RunEvents(run, context).error(job, error);
}

/** A mistake in settings of the whole workflow is an error of the run, with a line in its log. */
function received(sent: WorkflowEvent, context: BudgetedContext): Decision {
  const event = withoutWarnings(sent);
  const run = evolve(emptyRun, event);
  const texts = warningsIn(sent);
  const warnings = texts.length === 0 ? [] : [new RunEvents(run, context).warning(null, ...texts)];
  const goOn = (first: readonly RunEvent[]) => follow(emptyRun, first, context);
  const failed = (error: string) =>
    goOn([event, ...warnings, new RunEvents(run, context).error(null, error)]);
  const unhidden = secretsProblem(run);
  if (unhidden !== null) return failed(unhidden);
  const group = groupOfWorkflow(run, context.budget);
  if (group?.ok === false) return failed(group.error);
  const settings = settingsOfWorkflow(run, context.budget);
  if (!settings.ok) return failed(settings.error);
  if (Object.keys(settings.value).length === 0 && warnings.length === 0) {
    return brought([event], { run, due: null }, context);
  }
  return goOn([{ ...event, metadata: { ...event.metadata, ...settings.value } }, ...warnings]);
}

const UNKNOWN_RUN = 'the run is unknown';

/** Why a fact does not fit the run; null when it does. */
function refusal(run: Run, fact: Fact): string | null {
  if (fact.type === 'RunReceived') return run.phase === 'NONE' ? null : 'the run exists already';
  if (run.phase === 'NONE') return UNKNOWN_RUN;
  switch (fact.type) {
    case 'EnvironmentOffered':
    case 'StepAnswered':
    case 'EnvironmentFreed':
      return isEnded(run) ? 'the run is over' : refusalOfResult(run, fact.event);
    case 'FunctionAnswered':
      return refusalOfProvider(run, fact.event);
    case 'TestsJudged':
      return isJudgeAwaited(run, fact.event) ? null : 'no judge is waited for at this step';
    case 'JobsGiven':
      return refusalOfGenerator(run, fact);
    case 'RunFailed':
    case 'CancellationAsked':
      return isEnded(run) ? 'the run is over' : null;
    case 'EnvironmentRequested':
    case 'StepStarted':
    case 'StepStopped':
    case 'JobReleased':
    case 'FunctionCalled':
    case 'TestsAsked':
    case 'JobsAsked':
    case 'RunSucceeded':
    case 'RunEnded':
      return 'only the run itself makes such events';
    case 'JobEnded':
    case 'Halted':
    case 'Granted':
    case 'DownloadBegun':
    case 'Held':
    case 'JobOverdue':
    case 'StepOverdue':
    case 'Superseded':
    case 'StepEnded':
    case 'StepPrinted':
    case 'WorkerChanged':
    case 'ReportRead':
    case 'Noted':
    case 'FilesPublished':
      return null;
    default:
      return assertNever(fact);
  }
}

function refusalOfResult(run: Run, event: ExecutionResultEvent): string | null {
  const job = jobById(run, event.metadata.job_id);
  if (job === null) return 'the job is unknown';
  const { step_sequence_id: sequence, channel_id: channelId } = event.metadata;
  if (sequence === STEP_SEQUENCE.request) {
    if (channelId === undefined) return 'the offer names no channel';
    return job.phase === 'REQUESTED' ? null : 'the job needs no environment (any more)';
  }
  if (channelId !== undefined && channelId !== job.channel?.id) return 'the channel is another one';
  if (sequence === STEP_SEQUENCE.release) {
    return job.phase === 'RELEASING' ? null : 'the channel is not being released';
  }
  return job.command?.sequence === sequence ? null : 'no such command is waited for';
}

function refusalOfProvider(run: Run, event: ProviderResultEvent): string | null {
  const { step_id: stepId, step_origin: origin } = event.metadata;
  const job = jobById(run, event.metadata.job_id);
  const unasked = 'no provider is waited for at this step';
  const waitedFor = job?.providerCall?.stepId;
  // A malformed answer may lack the step that it answers.
  const isOfStep = stepId === waitedFor || stepId === undefined;
  if (job === null || waitedFor === undefined || !isOfStep) return unasked;
  // Providers that give their steps fixed ids give them again at the next call. Old ones do not say where the step is.
  const asked = stepOriginOf(job);
  const isSame = origin.length === asked.length && asked.every((id, index) => origin[index] === id);
  return origin.length === 0 || isSame ? null : unasked;
}

/**
 * Each pass brings a job on. Skipped jobs and steps make the longest chains. A chain may have 1024 jobs. One of them may have ten frames of
 * 1024 steps. Each step may have 2048 hooks of the workflow on either side, and as many of the plugin. More would be a mistake of ours,
 * which must not keep all other runs waiting.
 */
const PASSES_MAX = 100_000;
/** Most decisions have no more: which jobs others bring on need not be known. */
const PASSES_OF_ALL = 1;

/** Folds the first events, then adds what follows from them until nothing does. */
function follow(run: Run, first: readonly RunEvent[], context: BudgetedContext): Decision {
  let folded = run;
  let due: DueJobs | null = run.phase === 'NONE' ? null : DueJobs.none(run);
  for (const event of first) {
    const before = folded;
    folded = evolve(before, event);
    const job = jobOf(before, event);
    due = job === null ? null : (due?.after(job, before, folded) ?? null);
  }
  return brought(first, { run: folded, due }, context);
}

/** The job that an event is about; null for the whole run. */
function jobOf(run: Run, { metadata }: RunEvent): Job | null {
  const jobId = 'job_id' in metadata ? metadata.job_id : null;
  // Jobs have no other ids.
  return typeof jobId === 'string' ? jobById(run, jobId as JobId) : null;
}

interface Folded {
  readonly run: Run;
  /** Jobs to look at first; null for all. */
  readonly due: DueJobs | null;
}

/** Decides on events that were folded already. */
function brought(
  first: readonly RunEvent[],
  { run: folded, due: dueFirst }: Folded,
  context: BudgetedContext,
): Decision {
  const events = [...first];
  let current = folded;
  // The run keeps its identity, so one maker serves all events of a decision.
  const make = new RunEvents(current, context);
  let due = dueFirst;
  for (let pass = 0; pass < PASSES_MAX; pass += 1) {
    const looked: DueJobs = due ?? DueJobs.all(current);
    const next = nextEvents(current, make, looked, looked.isOfAll && pass < PASSES_OF_ALL);
    // A pass over some jobs may leave others out; the next pass over all finds them.
    due = next.events.length > 0 ? next.due : null;
    if (next.events.length === 0 && looked.isOfAll) {
      const steps = DECISION_STEPS_MAX - context.budget.steps;
      return { outcome: 'accepted', events, run: current, steps };
    }
    events.push(...next.events);
    current = next.run;
  }
  throw new Error(`The decision on workflow ${folded.workflowId} does not end.`);
}

interface PassedEvents {
  readonly events: readonly RunEvent[];
  readonly run: Run;
  /** Jobs that are due from now on; null for all. */
  readonly due: DueJobs | null;
}

/** One pass over the jobs that are due, then the end of the run if all ended. */
function nextEvents(run: Run, make: RunEvents, looked: DueJobs, isOfAll: boolean): PassedEvents {
  const events: RunEvent[] = [];
  if (run.phase === 'NONE' || isEnded(run)) return { events, run, due: null };
  const failure =
    run.cancellation === null ? failureThatHalts(run, run.set, () => jobsOfWorkflow(run)) : null;
  if (failure !== null) {
    const halted = make.halted(null, failure);
    return { events: [halted], run: evolve(run, halted), due: null };
  }
  let current = run;
  let due = isOfAll ? null : looked;
  for (const key of looked.keys(() => current)) {
    const job = current.jobs.get(key);
    const event = job === undefined ? null : nextJobEvent(current, job, make);
    if (job === undefined || event === null) continue;
    events.push(event);
    const before = current;
    current = evolve(current, event);
    due = due?.after(job, before, current) ?? null;
  }
  if (events.length > 0 || !allEnded(current)) return { events, run: current, due };
  const end = endOf(current, make);
  return { events: [end], run: evolve(current, end), due: null };
}

const allEnded = (run: Run): boolean => listsOf(run.jobs).every(haveEnded);

const haveEnded = rememberedByList((jobs: readonly Job[]) =>
  jobs.every(({ phase }) => phase === 'COMPLETED'),
);

function endOf(run: Run, events: RunEvents): RunEvent {
  const evaluated = attempt('outputs', () =>
    outputTexts(run.manifest.outputs ?? {}, workflowOutputScope(run, events.budget)),
  );
  if (!evaluated.ok && run.cancellation === null) return events.error(null, evaluated.error);
  const outputs = evaluated.ok ? evaluated.value : {};
  if (run.cancellation !== null) {
    const { reason, source, cause, actor } = run.cancellation;
    return events.canceled(
      {
        ...(reason === null ? {} : { reason }),
        ...(source === null ? {} : { source }),
        ...(cause === 'user' || cause === 'superseded' ? { status: 'cancelled' } : {}),
      },
      outputs,
      actor,
    );
  }
  const unsuccessful = jobsOfWorkflow(run).filter(
    ({ result }) => result === 'failure' || result === 'cancelled',
  );
  if (unsuccessful.length === 0) return events.completed(outputs);
  const reason = failureSentence(causesAmong(unsuccessful, run));
  return events.canceled(supersededDetails(unsuccessful) ?? { reason }, outputs);
}

/** Details of a run without failures whose unsuccessful jobs were all cancelled for other runs. */
function supersededDetails(unsuccessful: readonly Job[]): WorkflowCanceledEvent['details'] | null {
  const [first, ...others] = unsuccessful.map(({ supersededBy }) => supersededBy);
  if (first === undefined || first === null || others.includes(null)) return null;
  return { reason: supersedingReason(first), source: 'arranger', status: 'cancelled' };
}

/** Jobs that were stopped because another one failed are not worth a word; that one comes first. Events of earlier versions do not name it. */
function causesAmong(unsuccessful: readonly Job[], { set }: Run): readonly Job[] {
  if (!set.halted) return unsuccessful;
  const first = unsuccessful.filter(({ key }) => `${set.haltedBy}/`.startsWith(`${key}/`));
  const failed = unsuccessful.filter((job) => job.result === 'failure' && !first.includes(job));
  const causes = [...first, ...failed];
  return causes.length === 0 ? unsuccessful : causes;
}

function granted(run: Run, job: string | null, context: BudgetedContext): readonly RunEvent[] {
  const waits = job === null ? !run.granted : isWaitingForGroup(run.jobs.get(job));
  return waits && !isEnded(run) ? [new RunEvents(run, context).granted(job ?? '')] : [];
}

const isWaitingForGroup = (job: Job | undefined): boolean =>
  job?.phase === 'WAITING' && !job.granted;

function held(
  run: Run,
  input: Extract<RunInput, { type: 'held' }>,
  context: BudgetedContext,
): readonly RunEvent[] {
  const job = input.job === null ? null : run.jobs.get(input.job);
  const waits = job === null ? !run.granted : isWaitingForGroup(job);
  // The group was granted, or the job ended, in the meantime: no line in the log.
  if (job === undefined || !waits || isEnded(run)) return [];
  const before = job === null ? run.waiting : job.waiting;
  const { group, heldBy } = input;
  const heldByJob = nameOfOwnJob(run, input);
  const isPublished = before?.reason === 'concurrency' && before.heldBy === heldBy;
  if (isPublished && before.heldByJob === heldByJob) return [];
  const who = job === null ? `Workflow "${run.name}"` : `Job "${job.name}"`;
  const holder =
    heldByJob === undefined ? `workflow ${heldBy}` : `job "${heldByJob}" of this workflow`;
  const log = `${who} waits: concurrency group "${group}" is held by ${holder}.`;
  const reason = {
    ...({ reason: 'concurrency', group, heldBy } as const),
    ...(heldByJob === undefined ? {} : { heldByJob }),
  };
  return [new RunEvents(run, context).waiting(job, reason, log)];
}

function nameOfOwnJob(
  run: Run,
  { heldBy, heldByJob }: Extract<RunInput, { type: 'held' }>,
): string | undefined {
  return heldBy === run.workflowId && heldByJob !== null
    ? run.jobs.get(heldByJob)?.name
    : undefined;
}
