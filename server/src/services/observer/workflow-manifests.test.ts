import { text } from 'node:stream/consumers';
import type { WorkflowId } from '@tutti/manifests';
import { expect, test } from 'vitest';
import { workflowId, workflowRow } from '../../store/conformance/samples.ts';
import { RUN_GROUP, type RunGroup } from '../../store/run-groups.ts';
import type { ListedRun, Store } from '../../store/store.ts';
import {
  encoded,
  gathered,
  type ManifestChoice,
  WORKFLOW_MANIFESTS_LIMITS,
  WorkflowManifests,
} from './workflow-manifests.ts';

const rows = (count: number): readonly ListedRun[] =>
  Array.from({ length: count }, (_, index) => ({
    ...workflowRow(workflowId(index + 1)),
    place: index + 1,
    hasWorkers: false,
    masks: 0,
  }));

/** Runs whose manifests have a content that tests change; one run was deleted. */
function storeWith(content: unknown, gone?: WorkflowId) {
  const reads: WorkflowId[] = [];
  const state = { content };
  const store: Pick<Store, 'firstEvents'> = {
    firstEvents: async (ids, length) => {
      const texts: (string | null)[] = [];
      for (const id of ids) {
        reads.push(id);
        texts.push(id === gone ? null : JSON.stringify(manifestOf(id, state.content)));
        if (texts.join('').length >= length) break;
      }
      return texts;
    },
  };
  return { manifests: new WorkflowManifests(store), reads, state };
}

const manifestOf = (id: WorkflowId, content: unknown) => ({
  kind: 'Workflow',
  metadata: { name: `run ${id}` },
  content,
});

const all = null;
const none: ManifestChoice = { matches: () => false, isOfHead: true };

async function* portionsOf(of: readonly ListedRun[]) {
  const half = Math.ceil(of.length / 2);
  yield of.slice(0, half);
  yield of.slice(half);
}

/** All manifests of the runs, and which groups of rows were read. */
function listAll(manifests: WorkflowManifests, of: readonly ListedRun[]) {
  const numberOf = ({ place }: ListedRun) => Math.floor(place / RUN_GROUP);
  const groups = Map.groupBy(of, numberOf);
  const rowsRead: number[] = [];
  async function* found(): AsyncGenerator<readonly RunGroup[]> {
    yield [...groups.values()].map((group) => ({
      first: group[0]?.place ?? 0,
      last: group.at(-1)?.place ?? 0,
      text: group.map(({ place, status, masks }) => `${place}${status}${masks}`).join(),
    }));
  }
  const rowsOf = async ({ first }: RunGroup) => {
    const number = Math.floor(first / RUN_GROUP);
    rowsRead.push(number);
    return groups.get(number) ?? [];
  };
  return { pieces: manifests.all(found(), rowsOf), rowsRead };
}

async function listed(
  manifests: WorkflowManifests,
  of: readonly ListedRun[],
  choice: ManifestChoice | null = all,
): Promise<Record<string, unknown>> {
  const items =
    choice === null
      ? listAll(manifests, of).pieces
      : encoded(manifests.chosen(portionsOf(of), choice));
  return JSON.parse(`{${await text(gathered(items))}}`);
}

const shown = ({ workflowId: id, status }: ListedRun, content: unknown = 'x') => [
  id,
  { ...manifestOf(id, content), status: { phase: status } },
];

test('manifests come with their status, in order, without deleted or unselected ones', async () => {
  const [first, second, third, fourth] = rows(4);
  if (!(first && second && third && fourth)) expect.unreachable();
  const { manifests } = storeWith('x', second.workflowId);
  const name = `run ${third.workflowId}`;
  const matches = (item: object) => Object(item).metadata.name !== name;
  for (const isOfHead of [true, false, true]) {
    const found = await listed(manifests, rows(4), { matches, isOfHead });
    expect(Object.entries(found)).toEqual([shown(first), shown(fourth)]);
  }
});

test('a choice by the status sees the one of now', async () => {
  const [row] = rows(1);
  if (!row) expect.unreachable();
  const { manifests } = storeWith('x');
  const matches = (item: object) => Object(item).status.phase === 'FAILED';
  const ofStatus = (status: ListedRun['status']) =>
    listed(manifests, [{ ...row, status }], { matches, isOfHead: true });
  expect(await ofStatus('RUNNING')).toEqual({});
  expect(Object.keys(await ofStatus('FAILED'))).toEqual([row.workflowId]);
});

