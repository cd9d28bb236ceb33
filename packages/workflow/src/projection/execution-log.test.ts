import type {
  AttachmentId,
  JobId,
  RunEvent,
  StepId,
  StepMetadata,
  Timestamp,
  WorkflowEvent,
  WorkflowId,
} from '@tutti/manifests';
import { expect, test } from 'vitest';
import { NO_JOB_ID, renderEvent, renderHeader } from './execution-log.ts';
import { createLogOptions, type LogOptions } from './log-options.ts';

const jobId = '11111111-2222-4333-8444-555555555555' as JobId;
const stepId = 'bbbbbbbb-2222-4333-8444-555555555555' as StepId;
const uuid = '99999999-2222-4333-8444-555555555555' as AttachmentId;
const apiVersion = 'opentestfactory.org/v1alpha1';
const path = `/tmp/${jobId}-${uuid}_0_report.xml`;

const ofRun = {
  name: 'nightly',
  workflow_id: 'aaaaaaaa-2222-4333-8444-555555555555' as WorkflowId,
  namespace: 'qa',
  creationTimestamp: '2026-01-31T12:34:56.123456' as Timestamp,
};
const ofStep: StepMetadata = {
  ...ofRun,
  name: 'build',
  job_id: jobId,
  job_origin: [],
  step_id: stepId,
  step_origin: [],
};

function command(
  sequence: number,
  more: { metadata?: object; scripts?: string[]; tags?: string[] } = {},
): RunEvent {
  return {
    apiVersion,
    kind: 'ExecutionCommand',
    metadata: { ...ofStep, step_sequence_id: sequence, ...more.metadata },
    'runs-on': more.tags ?? ['linux', 'robot'],
    scripts: more.scripts ?? [],
  };
}

function result(more: { metadata?: object; status?: number; logs?: string[] }): RunEvent {
  const { metadata, status = 0, ...rest } = more;
  return {
    apiVersion,
    kind: 'ExecutionResult',
    metadata: { ...ofStep, step_sequence_id: 0, ...metadata },
    status,
    ...rest,
  };
}

function notification(spec: object, metadata: object = {}): RunEvent {
  const name = 'log notification';
  return { apiVersion, kind: 'Notification', metadata: { ...ofRun, name, ...metadata }, spec };
}

const PREFIX = `[2026-01-31T12:34:56.123456] [job ${jobId}] `;
const RUN_PREFIX = `[2026-01-31T12:34:56.123456] [job ${NO_JOB_ID}] `;

/** The texts of the lines, each of which must have the prefix and an end. */
function texts(event: RunEvent, options: Partial<LogOptions> = {}, prefix = PREFIX): string[] {
  const text = renderEvent(event, { ...createLogOptions(), ...options });
  expect(text === '' || text.endsWith('\n')).toBe(true);
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => {
      expect(line.slice(0, prefix.length)).toBe(prefix);
      return line.slice(prefix.length);
    });
}

const inStep = { step_origin: [stepId] };
const inJob = { job_origin: [jobId] };

// HTTP 4.5: Logs: outer jobs and steps with whole commands, unless labels say otherwise.
test('a bundle is told, its jobs only where their depth is wanted', () => {
  const inBundle = { ...ofRun, name: 'build', job_id: jobId, job_origin: [] };
  const labels = (category: string) => ({ labels: { 'opentestfactory.org/category': category } });
  const expansion = (metadata: object, category = '.matrix'): RunEvent => ({
    apiVersion,
    kind: 'GeneratorResult',
    metadata: { ...inBundle, ...labels(category), ...metadata },
    jobs: {},
  });
  const question: RunEvent = {
    apiVersion,
    kind: 'GeneratorCommand',
    metadata: { ...inBundle, ...labels('plan') },
    generator: 'any/plan',
  };
  expect(texts(question)).toEqual(['Running job bundle: "build"']);
  expect(texts(expansion({}, 'plan'))).toEqual([]);
  const end = (metadata: object) =>
    notification(
      { conclusion: 'skipped', 'tutti.job': 'a/b', logs: ['Job "b" skipped.'] },
      { job_id: jobId, ...metadata },
    );
  expect(texts(expansion({}))).toEqual(['Running job bundle: "build"']);
  expect(texts(expansion(inJob))).toEqual([]);
  expect(texts(expansion(inJob), { jobDepth: 2 })).toEqual(['Running job bundle: "build"']);
  expect(texts(end({ job_origin: [] }))).toEqual(['Job "b" skipped.']);
  expect(texts(end(inJob))).toEqual([]);
  expect(texts(end(inJob), { jobDepth: 0 })).toEqual(['Job "b" skipped.']);
});

