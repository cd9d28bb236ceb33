/** Reads of runs: rows, pages of events, slices of the log, attachments, jobs; and forgetting them. */
import type { WorkflowId } from '@tutti/manifests';
import { describe, expect } from 'vitest';
import { RUN_GROUP, type RunGroup, type RunGroupQuery } from '../run-groups.ts';
import { RUN_MASKS, type Store } from '../store.ts';
import { surplusEnd } from '../surplus-end.ts';
import {
  append,
  attachmentId,
  eventJson,
  jobId,
  testCase,
  timestamp,
  workflowId,
  workflowRow,
} from './samples.ts';
import type { StoreTest } from './store-target.ts';

const RUN = workflowId(1);
const OTHER = workflowId(2);

export function describeRuns(storeTest: StoreTest): void {
  describe('runs', () => {
    describeRows(storeTest);
    describeFoldingEvents(storeTest);
    describeEventPages(storeTest);
    describeForget(storeTest);
  });
}

function describeRows(storeTest: StoreTest): void {
  storeTest('an unknown run has nothing', async ({ store }) => {
    await expectNothing(store);
    expect(await store.workflows()).toEqual([]);
    expect(await store.liveEvents(null)).toEqual([]);
    expect(await store.liveLengths()).toEqual(new Map());
  });

  storeTest('rows come oldest first', async ({ store }) => {
    const ended = workflowRow(workflowId(1), { live: false, status: 'FAILED' });
    await store.append(append(workflowId(3), 0));
    await store.append(append(workflowId(1), 0, { projection: { workflow: ended } }));
    await store.append(append(workflowId(2), 0));
    const rows = await store.workflows();
    expect(rows.map((row) => row.workflowId)).toEqual([
      workflowId(3),
      workflowId(1),
      workflowId(2),
    ]);
  });

  storeTest('the list of all has no texts of workflows', async ({ store }) => {
    const row = workflowRow(RUN, { name: 'x'.repeat(100_000), workers: ['y'.repeat(100_000)] });
    await store.append(append(RUN, 0, { projection: { workflow: row } }));
    const { namespace, status } = row;
    expect(await store.workflows()).toEqual([
      { place: 1, workflowId: RUN, namespace, status, hasWorkers: true, masks: 0 },
    ]);
  });

  storeTest('the list of all says how much each run masks', async ({ store }) => {
    for (const id of [RUN, OTHER]) await store.append(append(id, 0));
    const masksOf = async (isLive: boolean) =>
      (await store.workflows({ after: 0, limit: 9, isLive })).map((row) => row.masks);
    expect(await masksOf(false)).toEqual([0, 0]);
    const documents = [{ collection: RUN_MASKS, key: OTHER, json: '["a"]' }];
    await store.append(append(OTHER, 1, { documents }));
    expect([await masksOf(false), await masksOf(true)]).toEqual([
      [0, 5],
      [0, 5],
    ]);
  });

  storeTest(
    'groups of the list of all have texts of the runs that are asked for',
    async ({ store }) => {
      const count = 2 * RUN_GROUP;
      const ids = Array.from({ length: count }, (_, index) => workflowId(index + 1));
      for (const [index, id] of ids.entries()) {
        const workflow = workflowRow(id, { namespace: index % 50 === 0 ? 'team \0' : 'other' });
        await store.append(append(id, 0, { projection: { workflow } }));
      }
      const groups = async (query: Omit<RunGroupQuery, 'after'>) => {
        const found: RunGroup[] = [];
        for (let after = 0; ; after = found.at(-1)?.last ?? 0) {
          const more = await store.runGroups({ ...query, after });
          if (more.length === 0) return found;
          found.push(...more);
        }
      };
      const all = { namespaces: null, part: 'id' } as const;
      const quoted = (some: readonly string[]) => some.map((id) => `"${id}"`).join();
      expect(await groups(all)).toEqual([
        { first: 1, last: 99, text: quoted(ids.slice(0, 99)) },
        { first: 100, last: 199, text: quoted(ids.slice(99, 199)) },
        { first: 200, last: 200, text: quoted(ids.slice(199)) },
      ]);
      const textsOf = async (query: Omit<RunGroupQuery, 'after'>) =>
        (await groups(query)).map(({ text }) => text);
      const ofTeam = { namespaces: ['team \0'], part: 'state' } as const;
      expect(await textsOf(ofTeam)).toEqual([
        '1RUNNING0,51RUNNING0',
        '101RUNNING0,151RUNNING0',
        '',
      ]);
      expect(await textsOf({ namespaces: [], part: 'id' })).toEqual(['', '', '']);
      const [first = RUN] = ids;
      const workflow = workflowRow(first, { namespace: 'team \0', status: 'DONE' });
      const documents = [{ collection: RUN_MASKS, key: first, json: '["a"]' }];
      await store.append(append(first, 1, { projection: { workflow }, documents }));
      expect((await textsOf(ofTeam))[0]).toBe('1DONE5,51RUNNING0');
      await store.forget(ids.slice(1, 150));
      expect((await groups(all)).map((group) => [group.first, group.last])).toEqual([
        [1, 1],
        [151, 199],
        [200, 200],
      ]);
    },
  );

  storeTest('runs that are too old or too many are told, by their ends', async ({ store }) => {
    const ends = [null, 5, 2, 4, 3, 3];
    for (const [index, end] of ends.entries()) {
      const completedAt = end === null ? null : timestamp(end);
      const row = workflowRow(workflowId(index), { live: end === null, completedAt });
      await store.append(append(row.workflowId, 0, { projection: { workflow: row } }));
    }
    const readOn = workflowRow(workflowId(9), { live: true, completedAt: timestamp(1) });
    await store.append(append(workflowId(9), 0, { projection: { workflow: readOn } }));
    const shownBy = async (before: number, kept: number, limit = 10) => {
      const last = await surplusEnd(store, { before: timestamp(before), kept });
      return (await store.endedWorkflowIds(last, limit)).map((id) => Number(id.slice(-1)));
    };
    expect(await shownBy(2, 5)).toEqual([]);
    expect(await shownBy(3, 5)).toEqual([2]);
    expect(await shownBy(4, 5)).toEqual([2, 4, 5]);
    expect(await shownBy(0, 4)).toEqual([2]);
    // Several runs ended at the same time: the one that began last stays.
    expect(await shownBy(0, 3)).toEqual([2, 4]);
    expect(await shownBy(3, 2)).toEqual([2, 4, 5]);
    expect(await shownBy(5, 4)).toEqual([2, 4, 5, 3]);
    expect(await shownBy(9, 0, 3)).toEqual([2, 4, 5]);
    await store.forget([workflowId(2), workflowId(4)]);
    expect(await shownBy(9, 0)).toEqual([5, 3, 1]);
  });

  storeTest('attachments belong to their run', async ({ store }) => {
    const attachment = { attachmentId: attachmentId(1), name: 'report.xml', type: null };
    await store.append(append(RUN, 0, { projection: { attachments: [attachment] } }));
    await store.append(append(OTHER, 0));
    expect(await store.attachment(RUN, attachmentId(1))).toEqual(attachment);
    expect(await store.attachment(RUN, attachmentId(2))).toBeNull();
    expect(await store.attachment(OTHER, attachmentId(1))).toBeNull();
  });

  storeTest('a job is replaced and keeps its place', async ({ store }) => {
    const jobs = [1, 2].map((number) => ({ jobId: jobId(number), json: '"waits"' }));
    await store.append(append(RUN, 0, { projection: { jobs } }));
    const first = { jobId: jobId(1), json: '"runs"' };
    await store.append(append(RUN, 1, { projection: { jobs: [first] } }));
    expect(await store.jobs(RUN)).toEqual([first, { jobId: jobId(2), json: '"waits"' }]);
  });
}

