import { formatTimestamp, parseWorkflowId, type RunEvent } from '@tutti/manifests';
import { createLogOptions } from '@tutti/workflow';
import { expect, test } from 'vitest';
import type { EventPage, Store } from '../../store/store.ts';
import { executionLogContent } from './execution-log-content.ts';
import { COLLECTOR_LIMITS } from './limits.ts';

const RUN = parseWorkflowId('0198c0de-0000-7000-8000-000000000001');
const MIB = 1024 * 1024;

const line = (text: string): RunEvent => ({
  apiVersion: 'opentestfactory.org/v1alpha1',
  kind: 'Notification',
  metadata: {
    name: 'group notification',
    workflow_id: RUN,
    namespace: 'default',
    creationTimestamp: formatTimestamp(0),
  },
  spec: { logs: [text] },
});

const workflow: EventPage['workflow'] = {
  workflowId: RUN,
  name: 'demo',
  namespace: 'default',
  status: 'RUNNING',
  live: true,
  workers: [],
  createdAt: formatTimestamp(0),
  completedAt: null,
};

/** Events that grow by one with each read. */
function growingLog(texts: readonly string[]): Pick<Store, 'events'> {
  const items = texts.map((text) => JSON.stringify(line(text)));
  return {
    events: async (_id, fromSeq, limit) => {
      const page = items.slice(fromSeq - 1, fromSeq - 1 + limit);
      const total = items.length;
      items.push(JSON.stringify(line('later')));
      return { items: page, total, workflow };
    },
  };
}

async function contentOf(store: Pick<Store, 'events'>, bytesMax = MIB) {
  const options = { ...createLogOptions(), outputPrefix: '' };
  const chunks: Uint8Array[] = [];
  for await (const chunk of executionLogContent(store, RUN, options, bytesMax)) chunks.push(chunk);
  return { chunks, text: Buffer.concat(chunks).toString() };
}

test('has the lines of all events that were there at the first read, and none that came later', async () => {
  const count = 2 * COLLECTOR_LIMITS.eventsSlice + 1;
  const texts = Array.from({ length: count }, (_, index) => `line ${index}`);
  const { text } = await contentOf(growingLog(texts));
  expect(text).toBe(texts.map((each) => `${each}\n`).join(''));
});

test('comes in pieces', async () => {
  const texts = Array.from({ length: 10 }, () => 'x'.repeat(COLLECTOR_LIMITS.chunkLength / 4));
  const { chunks } = await contentOf(growingLog(texts));
  expect(chunks.length).toBeGreaterThan(2);
});

test.each([
  ['of the last event', ['aaaa', 'éé\nbb\ncc'], 15, 'aaaa\néé\nbb\n'],
  ['of an event in between', ['aaaa', 'bbbb', 'c'], 9, 'aaaa\n'],
  ['not even of the first event', ['aaaa'], 1, ''],
])('ends with whole lines %s when it would be too large', async (_what, texts, bytes, shown) => {
  const cut = 'The log is cut here: no more of it fits into a report.\n';
  const { text } = await contentOf(growingLog(texts), bytes + cut.length);
  expect(text).toBe(`${shown}${cut}`);
});

test('of a run that is gone is NotFound', async () => {
  const store = { events: async () => null };
  await expect(contentOf(store)).rejects.toMatchObject({ reason: 'NotFound' });
});
