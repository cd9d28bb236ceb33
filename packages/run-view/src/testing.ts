/** Makes the events of a run for tests: short to write, one second apart unless said otherwise. */
import {
  type AttachmentId,
  apiVersionOf,
  formatTimestamp,
  type Hook,
  type JobId,
  type RunEvent,
  STEP_SEQUENCE,
  type StepId,
  type TestResult,
  type WaitingReason,
  type WorkflowCanceledEvent,
  type WorkflowId,
  type WorkflowManifest,
  type WorkflowStep,
} from '@tutti/manifests';

export const START_MS = Date.UTC(2026, 0, 31, 12, 0, 0);
/** The time of day, wherever the test runs. */
export const UTC_CLOCK = (ms: number): string => new Date(ms).toISOString().slice(11, 19);
export const WORKFLOW_ID = '11111111-1111-4111-8111-111111111111' as WorkflowId;

const CHANNEL_ID = '22222222-2222-4222-8222-222222222222';

export interface StepExtras {
  readonly origin?: readonly string[];
  readonly isForgiven?: boolean;
  /** The evaluated name. */
  readonly name?: string;
}

type Again = 'again' | undefined;

function testResult(
  name: string,
  status: TestResult['status'],
  attachmentId = '',
  again?: Again,
): TestResult {
  return {
    id: name,
    name,
    status,
    duration: 1,
    attachment_origin: attachmentId as AttachmentId,
    ...(again === undefined ? {} : { 'tutti.attempt': true }),
  };
}

