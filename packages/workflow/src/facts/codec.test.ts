/** The bytes that logs have, as versions before the codec wrote them: each fact writes and reads exactly these. */
import type { JobId, RunEvent, StepId, WorkflowId } from '@tutti/manifests';
import { describe, expect, test } from 'vitest';
import {
  branchIn,
  chosenIn,
  factOf,
  inputsIn,
  masksIn,
  notifiedLines,
  versionIn,
} from './decode.ts';
import {
  annotationEntries,
  limitEntries,
  maskEntries,
  metadataEntries,
  specEntries,
  takenEntries,
} from './encode.ts';
import type { Notice } from './fact.ts';

type Metadata = Parameters<typeof metadataEntries>[0];

const NO_LIMITS = { timeoutMs: null, maxParallel: null, failFast: false } as const;
const REPOSITORY = { repository: 'https://example.org/any.git', path: 'j0.yaml' } as const;
const COMMIT = '0123456789abcdef0123456789abcdef01234567';
const BY = { group: 'lab', by: 'other' as WorkflowId } as const;
const ENDED = {
  type: 'JobEnded',
  job: 'a',
  outputs: {},
  isForgiven: false,
  supersededBy: null,
  taken: null,
} as const;
const STEP = {
  type: 'StepEnded',
  name: null,
  outcome: 'success',
  conclusion: 'success',
  outputs: {},
  directory: null,
  isKept: null,
} as const;
const DOWNLOAD = {
  type: 'DownloadBegun',
  bundle: 'j0',
  ...REPOSITORY,
  ref: 'main',
  stepId: 'id-5' as StepId,
  ...NO_LIMITS,
} as const;

const notices: readonly (readonly [spec: string, notice: Notice])[] = [
  [
    '{"conclusion":"skipped","tutti.job":"j4/j5/j7"}',
    { ...ENDED, job: 'j4/j5/j7', result: 'skipped' },
  ],
  [
    '{"conclusion":"success","tutti.job":"a","tutti.continue-on-error":"true","tutti.outputs":{"o":""}}',
    { ...ENDED, result: 'success', isForgiven: true, outputs: { o: '' } },
  ],
  [
    '{"conclusion":"cancelled","tutti.job":"a","tutti.superseded":{"group":"lab","by":"other"}}',
    { ...ENDED, result: 'cancelled', supersededBy: BY },
  ],
  [
    '{"conclusion":"success","tutti.job":"a","tutti.taken-over":{"workflow_id":"w","job_id":"j"}}',
    { ...ENDED, result: 'success', taken: { from: 'w' as WorkflowId, jobId: 'j' as JobId } },
  ],
  [
    '{"conclusion":"success","tutti.job":"a","tutti.taken-over":{"workflow_id":"w"}}',
    { ...ENDED, result: 'success', taken: { from: 'w' as WorkflowId, jobId: null } },
  ],
  [
    '{"tutti.halted":"j0","tutti.failed":"j0/j1/j2","tutti.spared":"j0/j1"}',
    { type: 'Halted', bundle: 'j0', failed: 'j0/j1/j2', spared: 'j0/j1' },
  ],
  [
    '{"tutti.halted":"","tutti.failed":"b"}',
    { type: 'Halted', bundle: '', failed: 'b', spared: null },
  ],
  ['{"tutti.halted":""}', { type: 'Halted', bundle: '', failed: null, spared: null }],
  ['{"tutti.granted":""}', { type: 'Granted', job: '' }],
  [
    '{"tutti.download":{"bundle":"j0","repository":"https://example.org/any.git","path":"j0.yaml","ref":"main","step":"id-5"}}',
    DOWNLOAD,
  ],
  [
    '{"tutti.waiting":{"reason":"max-parallel","limit":3,"running":3}}',
    { type: 'Held', job: null, reason: { reason: 'max-parallel', limit: 3, running: 3 } },
  ],
  ['{"tutti.timeout":"job"}', { type: 'JobOverdue' }],
  ['{"tutti.timeout":"step"}', { type: 'StepOverdue' }],
  ['{"tutti.superseded":{"group":"lab","by":"other"}}', { type: 'Superseded', by: BY }],
  [
    '{"tutti.step-ended":"true","tutti.step-name":"k","outcome":"skipped","conclusion":"skipped"}',
    { ...STEP, name: 'k', outcome: 'skipped', conclusion: 'skipped' },
  ],
  [
    '{"tutti.step-ended":"true","tutti.use-workspace":"here","outcome":"success","conclusion":"success"}',
    { ...STEP, directory: 'here' },
  ],
  [
    '{"tutti.step-ended":"true","tutti.keep-workspace":"false","outcome":"success","conclusion":"success"}',
    { ...STEP, isKept: false },
  ],
  [
    '{"tutti.step-ended":"true","outcome":"failure","conclusion":"success","tutti.outputs":{"commit":"c"}}',
    { ...STEP, outcome: 'failure', outputs: { commit: 'c' } },
  ],
  ['{"tutti.output":["one","two"]}', { type: 'StepPrinted', lines: ['one', 'two'], stderr: [] }],
  [
    '{"tutti.output":["one","two"],"tutti.stderr":[[1,1]]}',
    { type: 'StepPrinted', lines: ['one', 'two'], stderr: [[1, 1]] },
  ],
  [
    '{"tutti.general-errors":[{"message":"of none"}]}',
    { type: 'ReportRead', generalErrors: [{ message: 'of none' }], fault: null },
  ],
  [
    '{"tutti.broken-report":{"file":"a.xml","problem":"cut","testCases":1,"isCut":true}}',
    {
      type: 'ReportRead',
      generalErrors: [],
      fault: { file: 'a.xml', problem: 'cut', testCases: 1, isCut: true },
    },
  ],
  ['{}', { type: 'Noted' }],
];

