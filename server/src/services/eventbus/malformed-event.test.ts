import { type ExternalEventKind, parseWorkflowId, type Timestamp } from '@tutti/manifests';
import { expect, test } from 'vitest';
import { eventInstead } from './malformed-event.ts';

const ID = 'aaaaaaaa-1111-4222-8333-bbbbbbbbbbbb';
const NOW = '2026-01-31T12:34:56.123456' as Timestamp;
const known = {
  workflowId: parseWorkflowId(ID),
  namespace: 'team',
  now: NOW,
  actor: { subject: 'a plugin', key: 'a key' },
};
const instead = (kind: ExternalEventKind, publication: Record<string, unknown>) =>
  eventInstead({ kind, ...publication }, kind, ['It is wrong.', 'All of it.'], known);
const job = { workflow_id: ID, job_id: ID };

test('a channel that is given back in a wrong way is given back', () => {
  const metadata = { ...job, step_sequence_id: -2, channel_id: ID, attachments: 5 };
  expect(instead('ExecutionResult', { metadata, status: 'x', logs: 5 })).toEqual({
    apiVersion: 'v1',
    kind: 'ExecutionResult',
    metadata: {
      name: 'ExecutionResult',
      workflow_id: ID,
      namespace: 'team',
      creationTimestamp: NOW,
      'tutti.actor': known.actor,
      job_id: ID,
      job_origin: [],
      channel_id: ID,
      step_origin: [],
      step_sequence_id: -2,
    },
    status: 0,
  });
});

test.each([
  [0, 1],
  [7, 7],
  [-15, -15],
  ['0', 1],
  [1.5, 1],
])('a wrong result of a step with the status %j has the status %d', (status, after) => {
  const metadata = { ...job, step_sequence_id: 3 };
  expect(instead('ExecutionResult', { metadata, status, logs: ['a', 5, 'b'] })).toMatchObject({
    status: after,
    logs: [
      'a',
      'b',
      'ERROR,The result of the environment cannot be understood: It is wrong. All of it.',
    ],
  });
});

test.each<[ExternalEventKind, Record<string, unknown>]>([
  ['ExecutionResult', { metadata: { workflow_id: ID, step_sequence_id: 0 } }],
  ['ExecutionResult', { metadata: { ...job, step_sequence_id: '0' } }],
  ['GeneratorResult', { metadata: { workflow_id: ID, job_id: 'x' } }],
  ['ProviderResult', { metadata: { workflow_id: ID } }],
  ['Notification', { metadata: job }],
  ['WorkflowResult', { metadata: job }],
])('a %s without a reference to a question is not passed to the run: %j', (kind, publication) => {
  expect(instead(kind, publication)).toBeNull();
});

test('a cancellation is one, whatever its details are', () => {
  const event = instead('WorkflowCancellation', { metadata: { workflow_id: ID }, details: 'x' });
  expect(event).toMatchObject({ kind: 'WorkflowCancellation', metadata: { workflow_id: ID } });
  expect(event).not.toHaveProperty('details');
});

test.each([
  ['broken', 'broken'],
  [{ error: 5 }, '5'],
  [{ message: 'broken' }, '{"message":"broken"}'],
  [['a', 'b'], '["a","b"]'],
  [undefined, 'The details of an error cannot be read: It is wrong. All of it.'],
  [{ error: '' }, 'The details of an error cannot be read: It is wrong. All of it.'],
])('an error with the details %j says %s', (details, error) => {
  const event = instead('ExecutionError', { metadata: { workflow_id: ID }, details });
  expect(event).toMatchObject({ details: { error } });
});
