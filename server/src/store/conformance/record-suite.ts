/** Test cases, documents and the outbox. */
import { hash } from 'node:crypto';
import { describe, expect } from 'vitest';
import type { OutboxEntry, TestCaseRow } from '../store.ts';
import {
  append,
  attachmentId,
  jobId,
  outboxEntry,
  storedTestCase,
  subscriptionId,
  testCase,
  testCaseKey,
  workflowId,
  workflowRow,
} from './samples.ts';
import type { StoreTest } from './store-target.ts';

const RUN = workflowId(1);

export function describeRecords(storeTest: StoreTest): void {
  describe('test cases', () => describeTestCases(storeTest));
  describe('broken reports', () => describeBrokenReports(storeTest));
  describe('documents', () => describeDocuments(storeTest));
  describe('outbox', () => describeOutbox(storeTest));
  describe('figures', () => describeFigures(storeTest));
}

/** Precedences of later reports differ by more than 32 bits hold. */
const LARGE = 2 ** 40;

/** An execution of one test case; its outcome shows its precedence. */
function ranked(precedence: number): TestCaseRow {
  const outcome = (['skipped', 'success', 'failure', 'error'] as const)[precedence] ?? 'success';
  const json = JSON.stringify({ precedence });
  return testCase('a', { precedence: precedence * LARGE, outcome, json });
}