const withMetadata: readonly (readonly [kind: RunEvent['kind'], own: string, fact: Metadata])[] = [
  [
    'ExecutionCommand',
    '{"tutti.timeout-ms":0,"tutti.job":"a/b"}',
    { type: 'EnvironmentRequested', job: 'a/b', timeoutMs: 0 },
  ],
  [
    'ExecutionCommand',
    '{"tutti.continue-on-error":true,"tutti.deadline-ms":1767225780000,"tutti.hook":"c2","tutti.step-name":"n","tutti.secrets":["s"]}',
    {
      type: 'StepStarted',
      name: 'n',
      continueOnError: true,
      deadlineMs: 1767225780000,
      hook: 'c2',
      secrets: ['s'],
    },
  ],
  ['ExecutionCommand', '{"tutti.cause":"timeout"}', { type: 'StepStopped', cause: 'timeout' }],
  [
    'ExecutionCommand',
    '{"tutti.conclusion":"success","tutti.continue-on-error":true,"tutti.outputs":{"o":""}}',
    { type: 'JobReleased', result: 'success', outputs: { o: '' }, isForgiven: true },
  ],
  [
    'ExecutionResult',
    '{"tutti.channel-hooks":[{"name":"h","events":[]}]}',
    { type: 'EnvironmentOffered', hooks: [{ name: 'h', events: [] }] },
  ],
  [
    'ExecutionResult',
    '{"tutti.missing-reports":[{"file":"a","count":1,"problem":"p"}],"tutti.streamed":2,"tutti.not-run":true}',
    {
      type: 'StepAnswered',
      missingReports: [{ file: 'a', count: 1, problem: 'p' }],
      streamed: 2,
      isNotRun: true,
    },
  ],
  [
    'ProviderCommand',
    '{"tutti.deadline-ms":1767225671691,"tutti.hooks":true}',
    {
      type: 'FunctionCalled',
      deadlineMs: 1767225671691,
      isHooked: true,
      attempt: 1,
      selection: [],
    },
  ],
  [
    'ProviderResult',
    '{"tutti.problems":["steps: is missing."]}',
    { type: 'FunctionAnswered', problems: ['steps: is missing.'] },
  ],
  [
    'GeneratorCommand',
    `{"tutti.job":"j0","tutti.uses":{"file":"f","blob":"b","repository":"https://example.org/any.git","path":"j0.yaml","commit":"${COMMIT}","ref":"main"}}`,
    {
      type: 'JobsAsked',
      job: 'j0',
      ...NO_LIMITS,
      called: { file: 'f', blob: 'b', fetched: { ...REPOSITORY, ref: 'main', commit: COMMIT } },
    },
  ],
  [
    'GeneratorCommand',
    '{"tutti.job":"j0","tutti.timeout-ms":600000,"tutti.max-parallel":1,"tutti.fail-fast":true,"tutti.uses":{"file":"f","blob":"b"}}',
    {
      type: 'JobsAsked',
      job: 'j0',
      timeoutMs: 600_000,
      maxParallel: 1,
      failFast: true,
      called: { file: 'f', blob: 'b', fetched: null },
    },
  ],
  [
    'GeneratorResult',
    '{"tutti.job":"j0","tutti.matrix":{"j0-x":{"m":"x"}}}',
    {
      type: 'JobsGiven',
      job: 'j0',
      ...NO_LIMITS,
      isOfFile: false,
      called: null,
      cells: { 'j0-x': { m: 'x' } },
      problems: [],
    },
  ],
  [
    'WorkflowResult',
    '{"tutti.skipped":"no case"}',
    { type: 'FilesPublished', skipped: 'no case', incomplete: null },
  ],
  [
    'WorkflowResult',
    '{"tutti.incomplete":"Too early."}',
    { type: 'FilesPublished', skipped: null, incomplete: 'Too early.' },
  ],
  [
    'WorkflowCancellation',
    '{"tutti.cause":"superseded"}',
    { type: 'CancellationAsked', cause: 'superseded' },
  ],
  ['WorkflowCancellation', '{}', { type: 'CancellationAsked', cause: 'user' }],
];

