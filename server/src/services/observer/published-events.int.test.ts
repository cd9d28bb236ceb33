/** Events of earlier versions, as clients see them. */
import { type LoggedEvent, loggedEvent } from '@tutti/manifests';
import { expect, test } from 'vitest';
import { openStoreFolder } from '../../bus/testing.ts';
import { append, workflowId, workflowRow } from '../../store/conformance/samples.ts';
import { withPublishedEvents } from './shown-events.ts';

const GROUP = 'opentestfactory.org';
const id = workflowId(1);
const metadata = { name: 'n', workflow_id: id };

/** Stored events, in the order of their keys, and the published fields that differ. */
const EVENTS: readonly (readonly [written: object, published: object])[] = [
  [
    // As the author wrote it.
    {
      metadata,
      jobs: { a: { uses: './b' } },
      apiVersion: `${GROUP}/v1beta1`,
      kind: 'Workflow',
      inputs: { x: { description: 'd' } },
    },
    { apiVersion: `${GROUP}/v1` },
  ],
  [
    { apiVersion: 'v1', kind: 'Notification', metadata, spec: { 'tutti.step-ended': true } },
    { spec: { 'tutti.step-ended': 'true' } },
  ],
  [
    {
      apiVersion: 'v1',
      kind: 'Notification',
      metadata,
      spec: { conclusion: 'success', 'tutti.continue-on-error': true },
    },
    { spec: { conclusion: 'success', 'tutti.continue-on-error': 'true' } },
  ],
  [{ apiVersion: 'v1', kind: 'Notification', metadata, spec: { logs: ['"runs-on":[]'] } }, {}],
  [
    {
      apiVersion: `${GROUP}/v1beta1`,
      kind: 'ExecutionCommand',
      metadata,
      'runs-on': [],
      scripts: [],
    },
    { apiVersion: `${GROUP}/v1` },
  ],
  [
    {
      apiVersion: `${GROUP}/v1beta1`,
      kind: 'ExecutionCommand',
      metadata,
      'runs-on': ['linux'],
      scripts: ['"runs-on":[]'],
    },
    {},
  ],
  [
    {
      apiVersion: `${GROUP}/v1beta1`,
      kind: 'GeneratorResult',
      metadata,
      jobs: { a: { steps: [{ run: 'r', shell: 'sh' }] } },
    },
    { apiVersion: `${GROUP}/v1` },
  ],
  [
    { apiVersion: `${GROUP}/v1beta1`, kind: 'ProviderResult', metadata, steps: [], hooks: [] },
    { hooks: undefined },
  ],
  [
    { apiVersion: `${GROUP}/v1alpha1`, kind: 'WorkflowCompleted', metadata, outputs: { a: 'b' } },
    { apiVersion: `${GROUP}/v1` },
  ],
  [{ kind: 'Mine', metadata, spec: { 'tutti.step-ended': true } }, {}],
];

test('valid ones of this version are not read', async () => {
  const opened = await (await openStoreFolder()).open();
  const event = { apiVersion: `${GROUP}/v1beta1`, kind: 'Workflow', metadata, jobs: { a: {} } };
  // The store does not check it.
  const written = JSON.stringify(loggedEvent(event as unknown as LoggedEvent));
  // Reading the event again would remove this key.
  const json = `${written.slice(0, -1)},"variables":{}}`;
  const run = append(id, 0, { projection: { workflow: workflowRow(id) } });
  await opened.append({ ...run, events: [{ kind: 'Workflow', json }] });
  const page = await withPublishedEvents(opened).events(id, 1, 100);
  expect(page?.items).toEqual([json]);
});

test('are valid in their version, and valid ones stay as written', async () => {
  const opened = await (await openStoreFolder()).open();
  const events = EVENTS.map(([event]) => ({ kind: 'Notification', json: JSON.stringify(event) }));
  const run = append(id, 0, { projection: { workflow: workflowRow(id) } });
  await opened.append({ ...run, events });
  const page = await withPublishedEvents(opened).events(id, 1, 100);
  const expected = EVENTS.map(([written, published]) => ({ ...written, ...published }));
  expect(page?.items.map((json) => JSON.parse(json))).toEqual(expected);
  expect(page?.items[3]).toBe(events[3]?.json);
  expect((await opened.events(id, 1, 100))?.items).toEqual(events.map(({ json }) => json));
});
