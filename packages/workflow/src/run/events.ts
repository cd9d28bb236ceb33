/** Makes the events of a run: what each kind carries, in one place. */
import type { EvaluationBudget } from '@tutti/expressions';
import {
  type Actor,
  actorEntry,
  apiVersionOf,
  type ExecutionCommandEvent,
  type GeneratorCommandEvent,
  type GeneratorResultEvent,
  type JobId,
  type JobMetadata,
  type NotificationEvent,
  type ProviderCommandEvent,
  printable,
  type RunEvent,
  STEP_SEQUENCE,
  type StepId,
  type TestsCommandEvent,
  type Timestamp,
  type WaitingReason,
  type WorkflowCanceledEvent,
  type WorkflowCancellationEvent,
  type WorkflowCompletedEvent,
  type WorkflowJobs,
} from '@tutti/manifests';
import { hookAnnotation } from '../environment/hook-annotation.ts';
import { metadataEntries, specEntries } from '../facts/encode.ts';
import type {
  BundleSettings,
  CalledFile,
  Content,
  Notice,
  RepositoryReference,
  WorkspaceChoice,
} from '../facts/fact.ts';
import { referenceText } from './call-reference.ts';
import { type HaltingFailure, haltSentence } from './fail-fast.ts';
import { functionLabels } from './function-name.ts';
import type { JudgedStep } from './judged-step.ts';
import type { MatrixJobs } from './matrix-jobs.ts';
import {
  type Job,
  type JobResult,
  type Run,
  type RunningCommand,
  type StepState,
  type SupersededBy,
  stepOriginOf,
} from './run.ts';
import { annotationOfRelease } from './workspace.ts';

/** Time, ids and settings that `decide` gets from its caller. */
export interface DecisionContext {
  readonly at: Timestamp;
  /** A fresh UUID at each call. */
  newId(): string;
  /** Tags that the environments of download jobs need besides the tags of the calling jobs; none if absent. */
  readonly downloadTags?: readonly string[];
}

/** Within a decision: what all that it evaluates may cost together. */
export interface BudgetedContext extends DecisionContext {
  readonly budget: EvaluationBudget;
}

type Outputs = Readonly<Record<string, string>>;

interface CommandContent {
  readonly stepId?: StepId;
  readonly stepOrigin?: readonly StepId[];
  readonly metadata?: object;
  readonly scripts?: readonly string[];
  readonly body?: Pick<ExecutionCommandEvent, 'variables' | 'shell' | 'working-directory'>;
  readonly tags?: readonly string[];
  readonly jobId?: JobId;
}

const LOG = 'log notification';

interface AskedJobs {
  readonly generator: string;
  readonly inputs: Readonly<Record<string, unknown>> | null;
  readonly settings?: BundleSettings;
  readonly called?: CalledFile;
}

interface EndedStep extends Partial<WorkspaceChoice> {
  readonly name?: string;
  /** The steps around it; those around what the job does now, if absent. */
  readonly stepOrigin?: readonly StepId[];
  readonly logs?: readonly string[];
}

/** Makes the events of one run. */
export class RunEvents {
  readonly at: Timestamp;
  readonly downloadTags: readonly string[];
  readonly budget: EvaluationBudget;
  readonly #run: Run;
  readonly #context: DecisionContext;

  constructor(run: Run, context: BudgetedContext) {
    this.at = context.at;
    this.downloadTags = context.downloadTags ?? [];
    this.budget = context.budget;
    this.#run = run;
    this.#context = context;
  }

  environmentRequest(job: Job, tags: readonly string[], timeoutMs: number): ExecutionCommandEvent {
    // A name alone does not say which job of the run it is.
    const key = job.parent === null ? null : job.key;
    return this.step(job, STEP_SEQUENCE.request, {
      jobId: this.#newId<JobId>(),
      tags,
      metadata: metadataEntries({ type: 'EnvironmentRequested', timeoutMs, job: key }),
    });
  }