function describeTestCases(storeTest: StoreTest): void {
  storeTest('they come in the order of their first execution', async ({ store }) => {
    const keys = ['c', 'a', 'b', 'a', 'd'];
    await store.append(
      append(RUN, 0, { projection: { testCases: keys.map((key) => testCase(key)) } }),
    );
    await store.append(append(workflowId(2), 0, { projection: { testCases: [testCase('z')] } }));
    const keysOf = async (offset: number, limit: number) => {
      const page = await store.testCases(RUN, offset, limit);
      return [page.total, ...page.items.map((item) => JSON.parse(item.json).name)];
    };
    expect(await keysOf(0, 10)).toEqual([4, 'c', 'a', 'b', 'd']);
    expect(await keysOf(1, 2)).toEqual([4, 'a', 'b']);
    expect(await keysOf(4, 2)).toEqual([4]);
    expect(await keysOf(0, 0)).toEqual([4]);
    const manifests = (offset: number, limit: number) =>
      store.testCaseManifests(RUN, offset, limit);
    expect(await manifests(1, 2)).toEqual([testCase('a').json, testCase('b').json]);
    expect(await manifests(4, 2)).toEqual([]);
  });

  storeTest('a read has as many as fit into memory, and one at least', async ({ store }) => {
    const long = (key: string) => testCase(key, { json: JSON.stringify('x'.repeat(700_000)) });
    const testCases = [long('a'), long('b'), long('b'), long('c'), long('d'), testCase('e')];
    await store.append(append(RUN, 0, { projection: { testCases } }));
    const countsOf = async (read: (offset: number) => Promise<readonly unknown[]>) => {
      const counts: number[] = [];
      for (let offset = 0; offset < 5; offset += counts.at(-1) ?? 0) {
        counts.push((await read(offset)).length);
      }
      return counts;
    };
    expect(await countsOf(async (at) => (await store.testCases(RUN, at, 10)).items)).toEqual([
      2, 2, 1,
    ]);
    expect(await countsOf((at) => store.testCaseManifests(RUN, at, 10))).toEqual([2, 2, 1]);
    expect((await store.testCases(RUN, 0, 1)).items).toHaveLength(1);
  });

  storeTest(
    'a repeated key shows the newest of equal executions and keeps the earlier ones',
    async ({ store }) => {
      const execution = (number: number) => testCase('a', { json: JSON.stringify({ number }) });
      const twice = { testCases: [execution(1), testCase('b'), execution(2)] };
      await store.append(append(RUN, 0, { projection: twice }));
      await store.append(append(RUN, 1, { projection: { testCases: [execution(3)] } }));
      const page = await store.testCases(RUN, 0, 10);
      expect(page.items).toEqual([
        storedTestCase(execution(3), 0, ['{"number":1}', '{"number":2}']),
        storedTestCase(testCase('b'), 1),
      ]);
    },
  );

  storeTest(
    'of the executions of a key the one with the highest precedence counts',
    async ({ store }) => {
      const add = async (seq: number, ...precedences: readonly number[]) => {
        const testCases = precedences.map((precedence) => ranked(precedence));
        await store.append(append(RUN, seq, { projection: { testCases } }));
        const { items } = await store.testCases(RUN, 0, 10);
        expect(await store.testCaseSummary(RUN)).toEqual([
          { jobId: jobId(1), outcome: items[0]?.outcome, count: 1 },
        ]);
        return items;
      };
      const others = (...precedences: readonly number[]) =>
        precedences.map((precedence) => ranked(precedence).json);
      expect(await add(0, 2, 1)).toEqual([storedTestCase(ranked(2), 0, others(1), 1)]);
      expect(await add(1, 0, 3)).toEqual([storedTestCase(ranked(3), 0, others(2, 1, 0))]);
      expect(await add(2, 2)).toEqual([storedTestCase(ranked(3), 0, others(2, 1, 0, 2), 4)]);
      expect(await add(3, 9, 8)).toEqual([
        storedTestCase(ranked(9), 0, others(2, 1, 0, 3, 2, 8), 6),
      ]);
    },
  );

  storeTest(
    'however many executions come behind it, the one that counts stays',
    async ({ store }) => {
      const many = Array.from({ length: 300 }, () => ranked(1));
      await store.append(append(RUN, 0, { projection: { testCases: [ranked(2), ...many] } }));
      const [item] = (await store.testCases(RUN, 0, 10)).items;
      expect(item).toMatchObject({ json: ranked(2).json, executions: 301, counting: 1 });
      expect(new Set(item?.history)).toEqual(new Set([ranked(1).json]));
      const next = { workflow: workflowRow(workflowId(2)), testCases: [ranked(1)] };
      await store.append(append(workflowId(2), 0, { projection: next }));
      const earlier = (await store.earlierExecutions(workflowId(2), [0])).get(0);
      expect(earlier?.at(-1)).toMatchObject({ workflowId: RUN, outcome: ranked(2).outcome });
      await store.append(append(RUN, 1, { projection: { testCases: [ranked(3)] } }));
      const [after] = (await store.testCases(RUN, 0, 10)).items;
      expect(after).toMatchObject({ json: ranked(3).json, executions: 302 });
      expect(after?.history).toHaveLength(item?.history.length ?? 0);
    },
  );

  storeTest(
    'general errors go to the execution that they are of, the newest or an earlier one',
    async ({ store }) => {
      const execution = (number: number, more: object = {}) =>
        testCase('a', {
          json: JSON.stringify({
            metadata: { execution_id: attachmentId(number) },
            execution: { duration: 1, ...more },
          }),
        });
      const errors = (number: number, ...list: readonly string[]) => ({
        key: testCaseKey('a'),
        attachmentId: attachmentId(number),
        json: JSON.stringify(list),
      });
      const first = { testCases: [testCase('b'), execution(1)], testErrors: [errors(1, 'x')] };
      await store.append(append(RUN, 0, { projection: first }));
      const second = {
        testCases: [execution(2)],
        testErrors: [errors(2, 'y'), errors(1, 'z'), errors(3, 'of none')],
      };
      await store.append(append(RUN, 1, { projection: second }));
      const none = { ...errors(1, 'of none'), key: testCaseKey('unknown') };
      await store.append(append(workflowId(2), 0, { projection: { testErrors: [none] } }));
      const { items } = await store.testCases(RUN, 0, 10);
      expect(items).toEqual([
        storedTestCase(testCase('b'), 0),
        storedTestCase(execution(2, { errorsList: ['y'] }), 1, [
          execution(1, { errorsList: ['x', 'z'] }).json,
        ]),
      ]);
    },
  );

  storeTest('the summary counts each test case by the outcome that counts', async ({ store }) => {
    const testCases = [
      testCase('a', { outcome: 'failure' }),
      testCase('b', { outcome: 'failure' }),
      testCase('c', { jobId: jobId(2), outcome: 'skipped' }),
    ];
    await store.append(append(RUN, 0, { projection: { testCases } }));
    await store.append(
      append(RUN, 1, { projection: { testCases: [testCase('a'), testCase('c')] } }),
    );
    const summary = await store.testCaseSummary(RUN);
    expect(summary).toHaveLength(2);
    expect(summary).toContainEqual({ jobId: jobId(1), outcome: 'failure', count: 1 });
    expect(summary).toContainEqual({ jobId: jobId(1), outcome: 'success', count: 2 });
  });
}