test('the log begins with the name of the workflow and its namespace', () => {
  const event: WorkflowEvent = { apiVersion, kind: 'Workflow', metadata: ofRun, jobs: {} };
  const header = 'Workflow nightly\n(running in namespace "qa")\n';
  expect(renderHeader(event)).toBe(header);
  expect(renderEvent(event, createLogOptions())).toBe(header);
});

test('the name of a workflow stays on the first line, whatever it holds', () => {
  const name = 'nightly\r\n[2026-01-31T12:34:56] [job x] forged\u2028\u001b[2J\n';
  const metadata = { ...ofRun, name };
  expect(renderHeader({ apiVersion, kind: 'Workflow', metadata, jobs: {} })).toBe(
    'Workflow nightly [2026-01-31T12:34:56] [job x] forged [2J\n(running in namespace "qa")\n',
  );
});

test.each<[name: string, event: RunEvent, lines: string[]]>([
  [
    'a request',
    command(-1),
    [
      'Requesting execution environment providing "linux", "robot" in namespace "qa" for job "build"',
    ],
  ],
  [
    'a request without tags',
    command(-1, { tags: [] }),
    ['Requesting any execution environment in namespace "qa" for job "build"'],
  ],
  ['a release', command(-2), ['Releasing execution environment for job "build"']],
  [
    'the release of a job that failed',
    command(-2, { metadata: { 'tutti.conclusion': 'failure' } }),
    ['Job "build" failed.', 'Releasing execution environment for job "build"'],
  ],
  [
    'the release of a job whose failure is forgiven',
    command(-2, { metadata: { 'tutti.conclusion': 'success', 'tutti.continue-on-error': true } }),
    [
      'Job "build" failed, and counts as succeeded: it continues on error.',
      'Releasing execution environment for job "build"',
    ],
  ],
  ['a stop', command(-4), ['Stopping the command that runs in job "build"']],
  ['a hard stop', command(-9), ['Stopping the command that runs in job "build"']],
  ['a notice to a channel', command(-3), []],
  ['a step', command(0, { scripts: ['make test'] }), ['Running command: make test']],
  [
    'a step of several lines',
    command(0, { scripts: ['make test', '', '  echo done ', ''] }),
    ['Running command: make test', '', '  echo done'],
  ],
  [
    'a step in one text',
    command(0, { scripts: ['make\necho\r\ntrue\n'] }),
    ['Running command: make', 'echo', 'true'],
  ],
  ['a step without a command', command(0), ['Running command: ']],
  ['a step of a provider', command(0, { scripts: ['x'], metadata: inStep }), []],
  ['a step of a generated job', command(0, { scripts: ['x'], metadata: inJob }), []],
  [
    'a provider',
    {
      apiVersion,
      kind: 'ProviderCommand',
      metadata: { ...ofStep, name: 'actions/checkout@v2' },
      'runs-on': [],
      contexts: {},
      step: { uses: 'actions/checkout@v2', id: stepId },
    },
    ['Running function: "actions/checkout@v2"'],
  ],
  [
    'the answer of a provider',
    { apiVersion, kind: 'ProviderResult', metadata: ofStep, steps: [] },
    [],
  ],
  ['a result', result({ logs: ['one', '', 'two\nthree'] }), ['one', '', 'two', 'three']],
  ['a failed result', result({ logs: ['one'], status: 3 }), ['one', 'Status code was: 3']],
  [
    'a step that could not run',
    result({ logs: ['why'], status: 1, metadata: { 'tutti.not-run': true } }),
    ['why'],
  ],
  ['an offer', result({ metadata: { step_sequence_id: -1, channel_id: uuid } }), []],
  [
    'a result whose first lines came while it ran',
    result({ logs: ['one', 'two'], metadata: { 'tutti.streamed': 1 } }),
    ['two'],
  ],
  [
    'a result all of whose lines came while it ran',
    result({ status: 1, metadata: { 'tutti.streamed': 7 } }),
    ['Status code was: 1'],
  ],
  [
    'a result that counts wrongly',
    result({ logs: ['one'], metadata: { 'tutti.streamed': -1 } }),
    ['one'],
  ],
  [
    'an error in a job',
    { apiVersion, kind: 'ExecutionError', metadata: ofStep, details: { error: 'a\nb' } },
    ['ERROR: a', 'b'],
  ],
  [
    'output while a step runs',
    notification({ 'tutti.output': ['one', 'two'] }, { ...ofStep, name: 'log notification' }),
    ['one', 'two'],
  ],
  [
    'output while a step runs, as earlier versions stored it',
    notification({ logs: ['one', 'two\r\nthree'] }, { ...ofStep, name: 'log notification' }),
    ['one', 'two', 'three'],
  ],
  [
    'the end of a job without environment',
    notification({ conclusion: 'skipped', logs: ['Job "x" skipped.'] }, { job_id: jobId }),
    ['Job "x" skipped.'],
  ],
  [
    'a time limit',
    notification({ 'tutti.timeout': 'job', logs: ['too long'] }, { job_id: jobId }),
    ['too long'],
  ],
  [
    'a time limit of a step in a function',
    notification(
      { 'tutti.timeout': 'step', logs: ['too long'] },
      { ...ofStep, step_origin: [stepId] },
    ),
    ['  too long'],
  ],
  ['test results', notification({ testResults: [] }, { job_id: jobId }), []],
])('%s is shown as it should', (_name, event, lines) => {
  expect(texts(event)).toEqual(lines);
});