  step(job: Job, sequence: number, more: CommandContent): ExecutionCommandEvent {
    const { channel } = job;
    return {
      ...this.#head('ExecutionCommand'),
      metadata: {
        ...this.#ofJob(job, more.jobId ?? idOf(job), job.name),
        step_id: more.stepId ?? this.#newId<StepId>(),
        step_origin: more.stepOrigin ?? [],
        step_sequence_id: sequence,
        ...(channel !== null && {
          channel_id: channel.id,
          channel_os: channel.os,
          ...(channel.handlerId !== null && { channelhandler_id: channel.handlerId }),
          ...(channel.temp !== null && { channel_temp: channel.temp }),
        }),
        ...more.metadata,
      },
      'runs-on': more.tags ?? job.tags,
      scripts: more.scripts ?? [],
      ...more.body,
    };
  }

  terminate(job: Job, stepId: StepId, cause: 'canceled' | 'timeout'): ExecutionCommandEvent {
    const metadata = metadataEntries({ type: 'StepStopped', cause });
    return this.step(job, STEP_SEQUENCE.terminate, {
      stepId,
      stepOrigin: stepOriginOf(job),
      metadata,
    });
  }

  /** `isForgiven`: the job failed, and its `continue-on-error` makes that a success. */
  release(job: Job, result: JobResult, outputs: Outputs, isForgiven: boolean) {
    const hooks = annotationOfRelease(job);
    return this.step(job, STEP_SEQUENCE.release, {
      metadata: {
        ...metadataEntries({ type: 'JobReleased', result, outputs, isForgiven }),
        ...(hooks !== null && { annotations: hookAnnotation(this.#run.apiGroup, hooks) }),
      },
    });
  }

  providerCommand(
    job: Job,
    step: ProviderCommandEvent['step'],
    more: {
      readonly stepOrigin: readonly StepId[];
      readonly labels: Readonly<Record<string, string>>;
      readonly contexts: Readonly<Record<string, unknown>>;
      readonly deadlineMs: number | null;
      readonly isHooked: boolean;
      readonly attempt: number;
      readonly selection: readonly string[];
    },
  ): ProviderCommandEvent {
    const { stepOrigin: step_origin, labels, contexts, ...called } = more;
    return {
      ...this.#head('ProviderCommand'),
      metadata: {
        ...this.#ofJob(job, idOf(job), step.uses),
        ...{ step_id: step.id as StepId, step_origin, labels },
        ...metadataEntries({ type: 'FunctionCalled', ...called }),
      },
      'runs-on': job.tags,
      contexts,
      step,
    };
  }

  testsCommand(
    job: Job,
    { step, frame, call }: JudgedStep,
    attachments: TestsCommandEvent['attachments'],
  ): TestsCommandEvent {
    return {
      ...this.#head('TestsCommand'),
      metadata: {
        ...this.#ofJob(job, idOf(job), call.uses),
        ...{ step_id: step.id, step_origin: [] },
      },
      uses: call.uses,
      channel_os: job.channel?.os ?? 'linux',
      passed: frame.status === 'success',
      attachments,
      tests: step.tests,
    };
  }

  /** Asks for the jobs of a bundle; without settings, for one that has begun. */
  generatorCommand(
    job: Job,
    { generator, inputs, settings, called }: AskedJobs,
  ): GeneratorCommandEvent {
    const asked = { job: job.key, ...(settings ?? NOTHING_SET), called: called ?? null };
    return {
      ...this.#head('GeneratorCommand'),
      metadata: {
        ...this.#ofJob(job, job.jobId ?? this.#newId<JobId>(), job.name),
        labels: functionLabels(generator, this.#run.apiGroup),
        ...metadataEntries({ type: 'JobsAsked', ...asked }),
      },
      generator,
      ...(inputs !== null && { with: inputs }),
    };
  }

  /** A job is to fetch the workflow that a bundle calls. */
  download(job: Job, { repository, path, ref }: RepositoryReference, settings: BundleSettings) {
    const reference = { repository, path, ref };
    const job_id = this.#newId<JobId>();
    const begun = {
      type: 'DownloadBegun',
      bundle: job.key,
      ...reference,
      stepId: this.#newId<StepId>(),
      ...settings,
    } as const;
    const log = `Fetching workflow "${referenceText(reference)}" for job "${job.name}"`;
    const metadata = { job_id, job_origin: job.origin, ...metadataEntries(begun) };
    return this.#notification(metadata, begun, [log]);
  }

  /** The jobs that take the place of a bundle whose jobs are known. */
  expanded(
    job: Job,
    jobs: WorkflowJobs,
    settings: BundleSettings,
    cells: MatrixJobs['cells'] | null,
  ): GeneratorResultEvent {
    const given = { job: job.key, ...settings, cells };
    return {
      ...this.#head('GeneratorResult'),
      metadata: {
        ...this.#ofJob(job, this.#newId<JobId>(), job.name),
        labels: { [`${this.#run.apiGroup}/category`]: `.${job.bundle?.category}` },
        ...metadataEntries({ type: 'JobsGiven', ...given }),
      },
      jobs,
    };
  }

  /** The jobs beside a job that failed are told to stop; `bundle` is null for those of the workflow. */
  halted(bundle: Job | null, failure: HaltingFailure): NotificationEvent {
    const keys = { failed: failure.failed.key, spared: failure.spared?.key ?? null };
    return this.#notification(
      bundle === null ? {} : { job_id: idOf(bundle), job_origin: bundle.origin },
      { type: 'Halted', bundle: bundle?.key ?? '', ...keys },
      [haltSentence(bundle, failure)],
    );
  }

  stepEnded(
    job: Job,
    stepId: StepId,
    state: StepState,
    { stepOrigin = stepOriginOf(job), logs = [], ...more }: EndedStep = {},
  ): NotificationEvent {
    const { name = null, directory = null, isKept = null } = more;
    return this.#notification(
      { job_id: idOf(job), job_origin: job.origin, step_id: stepId, step_origin: stepOrigin },
      { type: 'StepEnded', name, directory, isKept, ...state },
      logs,
    );
  }

  /** The end of a job that never had an environment, or of a bundle. */
  jobEnded(
    job: Job,
    result: JobResult,
    log: string,
    { actor, ...more }: Partial<Content<'JobEnded'>> & { readonly actor?: Actor | undefined } = {},
  ): NotificationEvent {
    const job_id = job.jobId ?? this.#newId<JobId>();
    const none = { outputs: {}, isForgiven: false, supersededBy: null, taken: null };
    return this.#notification(
      { job_id, job_origin: job.origin, ...entryOf(actor) },
      { ...none, ...more, type: 'JobEnded', job: job.key, result },
      [log],
    );
  }

  jobSuperseded(job: Job, by: SupersededBy, log: string, actor?: Actor): NotificationEvent {
    const metadata = { job_id: idOf(job), job_origin: job.origin, ...entryOf(actor) };
    return this.#notification(metadata, { type: 'Superseded', by }, [log]);
  }

  jobTimedOut(job: Job, log: string): NotificationEvent {
    const metadata = { job_id: idOf(job), job_origin: job.origin };
    return this.#notification(metadata, { type: 'JobOverdue' }, [log]);
  }

  stepTimedOut(job: Job, { stepId }: RunningCommand, log: string): NotificationEvent {
    const step = { step_id: stepId, step_origin: stepOriginOf(job) };
    const metadata = { job_id: idOf(job), job_origin: job.origin, ...step };
    return this.#notification(metadata, { type: 'StepOverdue' }, [log]);
  }

  waiting(job: Job | null, reason: WaitingReason, log: string): NotificationEvent {
    const held = { type: 'Held', job: job?.key ?? null, reason } as const;
    const metadata = {
      ...metadataEntries(held),
      ...(job !== null && { job_origin: job.origin }),
      ...(job !== null && job.jobId !== null && { job_id: job.jobId }),
    };
    return this.#notification(metadata, held, [log]);
  }

  /** Shown whatever the reader of the log asked for. Null for the workflow itself. */
  warning(job: Job | null, ...texts: readonly string[]): NotificationEvent {
    const place = job === null ? {} : { job_id: idOf(job), job_origin: job.origin };
    const logs = texts.map((text) => `WARNING,${printable(text)}`);
    return this.#notification({ name: 'group notification', ...place }, { type: 'Noted' }, logs);
  }

  granted(job: string): NotificationEvent {
    return this.#notification({}, { type: 'Granted', job });
  }

  error(job: Job | null, message: string): RunEvent {
    const isKnown = job !== null && job.jobId !== null;
    return {
      ...this.#head('ExecutionError'),
      metadata: {
        ...this.#ofRun(job?.name),
        ...(isKnown && { job_id: job.jobId, job_origin: job.origin }),
      },
      details: { error: message },
    };
  }

  timedOut(reason: string): WorkflowCancellationEvent {
    return this.#cancellation('timeout', reason);
  }

  superseded(reason: string, actor?: Actor): WorkflowCancellationEvent {
    return this.#cancellation('superseded', reason, actor);
  }

  completed(outputs: Outputs): WorkflowCompletedEvent {
    return {
      ...this.#head('WorkflowCompleted'),
      metadata: this.#ofRun(),
      ...(Object.keys(outputs).length > 0 && { outputs }),
    };
  }

  canceled(details: WorkflowCanceledEvent['details'], outputs: Outputs, actor?: Actor) {
    return {
      ...this.#head('WorkflowCanceled'),
      metadata: { ...this.#ofRun(), ...entryOf(actor) },
      details,
      ...(Object.keys(outputs).length > 0 && { outputs }),
    };
  }

  #cancellation(cause: 'superseded' | 'timeout', reason: string, actor?: Actor) {
    const metadata = metadataEntries({ type: 'CancellationAsked', cause });
    return {
      ...this.#head('WorkflowCancellation'),
      metadata: { ...this.#ofRun(), ...metadata, ...entryOf(actor) },
      details: { reason, source: 'arranger' },
    };
  }

  #notification(
    metadata: Partial<NotificationEvent['metadata']>,
    notice: Notice,
    logs: readonly string[] = [],
  ): NotificationEvent {
    return {
      ...this.#head('Notification'),
      metadata: { ...this.#ofRun(LOG), ...metadata },
      spec: { logs, ...specEntries(notice) },
    };
  }

  #newId<Id extends string>(): Id {
    return this.#context.newId() as Id;
  }

  #head<Kind extends RunEvent['kind']>(kind: Kind) {
    return { apiVersion: apiVersionOf(this.#run.apiGroup, kind), kind };
  }

  #ofRun(name = this.#run.name) {
    const { workflowId: workflow_id, namespace } = this.#run;
    return { name, workflow_id, namespace, creationTimestamp: this.at };
  }

  #ofJob(job: Job, jobId: JobId, name: string): JobMetadata {
    return { ...this.#ofRun(name), job_id: jobId, job_origin: job.origin };
  }
}

const NOTHING_SET: BundleSettings = { timeoutMs: null, maxParallel: null, failFast: false };

const entryOf = (actor: Actor | undefined) => (actor === undefined ? {} : actorEntry(actor));

/** Jobs have an id from their request for an environment on; before, no event of theirs needs one. */
function idOf(job: Job): JobId {
  if (job.jobId === null) throw new Error(`Job ${job.key} has no id in phase ${job.phase}.`);
  return job.jobId;
}