function describeBrokenReports(storeTest: StoreTest): void {
  const broken = (number: number, json = String(number)) => ({
    attachmentId: attachmentId(number),
    json,
  });

  storeTest('they come in their order, each attachment once', async ({ store }) => {
    await store.append(append(RUN, 0, { projection: { brokenReports: [broken(2), broken(1)] } }));
    const again = { brokenReports: [broken(2, '"again"'), broken(3)] };
    await store.append(append(RUN, 1, { projection: again }));
    await store.append(append(workflowId(2), 0, { projection: { brokenReports: [broken(2)] } }));
    expect(await store.brokenReports(RUN, 10)).toEqual({ items: ['2', '1', '3'], total: 3 });
    expect(await store.brokenReports(RUN, 2)).toEqual({ items: ['2', '1'], total: 3 });
    expect(await store.brokenReports(workflowId(2), 10)).toEqual({ items: ['2'], total: 1 });
    expect(await store.brokenReports(workflowId(3), 10)).toEqual({ items: [], total: 0 });
  });

  storeTest('they go with their run', async ({ store }) => {
    await store.append(append(RUN, 0, { projection: { brokenReports: [broken(1)] } }));
    await store.forget([RUN]);
    expect(await store.brokenReports(RUN, 10)).toEqual({ items: [], total: 0 });
  });
}

function describeDocuments(storeTest: StoreTest): void {
  const document = (collection: string, key: string, json: string | null) => ({
    collection,
    key,
    json,
  });

  storeTest('they are written, replaced and deleted by collection and key', async ({ store }) => {
    await store.write({
      documents: [document('a', '1', '1'), document('a', '2', '2'), document('b', '1', '3')],
    });
    await store.write({ documents: [document('a', '1', '4'), document('a', '2', null)] });
    await store.write({ documents: [document('c', '1', null)] });
    expect(await store.documents('a')).toEqual([{ key: '1', json: '4' }]);
    expect(await store.documents('b')).toEqual([{ key: '1', json: '3' }]);
    expect(await store.documents('c')).toEqual([]);
    expect(await store.document('a', '1')).toBe('4');
    expect(await store.document('a', '2')).toBeNull();
  });

  storeTest('keys have any length', async ({ store }) => {
    const text = Array.from({ length: 3_000 }, (_, index) => hash('sha256', `${index}`)).join('');
    const keys = [`${text}a`, `${text}b`];
    await store.write({ documents: keys.map((key) => document('a', key, JSON.stringify(key))) });
    await store.write({ documents: [document('a', `${text}a`, '1')] });
    expect((await store.documents('a')).map(({ key }) => key)).toEqual(keys);
    expect(await store.document('a', `${text}a`)).toBe('1');
    await store.write({ documents: [document('a', `${text}b`, null)] });
    expect(await store.document('a', `${text}b`)).toBeNull();
  });

  storeTest('the writes of one call happen in their order', async ({ store }) => {
    const documents = [document('a', '1', '1'), document('a', '1', null), document('a', '1', '2')];
    await store.write({ documents });
    expect(await store.documents('a')).toEqual([{ key: '1', json: '2' }]);
  });
}

