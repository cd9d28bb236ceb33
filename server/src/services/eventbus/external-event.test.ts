import {
  type ExternalEventKind,
  externalEventSchemas,
  parseWorkflowId,
  type Timestamp,
} from '@tutti/manifests';
import { describe, expect, test } from 'vitest';
import { createValidator, formatProblem } from '../../http/validate.ts';
import { runEventFrom } from './external-event.ts';

const ID = 'aaaaaaaa-1111-4222-8333-bbbbbbbbbbbb';
const UPPER = ID.toUpperCase();
const NOW = '2026-01-31T12:34:56.123456' as Timestamp;
const actor = { subject: 'a plugin', key: 'a key' };
const known = { workflowId: parseWorkflowId(ID), namespace: 'team', now: NOW, actor };
const apiVersion = 'opentestfactory.org/v1alpha1';
const run = { name: 'n', workflow_id: ID };
const step = { ...run, job_id: ID, step_id: ID };

const read = (kind: ExternalEventKind, event: Record<string, unknown>): unknown =>
  runEventFrom({ apiVersion, kind, ...event }, kind, known);

describe('events from outside', () => {
  test('gets the time, namespace and run that the server knows', () => {
    const event = read('WorkflowCancellation', {
      metadata: {
        name: 'n',
        workflow_id: UPPER,
        namespace: 'other',
        creationTimestamp: '2020-01-01T00:00:00+02:00',
      },
      details: { reason: 'enough' },
    });
    expect(event).toEqual({
      apiVersion,
      kind: 'WorkflowCancellation',
      metadata: {
        name: 'n',
        workflow_id: ID,
        namespace: 'team',
        creationTimestamp: NOW,
        'tutti.actor': actor,
      },
      details: { reason: 'enough' },
    });
  });

  test('has its ids in lower case and the origins that older plugins leave out', () => {
    const metadata = { ...step, job_id: UPPER, channel_id: UPPER, step_sequence_id: -1 };
    expect(read('ExecutionResult', { metadata, status: 0 })).toMatchObject({
      metadata: { job_id: ID, channel_id: ID, job_origin: [], step_origin: [] },
    });
  });

  test('has no lists and maps without entries, which toolkits send and their schema refuses', () => {
    const metadata = { ...step, step_sequence_id: 1, attachments: {} };
    const empty = { attachments: [], outputs: {}, variables: {}, logs: [] };
    const event = read('ExecutionResult', { metadata, status: 0, ...empty });
    expect(Object.keys(Object(event)).sort()).toEqual([
      'apiVersion',
      'kind',
      'logs',
      'metadata',
      'status',
    ]);
    expect(event).not.toHaveProperty(['metadata', 'attachments']);
  });

  test('keeps additions of plugins, but no entries that only the server may set', () => {
    const event = read('Notification', {
      metadata: {
        ...run,
        'tutti.cause': 'timeout',
        'tutti.actor': { subject: 'root', key: 'k' },
        'a.b': 1,
        artifacts: [],
      },
      spec: { logs: ['x'], 'tutti.granted': 'job', 'example.org/x': 2 },
    });
    expect(event).toMatchObject({ metadata: { 'a.b': 1, artifacts: [], 'tutti.actor': actor } });
    expect(event).toHaveProperty('spec', { logs: ['x'], 'example.org/x': 2 });
    expect(event).not.toHaveProperty(['metadata', 'tutti.cause']);
  });

  test('is no deeper than a run can be', () => {
    const deep = Array.from({ length: 100_000 }, () => ID);
    const metadata = { ...step, step_origin: deep, job_origin: [ID], step_sequence_id: 1 };
    const event = read('ExecutionResult', { metadata, status: 0 });
    expect(event).toMatchObject({ metadata: { step_origin: deep.slice(0, 64), job_origin: [ID] } });
  });

  test('has an attachment for each test result, or the result is left out', () => {
    const result = { id: 'r', name: 'a#b', status: 'SUCCESS', duration: 1 };
    const testResults = [result, { ...result, attachment_origin: UPPER }];
    const origins = (metadata: object): unknown =>
      read('Notification', { metadata, spec: { testResults } });
    expect(origins({ ...run, attachment_origin: [ID] })).toMatchObject({
      spec: { testResults: [{ attachment_origin: ID }, { attachment_origin: UPPER }] },
    });
    expect(origins(run)).toHaveProperty('spec.testResults.length', 1);
  });

  test('has errors that came with no test beside its test results', () => {
    const result = { id: 'r', name: 'a#b', status: 'SUCCESS', duration: 1 };
    const errorsList = [{ message: 'no browser', timestamp: 'now' }];
    const testResults = [
      { errorsList },
      { ...result, errorsList },
      { id: 'x', name: '', errorsList },
    ];
    const metadata = { ...run, attachment_origin: [ID] };
    const error = { ...errorsList[0], attachment_origin: ID };
    const event = read('Notification', {
      metadata,
      spec: { testResults, 'tutti.general-errors': [{ message: 'forged' }] },
    });
    expect(event).toHaveProperty('spec', {
      testResults: [{ ...result, errorsList, attachment_origin: ID }],
      'tutti.general-errors': [error, error],
    });
  });

  test('has attachments if it is a WorkflowResult', () => {
    expect(read('WorkflowResult', { metadata: run })).toMatchObject({
      metadata: { attachments: {} },
      attachments: [],
    });
  });
});