test.each<[name: string, event: RunEvent, lines: string[]]>([
  [
    'its completion',
    { apiVersion, kind: 'WorkflowCompleted', metadata: ofRun },
    ['Workflow completed successfully.'],
  ],
  [
    'its failure',
    { apiVersion, kind: 'WorkflowCanceled', metadata: ofRun, details: {} },
    ['Workflow failed.'],
  ],
  [
    'its failure for a reason',
    { apiVersion, kind: 'WorkflowCanceled', metadata: ofRun, details: { reason: 'Job x failed.' } },
    ['Job x failed.', 'Workflow failed.'],
  ],
  [
    'its cancellation',
    {
      apiVersion,
      kind: 'WorkflowCanceled',
      metadata: ofRun,
      details: { reason: 'wrong branch', status: 'cancelled' },
    },
    ['wrong branch', 'Workflow canceled.'],
  ],
  [
    'a wish to cancel it',
    { apiVersion, kind: 'WorkflowCancellation', metadata: ofRun },
    ['Cancellation of the workflow requested.'],
  ],
  [
    'a wish to cancel it, with source and reason',
    {
      apiVersion,
      kind: 'WorkflowCancellation',
      metadata: ofRun,
      details: { source: 'ci', reason: 'wrong branch' },
    },
    ['Cancellation of the workflow requested by "ci": wrong branch'],
  ],
  [
    'a wish to cancel it, whose source is not its actor',
    {
      apiVersion,
      kind: 'WorkflowCancellation',
      metadata: { ...ofRun, 'tutti.actor': { subject: 'bob', key: 'k' } },
      details: { source: 'alice"\u001b[2J\nalice' },
    },
    ['Cancellation of the workflow requested by "bob" (source "alice\\"\\u001b[2J\\nalice").'],
  ],
  [
    'an error',
    { apiVersion, kind: 'ExecutionError', metadata: ofRun, details: { error: 'bad' } },
    ['ERROR: bad'],
  ],
  ['a group', notification({ logs: ['Group "a"'] }, { name: 'group notification' }), ['Group "a"']],
  [
    'a wait that is told in words',
    notification({
      logs: ['Waits.'],
      'tutti.waiting': { reason: 'max-parallel', limit: 1, running: 1 },
    }),
    ['Waits.'],
  ],
  [
    'a wait without words',
    notification(
      { 'tutti.waiting': { reason: 'max-parallel', limit: 1, running: 1 } },
      { 'tutti.job': 'x' },
    ),
    ['Job "x" waits: max-parallel 1 reached (1 job running).'],
  ],
  ['the log of a service', notification({ logs: ['[now] INFO in arranger: x'] }), []],
  [
    'a report',
    {
      apiVersion,
      kind: 'WorkflowResult',
      metadata: { ...ofRun, attachments: { [path]: { uuid } } },
      attachments: [path],
    },
    [],
  ],
])(
  'among the lines of the workflow, %s has the place of the job id filled',
  (_name, event, lines) => {
    expect(texts(event, {}, RUN_PREFIX)).toEqual(lines);
  },
);

test('the details of an ExecutionError are shown even if they are no text', () => {
  const event = {
    apiVersion,
    kind: 'ExecutionError',
    metadata: ofRun,
    details: { code: 7 },
  } as unknown as RunEvent;
  expect(texts(event, {}, RUN_PREFIX)).toEqual(['ERROR: {"code":7}']);
});

// HTTP 4.5: Logs: outer jobs and steps with whole commands, unless labels say otherwise.
test('waits of inner jobs are hidden as their other lines are, in words and without', () => {
  const waiting = { reason: 'max-parallel', limit: 1, running: 1 } as const;
  for (const logs of [[], ['Waits.']]) {
    const of = (metadata: object) =>
      notification({ 'tutti.waiting': waiting, logs }, { job_id: jobId, ...metadata });
    const inner = of({ 'tutti.job': 'x/y', job_origin: [jobId] });
    expect(texts(inner)).toEqual([]);
    expect(texts(inner, { jobDepth: 2 })).toHaveLength(1);
    expect(texts(inner, { jobDepth: 0 })).toHaveLength(1);
    expect(texts(of({ 'tutti.job': 'x', job_origin: [] }))).toHaveLength(1);
  }
});