function describeFoldingEvents(storeTest: StoreTest): void {
  const folding = (id: WorkflowId, seq: number, total: number, length = eventJson(1).length) => ({
    workflowId: id,
    seq,
    json: eventJson(seq),
    total,
    size: total * length,
  });
  const silent = (from: number, count: number) =>
    Array.from({ length: count }, (_, index) => ({
      kind: 'Notification',
      json: eventJson(from + index),
      folds: false,
    }));

  storeTest(
    'only events that fold are read for a fold, with the size of all',
    async ({ store }) => {
      await store.append(append(RUN, 0, { count: 2 }));
      await store.append(append(RUN, 2, { events: silent(3, 3) }));
      await store.append(append(OTHER, 0));
      await store.append(append(RUN, 5));
      await store.append(append(RUN, 6, { events: silent(7, 1) }));
      const seqs = [1, 2, 6];
      expect(await store.foldingEvents(RUN, 1)).toEqual(seqs.map((seq) => folding(RUN, seq, 7)));
      expect(await store.foldingEvents(RUN, 3)).toEqual([folding(RUN, 6, 7)]);
      expect(await store.foldingEvents(RUN, 7)).toEqual([]);
      expect(await store.foldingEvents(workflowId(9), 1)).toEqual([]);
    },
  );

  storeTest('the events of live runs come run by run, from any of them on', async ({ store }) => {
    const ended = workflowRow(workflowId(1), { live: false, status: 'FAILED' });
    await store.append(append(workflowId(3), 0));
    await store.append(append(workflowId(1), 0, { projection: { workflow: ended } }));
    await store.append(append(workflowId(2), 0));
    await store.append(append(workflowId(3), 1, { count: 2 }));
    const all = [
      ...[1, 2, 3].map((seq) => folding(workflowId(3), seq, 3)),
      folding(workflowId(2), 1, 1),
    ];
    expect(await store.liveEvents(null)).toEqual(all);
    for (const [index, event] of all.entries()) {
      expect(await store.liveEvents(event)).toEqual(all.slice(index + 1));
    }
    expect([...(await store.liveLengths())]).toEqual([
      [workflowId(3), 3],
      [workflowId(2), 1],
    ]);
  });

  storeTest('one read of them has a bounded size, but at least one event', async ({ store }) => {
    const json = JSON.stringify({ text: 'x'.repeat(600_000) });
    const events = Array.from({ length: 3 }, () => ({ kind: 'Notification', json }));
    await store.append(append(RUN, 0, { events }));
    const seqs = (read: readonly { readonly seq: number }[]) => read.map(({ seq }) => seq);
    const first = await store.liveEvents(null);
    expect(seqs(first)).toEqual([1, 2]);
    expect(seqs(await store.liveEvents(first[1] ?? null))).toEqual([3]);
    expect(seqs(await store.foldingEvents(RUN, 1))).toEqual([1, 2]);
  });
}