// An event with only the entries that the codec reads.
const eventOf = (kind: RunEvent['kind'], content: object) => ({ kind, ...content }) as RunEvent;

describe('notifications', () => {
  test.each(notices)('%s', (spec, notice) => {
    expect(JSON.stringify(specEntries(notice))).toBe(spec);
    const event = eventOf('Notification', { metadata: {}, spec: JSON.parse(spec) });
    expect(factOf(event)).toEqual({ ...notice, event });
  });

  test('a download and a wait say in their metadata which job they are about', () => {
    expect(JSON.stringify(metadataEntries({ ...DOWNLOAD, maxParallel: 1 }))).toBe(
      '{"tutti.job":"j0","tutti.max-parallel":1}',
    );
    const reason = { reason: 'max-parallel', limit: 1, running: 1 } as const;
    const held = { type: 'Held', job: 'a/b', reason } as const;
    expect(JSON.stringify(metadataEntries(held))).toBe('{"tutti.job":"a/b"}');
  });

  test('flags of earlier versions are booleans', () => {
    const spec = { 'tutti.step-ended': true, outcome: 'success', conclusion: 'success' };
    expect(factOf(eventOf('Notification', { metadata: {}, spec }))).toMatchObject(STEP);
  });

  test('lines of earlier versions are log lines', () => {
    expect(notifiedLines({ spec: { logs: ['a'] } } as never)).toEqual(['a']);
    expect(notifiedLines({ spec: { 'tutti.output': ['b'] } } as never)).toEqual(['b']);
  });

  test('an entry that is not ours is no fact', () => {
    const spec = { 'tutti.job': 1, 'tutti.superseded': { group: 'g' }, 'tutti.download': {} };
    expect(factOf(eventOf('Notification', { metadata: {}, spec })).type).toBe('Noted');
  });
});

/** Commands of one kind, and their results, are told apart by these. */
const SEQUENCES = new Map([
  ['EnvironmentRequested', -1],
  ['EnvironmentOffered', -1],
  ['JobReleased', -2],
  ['StepStopped', -4],
]);

test.each(withMetadata)('%s %s', (kind, own, fact) => {
  expect(JSON.stringify(metadataEntries(fact))).toBe(own);
  const metadata = { ...JSON.parse(own), step_sequence_id: SEQUENCES.get(fact.type) ?? 0 };
  expect(factOf(eventOf(kind, { metadata }))).toMatchObject(fact);
});

describe('the start of a run', () => {
  const annotations = annotationEntries({
    inputs: { i: 1 },
    files: { f: 'blob' },
    isLocal: true,
    chosen: ['a'],
    rerunOf: 'w',
    version: 'v',
    branch: 'b',
  });

  test('has annotations', () => {
    expect(JSON.stringify(annotations)).toBe(
      '{"tutti.inputs":{"i":1},"tutti.files":{"f":"blob"},"tutti.local":true,"tutti.jobs":["a"],"tutti.rerun-of":"w","tutti.version":"v","tutti.branch":"b"}',
    );
    expect(annotationEntries({})).toEqual({});
    expect([inputsIn(annotations), chosenIn(annotations)]).toEqual([{ i: 1 }, ['a']]);
    expect([versionIn(annotations), branchIn(annotations)]).toEqual(['v', 'b']);
    expect([versionIn({}), branchIn({})]).toEqual([null, null]);
  });

  test('has what is evaluated once, a false flag included', () => {
    const limits = limitEntries({ deadlineMs: 5, maxParallel: 2, failFast: false });
    expect(JSON.stringify(limits)).toBe(
      '{"tutti.deadline-ms":5,"tutti.max-parallel":2,"tutti.fail-fast":false}',
    );
    expect(limitEntries({})).toEqual({});
  });

  test('has the jobs that it takes over, and masks', () => {
    const job = { result: 'success', outputs: {}, mark: 'm', jobId: null, artifacts: [] } as const;
    const metadata = { ...takenEntries('w' as WorkflowId, { a: job }), ...maskEntries(['x']) };
    expect(JSON.stringify(metadata)).toBe(
      '{"tutti.taken":{"from":"w","jobs":{"a":{"result":"success","outputs":{},"mark":"m","jobId":null,"artifacts":[]}}},"tutti.masks":["x"]}',
    );
    const event = eventOf('Workflow', { metadata: { ...metadata, annotations } });
    expect(factOf(event)).toMatchObject({
      type: 'RunReceived',
      files: { f: 'blob' },
      isLocal: true,
      chosen: ['a'],
      taken: { from: 'w', jobs: new Map([['a', job]]) },
    });
    expect(masksIn(event)).toEqual(['x']);
  });
});