function describeOutbox(storeTest: StoreTest): void {
  storeTest('entries of a subscription come in the order they were written', async ({ store }) => {
    const entries = [outboxEntry(1, 1), outboxEntry(2, 2), outboxEntry(1, 3)];
    await store.append(append(RUN, 0, { outbox: entries }));
    await store.write({ outbox: [outboxEntry(1, 4)] });
    const bodies = async (limit: number) =>
      (await store.outbox(subscriptionId(1), limit)).map((entry) => JSON.parse(entry.body));
    expect(await bodies(10)).toEqual([{ publication: 1 }, { publication: 3 }, { publication: 4 }]);
    expect(await bodies(2)).toEqual([{ publication: 1 }, { publication: 3 }]);
    expect(await store.outbox(subscriptionId(9), 10)).toEqual([]);
  });

  storeTest(
    'entries end where their bodies come to a bound, after one at least',
    async ({ store }) => {
      await store.write({ outbox: [1, 2, 3].map((number) => outboxEntry(1, number)) });
      const [first, second] = await store.outbox(subscriptionId(1), 10);
      const bytes = first?.bytes ?? 0;
      const count = async (bytesMax: number) =>
        (await store.outbox(subscriptionId(1), 10, { bytesMax })).length;
      expect([await count(1), await count(bytes), await count(bytes + 1)]).toEqual([1, 1, 2]);
      expect(await store.outbox(subscriptionId(1), 10, { bytesMax: 1 })).not.toContain(second);
    },
  );

  storeTest('entries that the reader has are left out, in any order', async ({ store }) => {
    await store.write({ outbox: [1, 2, 3, 4].map((number) => outboxEntry(1, number)) });
    const entries = await store.outbox(subscriptionId(1), 10);
    const except = [1, 0].map((index) => entries[index]?.position ?? 0);
    expect(await store.outbox(subscriptionId(1), 10, { except })).toEqual(entries.slice(2));
    expect(await store.outbox(subscriptionId(1), 1, { except })).toEqual(entries.slice(2, 3));
    expect(await store.outbox(subscriptionId(1), 10, { except: [] })).toEqual(entries);
    await store.write({ outboxDone: except.slice(1) });
    expect(await store.outbox(subscriptionId(1), 10, { except })).toEqual(entries.slice(2));
  });

  storeTest(
    'entries are shown once they are stored, in their order, before their write resolves',
    async ({ store }) => {
      const shown: OutboxEntry[] = [];
      store.watchOutbox({ added: (entry) => shown.push(entry), removed: () => undefined });
      const written = [
        store.append(append(RUN, 0, { outbox: [outboxEntry(1, 1), outboxEntry(2, 2)] })),
        store.append(append(RUN, 0, { outbox: [outboxEntry(1, 3)] })),
        store.write({}),
        store.write({ outbox: [outboxEntry(2, 4)] }),
      ];
      const counts = written.map((write) => write.then(() => shown.length));
      expect((await counts[0]) ?? 0).toBeGreaterThanOrEqual(2);
      expect(await counts[3]).toBe(3);
      const stored = await Promise.all([1, 2].map((id) => store.outbox(subscriptionId(id), 10)));
      expect(shown).toEqual(stored.flat().sort((one, other) => one.position - other.position));
      expect(shown.map(({ body }) => JSON.parse(body).publication)).toEqual([1, 2, 4]);
    },
  );

  const forThree = (publication: number, body: string) => ({
    ...outboxEntry(1, publication),
    subscriptionIds: [1, 2, 3].map(subscriptionId),
    body,
  });

  storeTest(
    'the body for several inboxes is there until the last of them has it',
    async ({ store }) => {
      const body = JSON.stringify({ text: 'é'.repeat(100) });
      await store.write({ outbox: [forThree(1, body), outboxEntry(2, 2)] });
      const entries = await Promise.all([1, 2, 3].map((id) => store.outbox(subscriptionId(id), 1)));
      const positions = entries.flat().map(({ position }) => position);
      expect(entries.flat()).toMatchObject(
        [1, 2, 3].map((id) => ({
          subscriptionId: subscriptionId(id),
          body,
          bytes: body.length + 100,
        })),
      );
      const keys = await Promise.all(positions.map((position) => store.outboxBody(position)));
      expect(new Set(keys.map((about) => about?.key)).size).toBe(1);
      const [first = 0, second = 0, third = 0] = positions;
      await store.write({ outboxDone: [first, third] });
      expect(await store.outboxBody(first)).toBeNull();
      expect(Buffer.from((await store.outboxBytes(second)) ?? []).toString()).toBe(body);
      await store.write({ outboxDone: [second] });
      expect([await store.outboxBody(second), await store.outboxBytes(second)]).toEqual([
        null,
        null,
      ]);
    },
  );

  storeTest(
    'longer bodies than asked for are left out, and are read by themselves',
    async ({ store }) => {
      await store.write({ outbox: [outboxEntry(1, 1), forThree(2, '"long"')] });
      const bodies = async (bodyBytesMax: number) =>
        (await store.outbox(subscriptionId(1), 9, { bodyBytesMax })).map(({ body }) => body);
      expect(await bodies(6)).toEqual(['', '"long"']);
      expect(await bodies(5)).toEqual(['', '']);
      const [entry] = await store.outbox(subscriptionId(1), 1, { bodyBytesMax: 5 });
      const { position = 0, bytes = 0 } = entry ?? {};
      expect(await store.outboxBody(position)).toMatchObject({ bytes });
      expect((await store.outboxBytes(position))?.length).toBe(bytes);
    },
  );

  storeTest('sizes are told of what waits, and of what goes', async ({ store, reopen }) => {
    const removed: unknown[] = [];
    const watch = {
      added: () => undefined,
      removed: (...change: unknown[]) => removed.push(change),
    };
    store.watchOutbox(watch);
    await store.write({ outbox: [forThree(1, '"four"'), { ...outboxEntry(1, 2), body: '"2"' }] });
    const sizes = new Map([
      [subscriptionId(1), { entries: 2, bytes: 9 }],
      [subscriptionId(2), { entries: 1, bytes: 6 }],
      [subscriptionId(3), { entries: 1, bytes: 6 }],
    ]);
    expect(await store.outboxSizes()).toEqual(sizes);
    const [one, two] = await store.outbox(subscriptionId(1), 2);
    const outboxDone = [one, two, two].map((entry) => entry?.position ?? 0);
    await store.write({ outboxDone });
    expect(removed).toEqual([[subscriptionId(1), { entries: 2, bytes: 9 }]]);
    sizes.delete(subscriptionId(1));
    expect(await (await reopen()).outboxSizes()).toEqual(sizes);
  });

  storeTest(
    'delivered entries go away, and positions never come back',
    async ({ store, reopen }) => {
      await store.write({ outbox: [outboxEntry(1, 1), outboxEntry(1, 2)] });
      const before = (await store.outbox(subscriptionId(1), 10)).map((entry) => entry.position);
      await store.write({ outboxDone: before });
      expect(await store.outbox(subscriptionId(1), 10)).toEqual([]);
      const again = await reopen();
      await again.write({ outbox: [outboxEntry(1, 3)] });
      const [entry] = await again.outbox(subscriptionId(1), 10);
      expect(entry?.position).toBeGreaterThan(Math.max(...before));
    },
  );

  storeTest('of what is beyond the newest entries, the oldest come first', async ({ store }) => {
    const outbox = [1, 2, 3, 4].flatMap((number) => [
      outboxEntry(1, number),
      outboxEntry(2, number),
    ]);
    await store.write({ outbox });
    const entries = await store.outbox(subscriptionId(1), 10);
    const oldest = (count: number) => entries.slice(0, count).map(({ position }) => position);
    const surplus = (kept: number, limit: number) =>
      store.outboxSurplus(subscriptionId(1), kept, limit);
    expect(await surplus(4, 10)).toEqual([]);
    expect(await surplus(3, 10)).toEqual(oldest(1));
    expect(await surplus(0, 10)).toEqual(oldest(4));
    expect(await surplus(1, 2)).toEqual(oldest(2));
    expect(await store.outboxSurplus(subscriptionId(9), 0, 10)).toEqual([]);
  });

  storeTest('subscriptions with undelivered entries are listed once each', async ({ store }) => {
    const outbox = [3, 1, 3, 2, 1].map((subscription, index) => outboxEntry(subscription, index));
    await store.write({ outbox });
    const [second] = await store.outbox(subscriptionId(2), 1);
    await store.write({ outboxDone: [second?.position ?? 0] });
    const listed = await store.outboxSubscriptions();
    expect([...listed].sort()).toEqual([subscriptionId(1), subscriptionId(3)]);
  });
}