function describeEventPages(storeTest: StoreTest): void {
  storeTest('a page has its events, the length of the log and the row', async ({ store }) => {
    await store.append(append(RUN, 0, { count: 5 }));
    await store.append(append(OTHER, 0, { count: 5 }));
    const rest = { total: 5, workflow: workflowRow(RUN) };
    const page = (...numbers: number[]) => ({ items: numbers.map(eventJson), ...rest });
    expect(await store.events(RUN, 1, 100)).toEqual(page(1, 2, 3, 4, 5));
    expect(await store.events(RUN, 2, 2)).toEqual(page(2, 3));
    expect(await store.events(RUN, 5, 2)).toEqual(page(5));
    expect(await store.events(RUN, 6, 2)).toEqual(page());
    expect(await store.events(RUN, 1, 0)).toEqual(page());
  });

  storeTest(
    'first events of runs come in the order that is asked for, as far as the length goes',
    async ({ store }) => {
      await store.append(append(RUN, 0, { count: 3 }));
      await store.append(append(OTHER, 0));
      const ids = [OTHER, workflowId(9), RUN];
      const first = eventJson(1);
      expect(await store.firstEvents(ids, 10_000)).toEqual([first, null, first]);
      expect(await store.firstEvents(ids, first.length)).toEqual([first]);
      expect(await store.firstEvents(ids, 0)).toEqual([first]);
      expect(await store.firstEvents([], 0)).toEqual([]);
    },
  );

  storeTest('a page is one snapshot while the run grows', async ({ store }) => {
    const length = 200;
    const grow = async () => {
      for (let seq = 0; seq < length; seq += 1) {
        const workflow = workflowRow(RUN, { name: String(seq + 1) });
        await store.append(append(RUN, seq, { projection: { workflow } }));
      }
    };
    const read = async () => {
      for (let total = 0; total < length; ) {
        const page = await store.events(RUN, 1, 1_000);
        total = page?.total ?? 0;
        expect(page?.items.length ?? 0).toBe(total);
        expect(page?.workflow.name ?? '0').toBe(String(total));
        // Lets the answers of the writer in.
        await new Promise<void>((resolve) => setImmediate(resolve));
      }
    };
    await Promise.all([grow(), read()]);
  });

  storeTest('confirmed data is read', async ({ store }) => {
    for (let seq = 0; seq < 20; seq += 1) {
      await store.append(append(RUN, seq));
      expect((await store.events(RUN, 1, 100))?.total).toBe(seq + 1);
    }
  });
}