test('with greater depths, inner jobs and steps are shown, steps indented', () => {
  const inner = command(0, { scripts: ['x'], metadata: { ...inStep, ...inJob } });
  for (const depths of [
    { stepDepth: 2, jobDepth: 2 },
    { stepDepth: 0, jobDepth: 0 },
  ]) {
    expect(texts(inner, depths)).toEqual(['  Running command: x']);
  }
  expect(texts(inner, { stepDepth: 2 })).toEqual([]);
  expect(texts(inner, { jobDepth: 2 })).toEqual([]);
});

test('the output of inner steps is always shown, their exit codes are not', () => {
  const event = result({ logs: ['one'], status: 3, metadata: inStep });
  expect(texts(event)).toEqual(['  one']);
  expect(texts(event, { stepDepth: 2 })).toEqual(['  one', '  Status code was: 3']);
});

test('long commands are cut', () => {
  const event = command(0, { scripts: ['make test'] });
  expect(texts(event, { maxCommandLength: 4 })).toEqual(['Running command: make...']);
  expect(texts(event, { maxCommandLength: 9 })).toEqual(['Running command: make test']);
});

test.each([
  [4, 'make...'],
  [9, 'make test...'],
  [99, 'make test...'],
  // HTTP 4.5: Logs: outer jobs and steps with whole commands, unless labels say otherwise.
])('of a command of several lines, a limit of %i shows the first alone: %s', (max, shown) => {
  const event = command(0, { scripts: ['make test', 'echo done', ''] });
  expect(texts(event, { maxCommandLength: max })).toEqual([`Running command: ${shown}`]);
});

test('a command of one line that ends with a line feed is whole', () => {
  const event = command(0, { scripts: ['make test\n'] });
  expect(texts(event, { maxCommandLength: 9 })).toEqual(['Running command: make test']);
});

test('the lines of an inner command are all indented', () => {
  const event = command(0, { scripts: ['one', 'two'], metadata: inStep });
  expect(texts(event, { stepDepth: 0 })).toEqual(['  Running command: one', '  two']);
});

test('attachments are shown on request', () => {
  const attachments = { attachments: [path] };
  const event = result({ metadata: { attachments: { [path]: { uuid } } }, ...attachments });
  expect(texts(event)).toEqual([]);
  expect(texts(event, { showsAttachments: true })).toEqual([
    `Produced attachment ${uuid} (report.xml).`,
  ]);
});

test('log lines of services are shown on request, with the name of the notification', () => {
  const options = { showsNotifications: true };
  expect(texts(notification({ logs: ['x'] }), options, RUN_PREFIX)).toEqual(['x']);
  const named = notification({ logs: ['x'] }, { name: 'parser' });
  expect(texts(named, options, RUN_PREFIX)).toEqual(['[parser] x']);
});

test('lines of services for debugging are shown on request only', () => {
  const event = notification({ logs: ['[now] DEBUG in x: a', 'TRACE,b', 'c DEBUG', 'DEBUGGER'] });
  const options = { showsNotifications: true };
  expect(texts(event, options, RUN_PREFIX)).toEqual(['c DEBUG', 'DEBUGGER']);
  expect(texts(event, { ...options, showsDebugging: true }, RUN_PREFIX)).toHaveLength(4);
});

test.each([
  ['', ''],
  ['{job_id} | ', `${jobId} | `],
  [
    '{timestamp} {timestamp} {other} $& ',
    '2026-01-31T12:34:56.123456 2026-01-31T12:34:56.123456 {other} $& ',
  ],
])('with the prefix %j lines begin with %j, and keep their indentation', (outputPrefix, shown) => {
  const [line] = texts(result({ logs: ['x'] }), { outputPrefix }, shown);
  expect(line).toBe('x');
  const nested = result({ logs: ['x'], metadata: { step_origin: [stepId] } });
  expect(texts(nested, { outputPrefix }, shown)).toEqual(['  x']);
});

test('events of other publishers may lack what ours always have', () => {
  const { step_origin: _s, job_origin: _j, ...metadata } = ofStep;
  const event = { ...command(0, { scripts: ['x'] }), metadata } as unknown as RunEvent;
  expect(texts({ ...event } as RunEvent)).toEqual(['Running command: x']);
});

test('events of other kinds are not shown', () => {
  const other = { kind: 'Custom', metadata: ofStep, logs: ['x'], spec: { logs: ['x'] } };
  expect(renderEvent(other, createLogOptions({}))).toBe('');
});

test('commands of hooks say which hook they are of', () => {
  const event = command(3, { scripts: ['make clean'], metadata: { 'tutti.hook': 'tidy "up"' } });
  expect(texts(event)).toEqual(['Running command of hook "tidy "up"": make clean']);
});