function describeFigures(storeTest: StoreTest): void {
  storeTest('of an empty store they are nothing', async ({ store }) => {
    const nothing = { runs: 0, events: 0, outbox: new Map(), waitingOperations: 0 };
    expect(await store.figures()).toEqual(nothing);
  });

  storeTest(
    'they count runs with their events, and what waits in the outbox',
    async ({ store }) => {
      await store.append(append(RUN, 0));
      await store.append(append(RUN, 1));
      await store.append(append(workflowId(2), 0));
      await store.append(append(workflowId(3), 0));
      await store.forget([workflowId(3)]);
      await store.write({ outbox: [1, 2, 2].map((number, index) => outboxEntry(number, index)) });
      expect(await store.figures()).toEqual({
        runs: 2,
        events: 3,
        outbox: new Map([
          [subscriptionId(1), 1],
          [subscriptionId(2), 2],
        ]),
        waitingOperations: 0,
      });
    },
  );

  storeTest('changes that are made at once wait for their turn', async ({ store }) => {
    const written = [1, 2, 3].map((number) => store.append(append(workflowId(number), 0)));
    const { waitingOperations } = await store.figures();
    expect(waitingOperations).toBe(3);
    await Promise.all(written);
    expect((await store.figures()).waitingOperations).toBe(0);
  });
}
