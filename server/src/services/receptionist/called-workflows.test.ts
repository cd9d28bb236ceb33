import { Readable } from 'node:stream';
import {
  formatTimestamp,
  type GeneratorCommandEvent,
  type JobId,
  type WorkflowId,
} from '@tutti/manifests';
import { describe, expect, test } from 'vitest';
import type { EventBus } from '../../bus/bus.ts';
import { answersGivenUp, answersTo } from '../../bus/testing.ts';
import { readHere } from '../../http/document-tasks.ts';
import { answerCalls } from './called-workflows.ts';

function commandOf(more: Partial<GeneratorCommandEvent> = {}): GeneratorCommandEvent {
  return {
    apiVersion: 'opentestfactory.org/v1alpha1',
    kind: 'GeneratorCommand',
    metadata: {
      name: 'call',
      workflow_id: 'w' as WorkflowId,
      namespace: 'default',
      creationTimestamp: formatTimestamp(0),
      job_id: 'j' as JobId,
      job_origin: [],
      'tutti.uses': { file: 'checks.yaml', blob: 'in_0' },
    },
    generator: '.uses',
    ...more,
  };
}

/** Answers calls of a file with this content; null: there is none. */
const listen = (content: string | null) => (bus: Pick<EventBus, 'publish' | 'subscribeDurably'>) =>
  answerCalls({
    bus,
    blobs: {
      get: async (key) =>
        content === null || key !== 'w/in_0'
          ? null
          : { size: content.length, content: Readable.from([Buffer.from(content)]) },
    },
    documents: readHere,
    clock: { now: () => 1000, timestamp: () => formatTimestamp(1000), monotonicMs: () => 1000 },
    apiGroup: 'opentestfactory.org',
    limits: { bodyBytes: 2000 },
  });

/** The publications that answer a command, for a file with this content. */
const answersFor = (content: string | null, command: GeneratorCommandEvent = commandOf()) =>
  answersTo(command, listen(content));

const WORKFLOW = `
metadata: {name: checks}
inputs: {browser: {description: d, type: choice, options: [firefox, chromium]}, count: {description: d, default: 2}}
variables: {A: b}
defaults: {run: {shell: python}}
resources: {files: [data]}
hooks: [{name: h, events: [{channel: setup}], after: [{run: x}]}]
strategy: {max-parallel: 2}
timeout-minutes: 5
outputs: {o: '\${{ jobs.a.result }}'}
jobs: {a: {steps: [{run: x}]}}
`;

test('a call is answered with the jobs of the workflow, and its common settings', async () => {
  const command = commandOf({ with: { browser: 'firefox' } });
  expect(await answersFor(WORKFLOW, command)).toEqual([
    {
      apiVersion: 'opentestfactory.org/v1beta1',
      kind: 'GeneratorResult',
      metadata: {
        ...command.metadata,
        creationTimestamp: formatTimestamp(1000),
        'tutti.called': {
          name: 'checks',
          inputs: { browser: 'firefox', count: 2 },
          variables: { A: 'b' },
          defaults: { run: { shell: 'python' } },
          files: ['data'],
          hooks: [{ name: 'h', events: [{ channel: 'setup' }], after: [{ run: 'x' }] }],
          strategy: { 'max-parallel': 2 },
          'timeout-minutes': 5,
        },
      },
      jobs: { a: { steps: [{ run: 'x' }] } },
      // biome-ignore lint/suspicious/noTemplateCurlyInString: expressions are written so.
      outputs: { o: '${{ jobs.a.result }}' },
    },
  ]);
});

test('other generators are left alone', async () => {
  const { 'tutti.uses': _, ...metadata } = commandOf().metadata;
  expect(await answersFor(WORKFLOW, commandOf({ metadata }))).toEqual([]);
});