test('a status that a manifest says itself gives way to that of its run', async () => {
  const [row] = rows(1);
  if (!row) expect.unreachable();
  const { manifests } = storeWith({ status: 'mine' });
  expect(await listed(manifests, [row])).toEqual(
    Object.fromEntries([shown(row, { status: 'mine' })]),
  );
});

test('no manifests are no members', async () => {
  const { manifests } = storeWith('x');
  expect(await listed(manifests, [])).toEqual({});
  expect(await listed(manifests, rows(300), none)).toEqual({});
});

test('manifests are read once, and come again with the status of then', async () => {
  const { manifests, reads } = storeWith('x');
  const before = await listed(manifests, rows(250));
  const done = rows(251).map((row) => ({ ...row, status: 'DONE' }) as const);
  const after = await listed(manifests, done);
  expect([Object.keys(before).length, reads.length]).toEqual([250, 251]);
  expect(Object.entries(after)).toEqual(done.map((row) => shown(row)));
});

test('a manifest is read again when its run masks more', async () => {
  const [row] = rows(1);
  if (!row) expect.unreachable();
  const { manifests, reads, state } = storeWith('secret');
  await listed(manifests, [row]);
  state.content = '[masked]';
  const masking = { ...row, masks: 10 };
  for (const _ of [1, 2]) {
    const found = await listed(manifests, [masking]);
    expect(found).toEqual(Object.fromEntries([shown(row, '[masked]')]));
  }
  expect(reads).toHaveLength(2);
});

test('large manifests are read one at a time, as they are sent, and not kept', async () => {
  const { manifests, reads } = storeWith('x'.repeat(300 * 1024));
  const members = gathered(listAll(manifests, rows(10)).pieces);
  for (let sent = 1; sent <= 3; sent += 1) {
    await members.next();
    expect(reads).toHaveLength(sent);
  }
  await listed(manifests, rows(3));
  expect(reads).toHaveLength(6);
});

test('beyond the cache some manifests are read each time, and deleted runs make room', async () => {
  const { kept, keptLength } = WORKFLOW_MANIFESTS_LIMITS;
  const { manifests, reads } = storeWith('x'.repeat(keptLength - 200));
  const fit = Math.floor(kept / keptLength);
  const many = rows(fit + 20);
  await listed(manifests, many, none);
  await listed(manifests, many, none);
  expect(reads.length).toBeGreaterThan(many.length);
  expect(reads.length).toBeLessThanOrEqual(many.length + 20);
  const newest = many.slice(-20);
  // The end of the first list shows which runs are gone, so the second one is kept.
  for (const _ of [1, 2]) await listed(manifests, newest, none);
  reads.splice(0);
  await listed(manifests, newest, none);
  expect(reads).toEqual([]);
});

test('only groups of runs that have changed are read, and put together, again', async () => {
  const { manifests } = storeWith('x');
  let read: readonly number[] = [];
  const piecesOf = async (of: readonly ListedRun[]) => {
    const { pieces, rowsRead } = listAll(manifests, of);
    read = rowsRead;
    return await listOf(pieces);
  };
  const before = await piecesOf(rows(350));
  expect(read).toEqual([0, 1, 2, 3]);
  const kept = (pieces: readonly Uint8Array[]) => pieces.map((piece) => before.indexOf(piece));
  expect(kept(await piecesOf(rows(350)))).toEqual([0, 1, 2, 3]);
  expect(read).toEqual([]);
  const ended = rows(351).map(
    (row): ListedRun => (row.place === 150 ? { ...row, status: 'DONE' } : row),
  );
  // Runs that were deleted change only their own group.
  expect(kept(await piecesOf(ended.slice(30)))).toEqual([-1, -1, 2, -1]);
  expect(read).toEqual([0, 1, 3]);
  expect(Object.keys(await listed(manifests, rows(350)))).toHaveLength(350);
});

async function listOf<Item>(items: AsyncIterable<Item>): Promise<readonly Item[]> {
  const list: Item[] = [];
  for await (const item of items) list.push(item);
  return list;
}

test('small pieces are sent together, and large ones as they are kept', async () => {
  const { manifests } = storeWith('x'.repeat(1_000));
  const kept = await listOf(listAll(manifests, rows(150)).pieces);
  const sent = await listOf(gathered(listAll(manifests, rows(150)).pieces));
  expect(sent.map(({ buffer }) => kept.findIndex((piece) => piece.buffer === buffer))).toEqual([
    0, 1, -1,
  ]);
  async function* small() {
    for (const text of [',a', ',b']) yield Buffer.from(text);
  }
  expect((await listOf(gathered(small()))).map(String)).toEqual(['a,b']);
});