function describeForget(storeTest: StoreTest): void {
  storeTest('a forgotten run is gone but for the history of its test cases', async ({ store }) => {
    for (const id of [RUN, OTHER]) await fillRun(store, id);
    const masks = [RUN, OTHER].map((key) => ({ collection: RUN_MASKS, key, json: '["a"]' }));
    await store.write({ documents: masks });
    await store.forget([RUN, workflowId(9)]);
    await expectNothing(store);
    expect((await store.workflows()).map((row) => row.workflowId)).toEqual([OTHER]);
    expect((await store.events(OTHER, 1, 5_000))?.items).toHaveLength(3_000);
    expect((await store.testCases(OTHER, 0, 10)).total).toBe(1);
    expect(await store.documents(RUN_MASKS)).toEqual([{ key: OTHER, json: '["a"]' }]);
  });

  storeTest('a forgotten run refuses appends, and its id can begin anew', async ({ store }) => {
    await fillRun(store, RUN);
    await store.forget([RUN]);
    expect(await store.append(append(RUN, 3_000))).toEqual({ outcome: 'conflict', seq: 0 });
    expect(await store.append(append(RUN, 0))).toEqual({ outcome: 'appended', seq: 1 });
    expect((await store.events(RUN, 1, 5_000))?.items).toEqual([eventJson(1)]);
    expect((await store.log(RUN, 0, 10))?.total).toBe(0);
    expect((await store.testCases(RUN, 0, 10)).items).toEqual([]);
  });

  storeTest('runs grow while others are forgotten', async ({ store }) => {
    await fillRun(store, RUN);
    const forgotten = store.forget([RUN]);
    for (let seq = 0; seq < 20; seq += 1) await store.append(append(OTHER, seq));
    await forgotten;
    expect((await store.events(OTHER, 1, 100))?.total).toBe(20);
  });
}

async function fillRun(store: Store, id: typeof RUN): Promise<void> {
  const shown = {
    logText: 'line\n'.repeat(2_000),
    attachments: [{ attachmentId: attachmentId(1), name: 'report.xml', type: null }],
    testCases: [testCase('a'), testCase('a')],
    jobs: [{ jobId: jobId(1), json: '{}' }],
  };
  await store.append(append(id, 0, { count: 3_000, projection: shown }));
}

async function expectNothing(store: Store): Promise<void> {
  expect(await store.workflow(RUN)).toBeNull();
  expect(await store.events(RUN, 1, 10)).toBeNull();
  expect(await store.history(RUN, 1, 10)).toBeNull();
  expect(await store.log(RUN, 0, 10)).toBeNull();
  expect(await store.attachment(RUN, attachmentId(1))).toBeNull();
  expect(await store.jobs(RUN)).toEqual([]);
  expect(await store.testCases(RUN, 0, 10)).toEqual({ items: [], total: 0 });
  expect(await store.testCaseManifests(RUN, 0, 10)).toEqual([]);
  expect(await store.testCaseSummary(RUN)).toEqual([]);
}