describe('a call that cannot be answered', () => {
  test.each<[string, string | null, object, string]>([
    ['a file that is gone', null, {}, ' it is not there any more.'],
    ['a file that is no YAML', 'a: [1\nb: 2', {}, ' "[" is not closed'],
    [
      'a file that is no workflow',
      'metadata: {name: x}\njobs:\n  a:\n    run-on: x\n    steps: []\n',
      {},
      '\njobs.a: unknown key "run-on", did you mean "runs-on"? (line 4)\njobs.a.steps: must not be empty (line 5)',
    ],
    [
      'a file that is too large',
      `# ${'x'.repeat(2000)}`,
      {},
      ' A workflow may have 2000 bytes at most.',
    ],
    [
      'a wrong input',
      WORKFLOW,
      { browser: 'x' },
      ' Input "browser": Invalid value "x".  Allowed values: "firefox", "chromium".',
    ],
    [
      'an unknown input',
      WORKFLOW,
      { other: 1 },
      ' Unexpected inputs "other" found.  Allowed inputs: "browser", "count".',
    ],
  ])('is an error of the run: %s', async (_, content, inputs, problem) => {
    const [answer] = await answersFor(content, commandOf({ with: { ...inputs } }));
    expect(answer).toMatchObject({
      kind: 'ExecutionError',
      metadata: { job_id: 'j' },
      details: {
        error: expect.stringContaining(`Workflow "checks.yaml" cannot be called:${problem}`),
      },
    });
  });
});

test('all wrong inputs of a call are listed, with the job that gives them', async () => {
  const { metadata } = commandOf();
  const command = commandOf({
    metadata: { ...metadata, 'tutti.job': 'bundle/call' },
    with: { browser: 'x', other: 1 },
  });
  const why = 'jobs.bundle/call.with: Workflow "checks.yaml" cannot be called: ';
  expect(await answersFor(WORKFLOW, command)).toMatchObject([
    {
      kind: 'ExecutionError',
      details: {
        error: [
          `${why}Unexpected inputs "other" found.  Allowed inputs: "browser", "count".`,
          `${why}Input "browser": Invalid value "x".  Allowed values: "firefox", "chromium".`,
        ].join('\n'),
      },
    },
  ]);
});

test('a call that cannot even be refused is an error of the run all the same', async () => {
  expect(await answersGivenUp(commandOf(), listen(null))).toMatchObject([
    {
      kind: 'ExecutionError',
      metadata: { job_id: 'j' },
      details: {
        error: `Workflow "checks.yaml" cannot be called: internal error, see the server's log.`,
      },
    },
  ]);
});

describe('a call in a repository', () => {
  const source = { repository: 'shop', path: 'checks.yaml', commit: 'c' };
  const uses = { file: 'shop/checks.yaml', blob: 'in_0', ...source };
  const command = commandOf({ metadata: { ...commandOf().metadata, 'tutti.uses': uses } });

  test('may call files beside it', async () => {
    const workflow = 'metadata: {name: x}\njobs: {a: {uses: ./b.yaml}}\n';
    expect(await answersFor(workflow, command)).toMatchObject([
      { kind: 'GeneratorResult', metadata: { 'tutti.uses': uses }, jobs: { a: {} } },
    ]);
    expect(await answersFor(workflow)).toMatchObject([{ kind: 'ExecutionError' }]);
  });

  test.each<[string, string | null, string]>([
    ['a file that is gone', null, 'it is not there any more.'],
    [
      'a file that is no workflow',
      'metadata: {name: x}\njobs:\n  a:\n    run-on: x\n    steps: []\n',
      'jobs.a: unknown key "run-on", did you mean "runs-on"? (line 4)\njobs.a.steps: must not be empty (line 5)',
    ],
  ])('that cannot be answered is a failure of the job: %s', async (_, content, problem) => {
    expect(await answersFor(content, command)).toMatchObject([
      { kind: 'GeneratorResult', metadata: { job_id: 'j', 'tutti.problems': [problem] }, jobs: {} },
    ]);
  });
});