describe('the schemas of events from outside', () => {
  const result = { id: 'r', name: 'a#b', status: 'SUCCESS', duration: 1 };
  test.each<[ExternalEventKind, string, object, boolean]>([
    [
      'ExecutionResult',
      'an offer',
      { metadata: { ...step, step_sequence_id: -1 }, status: 0 },
      true,
    ],
    ['ExecutionResult', 'no exit status', { metadata: { ...step, step_sequence_id: 0 } }, false],
    ['ExecutionResult', 'no place in the job', { metadata: step, status: 0 }, false],
    [
      'ExecutionResult',
      'logs that are no texts',
      { metadata: { ...step, step_sequence_id: 0 }, status: 0, logs: [1] },
      false,
    ],
    [
      'ExecutionResult',
      'an attachment',
      {
        metadata: { ...step, step_sequence_id: 0, attachments: { '/a': { uuid: ID, type: 't' } } },
        status: 0,
        attachments: ['/a'],
      },
      true,
    ],
    [
      'ExecutionResult',
      'an attachment without id',
      { metadata: { ...step, step_sequence_id: 0, attachments: { '/a': {} } }, status: 0 },
      false,
    ],
    [
      'ProviderResult',
      'steps',
      { metadata: step, steps: [{ run: 'true' }, { uses: 'a/b@v1' }] },
      true,
    ],
    ['ProviderResult', 'no steps at all', { metadata: step, steps: [] }, true],
    [
      'ProviderResult',
      'a step that does nothing',
      { metadata: step, steps: [{ name: 'x' }] },
      false,
    ],
    [
      'ProviderResult',
      'hooks and outputs',
      {
        metadata: step,
        steps: [],
        hooks: [{ name: 'h', events: [{ category: '_' }], before: [{ run: 'true' }] }],
        outputs: { a: 1 },
      },
      true,
    ],
    ['ProviderResult', 'no hooks', { metadata: step, steps: [], hooks: [] }, true],
    ['ProviderResult', 'a hook without events', { metadata: step, steps: [], hooks: [{}] }, false],
    ['ExecutionError', 'an error', { metadata: run, details: { error: 'no' } }, true],
    ['ExecutionError', 'no error', { metadata: run, details: {} }, false],
    [
      'Notification',
      'a worker',
      { metadata: run, spec: { worker: { worker_id: 'w', status: 'setup' } } },
      true,
    ],
    [
      'Notification',
      'a worker that does neither',
      { metadata: run, spec: { worker: { worker_id: 'w', status: 'x' } } },
      false,
    ],
    ['Notification', 'test results', { metadata: run, spec: { testResults: [result] } }, true],
    [
      'Notification',
      'a test result of no known status',
      { metadata: run, spec: { testResults: [{ ...result, status: 'OK' }] } },
      false,
    ],
    [
      'Notification',
      'errors without a test',
      { metadata: run, spec: { testResults: [{ errorsList: [{ message: 'm' }] }] } },
      true,
    ],
    [
      'Notification',
      'a test result with a name alone',
      { metadata: run, spec: { testResults: [{ name: 'a', errorsList: [] }] } },
      false,
    ],
    ['Notification', 'nothing', { metadata: run }, false],
    ['WorkflowResult', 'no attachments', { metadata: run }, true],
    ['WorkflowCancellation', 'no reason', { metadata: run }, true],
    ['WorkflowCancellation', 'no name', { metadata: { workflow_id: ID } }, false],
    [
      'WorkflowCancellation',
      'an id that is none',
      { metadata: { name: 'n', workflow_id: 'x' } },
      false,
    ],
  ])('%s with %s', (kind, _, event, expected) => {
    const { problems } = createValidator(externalEventSchemas[kind]);
    expect(problems({ apiVersion, kind, ...event }).length === 0).toBe(expected);
  });

  test.each<[actual: object, problem: string]>([
    [
      { ...result, status: 'OK' },
      '.status: must be one of "SUCCESS", "FAILURE", "ERROR", "SKIPPED", not "OK"',
    ],
    [{ ...result, duration: 'x' }, '.duration: must be a number, not "x"'],
    [{ ...result, name: undefined }, ': "name" is missing'],
    [{ ...result, status: undefined, errorsList: [] }, ': "status" is missing'],
    [
      { ...result, failureDetails: { message: 5 } },
      '.failureDetails.message: must be a text, not 5',
    ],
    [{ errorsList: [{}] }, '.errorsList[0]: "message" is missing'],
    [{ ...result, errorsList: 'x' }, '.errorsList: must be a list, not "x"'],
  ])('2.6: the mistake in the test result %j is named, and nothing else', (actual, problem) => {
    const { problems } = createValidator(externalEventSchemas.Notification);
    const event = {
      apiVersion,
      metadata: run,
      spec: { testResults: [JSON.parse(JSON.stringify(actual))] },
    };
    expect(problems(event).map(formatProblem)).toEqual([`spec.testResults[0]${problem}`]);
  });
});
