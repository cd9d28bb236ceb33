/** Appends: atomic, fenced, in order, and never disturbed by each other. */
import { describe, expect } from 'vitest';
import type { Append, Store } from '../store.ts';
import {
  append,
  eventJson,
  outboxEntry,
  subscriptionId,
  workflowId,
  workflowRow,
} from './samples.ts';
import type { StoreTest } from './store-target.ts';

const RUN = workflowId(1);

/** An append that the store cannot take: no such status exists. */
function brokenAppend(id: typeof RUN, expectedSeq: number): Append {
  const workflow = { ...workflowRow(id), status: 'NONE' as 'DONE' };
  return append(id, expectedSeq, {
    projection: { workflow, logText: 'broken\n' },
    documents: [{ collection: 'agents', key: 'broken', json: '{}' }],
  });
}

async function eventsOf(store: Store, id = RUN): Promise<readonly string[]> {
  return (await store.events(id, 1, 10_000))?.items ?? [];
}

const texts = (count: number) => Array.from({ length: count }, (_, index) => eventJson(index + 1));

export function describeAppends(storeTest: StoreTest): void {
  describe('append', () => {
    describeFence(storeTest);
    describeBatches(storeTest);
  });
}

function describeFence(storeTest: StoreTest): void {
  storeTest('the first append of a run makes it', async ({ store }) => {
    expect(await store.append(append(RUN, 0, { count: 2 }))).toEqual({
      outcome: 'appended',
      seq: 2,
    });
    expect(await store.workflow(RUN)).toEqual(workflowRow(RUN));
    expect(await eventsOf(store)).toEqual(texts(2));
  });

  storeTest('a run begins with its row', async ({ store }) => {
    const refused = store.append(append(RUN, 0, { projection: { workflow: null } }));
    await expect(refused).rejects.toThrow();
    expect(await store.workflow(RUN)).toBeNull();
  });

  storeTest(
    'an append without a row keeps the row, one with a row replaces it',
    async ({ store }) => {
      await store.append(append(RUN, 0));
      await store.append(append(RUN, 1));
      expect(await store.workflow(RUN)).toEqual(workflowRow(RUN));
      const workflow = workflowRow(RUN, { status: 'DONE', live: false, workers: ['observer'] });
      await store.append(append(RUN, 2, { projection: { workflow } }));
      expect(await store.workflow(RUN)).toEqual(workflow);
    },
  );

  storeTest(
    'an append without events changes what is shown and keeps the length',
    async ({ store }) => {
      await store.append(append(RUN, 0));
      const result = await store.append(
        append(RUN, 1, { count: 0, projection: { logText: 'a\n' } }),
      );
      expect(result).toEqual({ outcome: 'appended', seq: 1 });
      expect((await store.log(RUN, 0, 10))?.total).toBe(2);
    },
  );

  for (const expectedSeq of [0, 1, 3]) {
    storeTest(
      `a log of two events refuses an append at ${expectedSeq} whole`,
      async ({ store }) => {
        await store.append(append(RUN, 0, { count: 2 }));
        const refused = append(RUN, expectedSeq, {
          projection: { workflow: workflowRow(RUN, { name: 'other' }), logText: 'other\n' },
          documents: [{ collection: 'agents', key: 'other', json: '{}' }],
          outbox: [outboxEntry(1, 1)],
        });
        expect(await store.append(refused)).toEqual({ outcome: 'conflict', seq: 2 });
        expect(await eventsOf(store)).toEqual(texts(2));
        expect(await store.workflow(RUN)).toEqual(workflowRow(RUN));
        expect((await store.log(RUN, 0, 10))?.total).toBe(0);
        expect(await store.documents('agents')).toEqual([]);
        expect(await store.outboxSubscriptions()).toEqual([]);
      },
    );
  }

  storeTest('an unknown run conflicts at any length but 0', async ({ store }) => {
    expect(await store.append(append(RUN, 4))).toEqual({ outcome: 'conflict', seq: 0 });
    expect(await store.workflow(RUN)).toBeNull();
  });

  storeTest(
    'events, documents and outbox entries of an append come together',
    async ({ store }) => {
      const documents = [{ collection: 'agents', key: 'a', json: '{"n":1}' }];
      await store.append(append(RUN, 0, { documents, outbox: [outboxEntry(1, 1)] }));
      expect(await store.documents('agents')).toEqual([{ key: 'a', json: '{"n":1}' }]);
      expect(await store.outbox(subscriptionId(1), 10)).toMatchObject([
        { subscriptionId: subscriptionId(1), body: outboxEntry(1, 1).body },
      ]);
    },
  );
}

function describeBatches(storeTest: StoreTest): void {
  storeTest('one of several concurrent appends at the same length is taken', async ({ store }) => {
    const rivals = Array.from({ length: 20 }, () => store.append(append(RUN, 0)));
    const outcomes = (await Promise.all(rivals)).map((result) => result.outcome);
    expect(outcomes.filter((outcome) => outcome === 'appended')).toHaveLength(1);
    expect(await eventsOf(store)).toEqual(texts(1));
  });

  storeTest(
    'appends that do not wait for each other keep the order of their calls',
    async ({ store }) => {
      const results = await Promise.all(
        Array.from({ length: 100 }, (_, seq) => store.append(append(RUN, seq))),
      );
      expect(results.map((result) => result.seq)).toEqual(texts(100).map((_, index) => index + 1));
      expect(await eventsOf(store)).toEqual(texts(100));
    },
  );

  storeTest('a refused append does not disturb those sent with it', async ({ store }) => {
    const results = await Promise.all([
      store.append(append(RUN, 0)),
      store.append(append(RUN, 7)),
      store.append(append(RUN, 1)),
      store.append(append(workflowId(2), 0)),
    ]);
    expect(results.map((result) => result.outcome)).toEqual([
      'appended',
      'conflict',
      'appended',
      'appended',
    ]);
    expect(await eventsOf(store)).toEqual(texts(2));
  });

  storeTest('a failed append rejects alone and leaves nothing', async ({ store }) => {
    const outcomes = await Promise.allSettled([
      store.append(append(RUN, 0)),
      store.append(brokenAppend(RUN, 1)),
      store.append(append(RUN, 1)),
      store.append(brokenAppend(workflowId(2), 0)),
      store.write({ documents: [{ collection: 'agents', key: 'a', json: '{}' }] }),
    ]);
    expect(outcomes.map((outcome) => outcome.status)).toEqual([
      'fulfilled',
      'rejected',
      'fulfilled',
      'rejected',
      'fulfilled',
    ]);
    expect(await eventsOf(store)).toEqual(texts(2));
    expect((await store.log(RUN, 0, 10))?.total).toBe(0);
    expect(await store.workflow(workflowId(2))).toBeNull();
    expect(await store.documents('agents')).toEqual([{ key: 'a', json: '{}' }]);
  });

  storeTest('many runs grow at the same time', async ({ store }) => {
    const grow = async (number: number) => {
      for (let seq = 0; seq < 10; seq += 1) await store.append(append(workflowId(number), seq));
    };
    await Promise.all(Array.from({ length: 50 }, (_, number) => grow(number)));
    for (let number = 0; number < 50; number += 1) {
      expect(await eventsOf(store, workflowId(number))).toEqual(texts(10));
    }
  });
}