/** `hooks` are those of the workflow. */
export function createRunLog(jobs: WorkflowManifest['jobs'], hooks: readonly Hook[] = []) {
  const events: RunEvent[] = [];
  let nowMs = START_MS - 1000;
  const api = (kind: RunEvent['kind']) => apiVersionOf('opentestfactory.org', kind);

  function base(name = 'nightly') {
    nowMs += 1000;
    const creationTimestamp = formatTimestamp(nowMs);
    return { name, workflow_id: WORKFLOW_ID, namespace: 'default', creationTimestamp };
  }

  function stepBase(job: string, step: string, sequence: number, origin: readonly string[]) {
    return {
      ...base(job),
      job_id: `job-${job}` as JobId,
      job_origin: [],
      step_id: step as StepId,
      step_origin: origin as readonly StepId[],
      step_sequence_id: sequence,
    };
  }

  function command(
    job: string,
    step: string,
    sequence: number,
    scripts: readonly string[],
    more: object = {},
    origin: readonly string[] = [],
  ): void {
    const metadata = { ...stepBase(job, step, sequence, origin), ...more };
    const kind = 'ExecutionCommand';
    events.push({ apiVersion: api(kind), kind, metadata, 'runs-on': ['linux'], scripts });
  }

  function result(
    job: string,
    step: string,
    sequence: number,
    status: number,
    more: object = {},
    origin: readonly string[] = [],
    entries: object = {},
  ): void {
    const metadata = { ...stepBase(job, step, sequence, origin), ...entries };
    events.push({
      apiVersion: api('ExecutionResult'),
      kind: 'ExecutionResult',
      metadata,
      status,
      ...more,
    });
  }

  function generatorCommand(job: string, generator: string, more: object): void {
    const metadata = { ...base(job), job_id: `job-${job}` as JobId, job_origin: [], ...more };
    const kind = 'GeneratorCommand';
    events.push({ apiVersion: api(kind), kind, metadata, generator });
  }

  function notify(metadata: object, spec: object): void {
    const kind = 'Notification';
    const all = { ...base('log notification'), ...metadata };
    events.push({ apiVersion: api(kind), kind, metadata: all, spec });
  }

  const releasing = (job: string, conclusion?: string, isForgiven = false) =>
    command(job, 'e', STEP_SEQUENCE.release, [], {
      ...(conclusion === undefined ? {} : { 'tutti.conclusion': conclusion }),
      ...(isForgiven ? { 'tutti.continue-on-error': true } : {}),
    });

  const workflow: RunEvent = {
    apiVersion: api('Workflow'),
    kind: 'Workflow',
    metadata: base(),
    jobs,
    ...(hooks.length === 0 ? {} : { hooks }),
  };
  events.push(workflow);

  return {
    events,
    pause: (ms: number) => {
      nowMs += ms;
    },
    request: (job: string) => command(job, 'r', STEP_SEQUENCE.request, []),
    /** `own`: the hooks of the channel. */
    offer: (job: string, own: readonly Hook[] = []) =>
      result(job, 'r', STEP_SEQUENCE.request, 0, {}, [], {
        channel_id: CHANNEL_ID,
        channel_name: 'lab-7',
        'tutti.channel-hooks': own,
      }),
    step: (job: string, step: string, script: string, extras: StepExtras = {}) =>
      command(
        job,
        step,
        0,
        script.split('\n'),
        {
          ...(extras.isForgiven === true ? { 'tutti.continue-on-error': true } : {}),
          ...(extras.name === undefined ? {} : { 'tutti.step-name': extras.name }),
        },
        extras.origin,
      ),
    /** After the loss of the job's environment. */
    notRun: (job: string, step: string) =>
      result(job, step, 0, 1, { logs: ['ERROR,It could not run.'] }, [], { 'tutti.not-run': true }),
    output: (job: string, step: string, ...logs: string[]) =>
      notify({ job_id: `job-${job}`, step_id: step, step_origin: [] }, { logs }),
    done: (job: string, step: string, status: number, logs: readonly string[] = []) =>
      result(job, step, 0, status, logs.length === 0 ? {} : { logs }),
    /** The same for a step of a function. */
    doneWithin: (job: string, step: string, status: number, origin: string) =>
      result(job, step, 0, status, {}, [origin]),
    /** The same with output that is masked, as servers show it. */
    doneMasking: (job: string, step: string, status: number) =>
      result(job, step, 0, status, {}, [], { 'tutti.masked': true }),
    stop: (job: string, step: string, cause: 'canceled' | 'timeout') =>
      command(job, step, STEP_SEQUENCE.terminate, [], { 'tutti.cause': cause }),
    skip: (job: string, step: string, name?: string) =>
      notify(
        { job_id: `job-${job}`, step_id: step, step_origin: [] },
        {
          'tutti.step-ended': 'true',
          outcome: 'skipped',
          conclusion: 'skipped',
          ...(name === undefined ? {} : { 'tutti.step-name': name }),
        },
      ),
    provide: (job: string, step: string, uses: string, name?: string, inputs?: object) =>
      events.push({
        apiVersion: api('ProviderCommand'),
        kind: 'ProviderCommand',
        metadata: { ...stepBase(job, step, 0, []), name: uses },
        'runs-on': ['linux'],
        contexts: {},
        step: {
          uses,
          id: step,
          ...(name === undefined ? {} : { name }),
          ...(inputs === undefined ? {} : { with: inputs }),
        },
      }),
    provided: (job: string, step: string, steps: readonly WorkflowStep[]) =>
      events.push({
        apiVersion: api('ProviderResult'),
        kind: 'ProviderResult',
        metadata: stepBase(job, step, 0, []),
        steps,
      }),
    /** `file`: that of the workflow that the job calls. */
    call: (job: string, file: string) =>
      generatorCommand(job, '.uses', { 'tutti.uses': { file, blob: 'in_1' } }),
    /** `key` of the job; the answer of a plugin has none. */
    generate: (job: string, key: string) =>
      generatorCommand(job, 'acme/gen@v1', { 'tutti.job': key }),
    expand: (job: string, jobs: WorkflowManifest['jobs'], category = '.jobs') =>
      events.push({
        apiVersion: api('GeneratorResult'),
        kind: 'GeneratorResult',
        metadata: {
          ...base(job),
          job_id: `job-${job}` as JobId,
          job_origin: [],
          labels: { 'opentestfactory.org/category': category },
        },
        jobs,
      }),
    /** The environment is free at once. */
    release: (job: string, conclusion?: string, isForgiven = false) => {
      releasing(job, conclusion, isForgiven);
      nowMs -= 1000;
      result(job, 'e', STEP_SEQUENCE.release, 0);
    },
    releasing,
    released: (job: string) => result(job, 'e', STEP_SEQUENCE.release, 0),
    wait: (job: string | null, reason: WaitingReason, sentence: string) =>
      notify(job === null ? {} : { 'tutti.job': job }, {
        'tutti.waiting': reason,
        logs: [sentence],
      }),
    endUnplaced: (job: string, conclusion: string, sentence: string, more: object = {}) =>
      notify({ job_id: `job-${job}` }, { conclusion, 'tutti.job': job, logs: [sentence], ...more }),
    overtime: (job: string, sentence: string) =>
      notify({ job_id: `job-${job}` }, { 'tutti.timeout': 'job', logs: [sentence] }),
    stepOvertime: (job: string, step: string, sentence: string) =>
      notify(
        { job_id: `job-${job}`, step_id: step, step_origin: [] },
        { 'tutti.timeout': 'step', logs: [sentence] },
      ),
    tests: (job: string, ...statuses: TestResult['status'][]) =>
      notify(
        { job_id: `job-${job}` },
        {
          testResults: statuses.map((status) =>
            testResult(`case ${events.length} ${status}`, status),
          ),
        },
      ),
    /** Attaches a file of that id by a command. */
    attach: (job: string, step: string, id: string) => {
      const attachments = { [`/tmp/${id}`]: { uuid: id as AttachmentId } };
      result(job, step, 0, 0, {}, [], { attachments });
    },
    /** Uploads it as an artifact. */
    upload: (job: string, id: string) =>
      events.push({
        apiVersion: api('WorkflowResult'),
        kind: 'WorkflowResult',
        metadata: {
          ...base(job),
          job_id: `job-${job}` as JobId,
          attachments: { [`/tmp/${id}`]: { uuid: id as AttachmentId } },
        },
        attachments: [`/tmp/${id}`],
      }),
    /** A report on the run that no request asked for. */
    publish: (id: string) =>
      events.push({
        apiVersion: api('WorkflowResult'),
        kind: 'WorkflowResult',
        metadata: {
          ...base('summary'),
          attachments: { [`/tmp/${id}`]: { uuid: id as AttachmentId } },
        },
        attachments: [`/tmp/${id}`],
      }),
    /** Adds a report: names with statuses, and whether the runner tried again. */
    report: (
      job: string,
      id: string,
      ...results: readonly [name: string, status: TestResult['status'], again?: Again][]
    ) =>
      notify(
        { job_id: `job-${job}`, step_id: id, attachment_origin: [id] },
        {
          testResults: results.map(([name, status, again]) => testResult(name, status, id, again)),
        },
      ),
    /** A worker begins to read a report, or has read it. */
    reading: (job: string, id: string, status: 'setup' | 'teardown') =>
      notify(
        { job_id: `job-${job}`, attachment_origin: [id] },
        { worker: { worker_id: `reader-${id}`, status } },
      ),
    note: (metadata: object, ...logs: string[]) => notify(metadata, { logs }),
    error: (job: string | null, error: string) =>
      events.push({
        apiVersion: api('ExecutionError'),
        kind: 'ExecutionError',
        metadata: { ...base(job ?? 'nightly'), ...(job === null ? {} : { job_id: `job-${job}` }) },
        details: { error },
      }),
    cancel: (reason: string) =>
      events.push({
        apiVersion: api('WorkflowCancellation'),
        kind: 'WorkflowCancellation',
        metadata: base(),
        details: { reason },
      }),
    complete: () =>
      events.push({
        apiVersion: api('WorkflowCompleted'),
        kind: 'WorkflowCompleted',
        metadata: base(),
      }),
    fail: (details: WorkflowCanceledEvent['details'] = {}) =>
      events.push({
        apiVersion: api('WorkflowCanceled'),
        kind: 'WorkflowCanceled',
        metadata: base(),
        details,
      }),
  };
}

export type RunLog = ReturnType<typeof createRunLog>;
