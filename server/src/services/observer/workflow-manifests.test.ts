import { text } from 'node:stream/consumers';
import type { WorkflowId } from '@tutti/manifests';
import { expect, test } from 'vitest';
import { workflowId, workflowRow } from '../../store/conformance/samples.ts';
import type { Store } from '../../store/store.ts';
import { chosenManifests, manifestMembers } from './workflow-manifests.ts';

const rows = (count: number) =>
  Array.from({ length: count }, (_, index) => workflowRow(workflowId(index + 1)));

/** Runs whose manifests have a content, and of which one has left. */
function storeWith(content: string, gone?: WorkflowId) {
  const reads: WorkflowId[] = [];
  const store: Pick<Store, 'events'> = {
    events: async (id) => {
      reads.push(id);
      if (id === gone) return null;
      return { items: [JSON.stringify({ id, content })], total: 1, workflow: workflowRow(id) };
    },
  };
  return { store, reads };
}

const all = () => true;

test('manifests come with their status, in order, without those that left or are not chosen', async () => {
  const [first, second, third, fourth] = rows(4);
  const { store } = storeWith('x', second?.workflowId);
  const found = chosenManifests(
    store,
    rows(4),
    (item) => !Object.values(item).includes(third?.workflowId),
  );
  const members = await text(manifestMembers(found));
  expect(JSON.parse(`{${members}}`)).toEqual(
    Object.fromEntries(
      [first, fourth].map((row) => [
        row?.workflowId,
        { id: row?.workflowId, content: 'x', status: { phase: row?.status } },
      ]),
    ),
  );
});

test('no manifests are no members', async () => {
  const { store } = storeWith('x');
  const members = manifestMembers(chosenManifests(store, [], all));
  expect(await text(members)).toBe('');
});

test('large manifests are read one at a time, as they are sent', async () => {
  const { store, reads } = storeWith('x'.repeat(300 * 1024));
  const members = manifestMembers(chosenManifests(store, rows(10), all));
  for (let sent = 1; sent <= 3; sent += 1) {
    await members.next();
    expect(reads).toHaveLength(sent);
  }
});
