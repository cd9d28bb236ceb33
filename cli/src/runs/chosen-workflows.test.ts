import { createClient } from '@tutti/client';
import { status } from '@tutti/manifests';
import { expect, test } from 'vitest';
import { createWorkflowReader, idOf, type WorkflowFilters } from './chosen-workflows.ts';

const NOW = Date.UTC(2026, 0, 31, 12);
const NAMES = ['old nightly', 'smoke', 'nightly, new'];
/** One run an hour, the latest an hour ago. */
const RUNS = NAMES.map((name, index) => ({
  metadata: {
    workflow_id: `id-${index}`,
    name,
    creationTimestamp: `2026-01-31T${String(index + 9).padStart(2, '0')}:00:00.000000`,
  },
}));

/** A server of these runs; those in `having` have the requested event. */
function serverOf(having: readonly string[] = []) {
  const asked: string[] = [];
  const client = createClient({
    baseUrl: 'http://server',
    fetch: async (url) => {
      asked.push(decodeURIComponent(url.slice('http://server'.length)).replaceAll('+', ' '));
      const id = /workflows\/([^/]+)\/status/.exec(url)?.[1];
      const events = having.includes(id ?? '') ? [{ kind: 'X', metadata: {} }] : [];
      const details = id === undefined ? { items: RUNS } : { items: events, status: 'DONE' };
      const headers = { 'x-processed-query': 'expand,fieldSelector,labelSelector' };
      return Response.json(status('OK', '', details), { headers });
    },
  });
  return { client, asked };
}

const chosen = async (filters: WorkflowFilters, having?: readonly string[]) => {
  const { client, asked } = serverOf(having);
  const items = await createWorkflowReader(client, filters)(NOW);
  return { ids: items.map(idOf), asked };
};

test.each([
  [{}, ['id-0', 'id-1', 'id-2']],
  [{ name: '*nightly*' }, ['id-0', 'id-2']],
  [{ name: 'nightly, new' }, ['id-2']],
  [{ since: (now: number) => now - 2 * 3_600_000 }, ['id-1', 'id-2']],
  [{ limit: 2 }, ['id-1', 'id-2']],
  [{ limit: 1, name: 'old*' }, ['id-0']],
])('%j chooses %j', async (filters, expected) => {
  expect((await chosen(filters)).ids).toEqual(expected);
});

test('selections that servers support are sent to them, all at once', async () => {
  const filters = {
    selector: 'team=web',
    fieldSelector: 'metadata.x',
    status: ['DONE', 'FAILED'],
    name: 'smoke',
    namespace: 'shop',
  } as const;
  const { asked } = await chosen(filters);
  expect(asked).toEqual([
    '/workflows?expand=manifest&fieldSelector=metadata.x,status.phase in (DONE,FAILED),metadata.name=smoke,metadata.namespace=shop&labelSelector=team=web',
  ]);
});

test('an event that a run has is looked for once, and no older runs than needed are asked about', async () => {
  const { client, asked } = serverOf(['id-0', 'id-2']);
  const read = createWorkflowReader(client, { having: 'kind=X' });
  expect((await read(NOW)).map(idOf)).toEqual(['id-0', 'id-2']);
  expect((await read(NOW)).map(idOf)).toEqual(['id-0', 'id-2']);
  const events = asked.filter((url) => url.includes('/status'));
  expect(events).toEqual([
    '/workflows/id-0/status?per_page=1&fieldSelector=kind=X',
    '/workflows/id-1/status?per_page=1&fieldSelector=kind=X',
    '/workflows/id-2/status?per_page=1&fieldSelector=kind=X',
    '/workflows/id-1/status?per_page=1&fieldSelector=kind=X',
  ]);
});
