import type { LoggedEvent } from '@tutti/manifests';
import { expect, test } from 'vitest';
import { createAttachmentFinder } from './list-attachments.ts';

/** Servers leave out optional entries, so these events have only the entries that are read. */
const event = (kind: string, metadata: object, more: object = {}): LoggedEvent =>
  ({ kind, metadata, ...more }) as unknown as LoggedEvent;

const attached = (kind: string, uuid: string, name: string, metadata: object = {}) => {
  const path = `/tmp/j-${uuid}_1_${name}`;
  const attachments = { [path]: { uuid, type: 'text/plain' } };
  return event(kind, { name: 'n', ...metadata, attachments }, { attachments: [path] });
};

const found = (...events: readonly LoggedEvent[]) => {
  const finder = createAttachmentFinder();
  for (const each of events) finder.event(each);
  return finder.attachments();
};

const workflow = event(
  'Workflow',
  {},
  {
    jobs: {
      unit: { steps: [{ id: 's1' }, { id: 's2', uses: 'a/b', with: { test: 'shop/cart.robot' } }] },
      all: { jobs: { inner: { steps: [{ id: 's3' }] } } },
    },
  },
);
const command = event('ExecutionCommand', { job_id: 'j', step_sequence_id: -1, name: 'unit' });

test.each([
  ['a step', { step_id: 's1' }, 'unit', '1', '', ['unit', '1']],
  ['a function', { step_id: 'x', step_origin: ['s2', 'y'] }, 'unit', '2', 'cart.robot', ['unit', '2_cart.robot']],
  ['a step of a job in a job', { step_id: 's3' }, 'unit', '1', '', ['unit', '1']],
  ['a hook', { step_id: 'h', step_sequence_id: 0, annotations: { 'opentestfactory.org/hooks': { channel: 'setup' } } }, 'unit', 'setup', '', ['unit', 'setup', '0_n']],
  ['nobody knows what', {}, 'unit', 'other', '', ['unit', 'other', '_n']],
])('the file of %s has its place', (_what, metadata, job, step, testCase, folder) => {
  const result = attached('ExecutionResult', 'u', 'a_b.txt', { job_id: 'j', ...metadata });
  expect(found(workflow, command, result)).toMatchObject([
    { uuid: 'u', fileName: 'a_b.txt', type: 'text/plain', job, step, testCase, folder },
  ]);
}); // biome-ignore format: one row for each place

test('files of the run have no job, and are listed once', () => {
  const result = attached('WorkflowResult', 'u', 'report.html', { job_id: 'j' });
  expect(found(workflow, command, result, result)).toMatchObject([
    { fileName: 'report.html', job: '', step: '', folder: [] },
  ]);
});

test('jobs that a generator made are known', () => {
  const generated = event('GeneratorResult', {}, { jobs: { more: { steps: [{ id: 's9' }] } } });
  const result = attached('ExecutionResult', 'u', 'a.txt', { job_id: 'k', step_id: 's9' });
  expect(found(generated, result)).toMatchObject([{ job: 'n', step: '1' }]);
});

test('files without an id or a path are left out', () => {
  const strange = event('ExecutionResult', {}, { attachments: ['/tmp/a', 7] });
  expect(found(strange, event('WorkflowResult', {}), event('Other', { attachments: 1 }))).toEqual(
    [],
  );
});
