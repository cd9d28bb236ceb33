import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setImmediate as turn } from 'node:timers/promises';
import { matches, parseFieldSelector } from '@tutti/selectors';
import { expect, test } from 'vitest';
import { workflowId, workflowRow } from '../../store/conformance/samples.ts';
import type { Store } from '../../store/store.ts';
import { EVENT_FACTS_LIMITS, EventFacts } from './event-facts.ts';
import { EVENTS_SLICE, plainPage, selectedPage } from './event-pages.ts';
import { type EventSearch, EventSearches, NEW_SEARCH } from './event-searches.ts';
import { framed } from './framed-answer.ts';

const ID = workflowId(1);

/** A run of `count` events that has one more with every read, and is over from the second read on. */
function growing(count: number, text = '') {
  const reads: number[] = [];
  const store: Pick<Store, 'events'> = {
    events: async (_id, first, limit) => {
      const total = count + reads.length;
      const status = reads.length === 0 ? 'RUNNING' : 'DONE';
      reads.push(limit);
      const length = Math.max(0, Math.min(limit, total - first + 1));
      const items = Array.from({ length }, (_, index) =>
        JSON.stringify({ event: first + index, text }),
      );
      return { items, total, workflow: workflowRow(ID, { status }) };
    },
  };
  return { store, reads };
}

async function numbersIn(text: string | AsyncIterable<string>): Promise<readonly number[]> {
  const body = framed('[', text, ']');
  const json = typeof body === 'string' ? body : String(await buffer(Readable.from(body)));
  return JSON.parse(json).map(({ event }: { event: number }) => event);
}

const range = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index);

test.each([
  ['the first of a short run', 10, { page: 1, perPage: 100 }, [1, 10]],
  ['one that is a slice', 1_000, { page: 2, perPage: EVENTS_SLICE }, [65, 128]],
  ['one of several slices', 1_000, { page: 2, perPage: 200 }, [201, 400]],
  ['a last one of several slices', 250, { page: 2, perPage: 150 }, [151, 250]],
  ['one event', 3, { page: 3, perPage: 1 }, [3, 3]],
] as const)(
  'a page that is %s has its events in order',
  async (_name, count, page, [first, last]) => {
    const { store, reads } = growing(count);
    const { text, total } = await plainPage({ store, workflowId: ID }, page);
    expect(await numbersIn(text)).toEqual(range(first, last));
    expect(total).toBe(count);
    expect(Math.max(...reads)).toBeLessThanOrEqual(EVENTS_SLICE);
  },
);

test('events that arrive while a page is sent are neither in it nor in its status', async () => {
  const { store } = growing(100);
  const { text, total, workflow } = await plainPage(
    { store, workflowId: ID },
    { page: 1, perPage: 1_000 },
  );
  expect(await numbersIn(text)).toEqual(range(1, 100));
  expect([total, workflow.status]).toEqual([100, 'RUNNING']);
});

test('a page behind the end is empty', async () => {
  const { text, total } = await plainPage(
    { store: growing(10).store, workflowId: ID },
    { page: 9, perPage: 5 },
  );
  expect([await numbersIn(text), total]).toEqual([[], 10]);
});

const isEven = (event: object) => 'event' in event && Number(event.event) % 2 === 0;

test('a chosen page counts all events that are chosen', async () => {
  const { store, reads } = growing(200);
  const page = await selectedPage(
    { store, workflowId: ID },
    { page: 2, perPage: 3 },
    { ...NEW_SEARCH, isChosen: isEven },
  );
  expect(await numbersIn(page.text)).toEqual([8, 10, 12]);
  // Events that came during the search count, because the status is that of its last read.
  const searched = reads.length - 1;
  expect(page.total).toBe(Math.floor((200 + searched - 1) / 2));
  expect(page.workflow.status).toBe('DONE');
});

test('a chosen page of large events is read in pieces, as it is sent', async () => {
  const { store, reads } = growing(200, 'x'.repeat(16 * 1024));
  const page = await selectedPage(
    { store, workflowId: ID },
    { page: 1, perPage: 200 },
    { ...NEW_SEARCH, isChosen: () => true },
  );
  const searched = reads.length;
  expect(await numbersIn(page.text)).toEqual(range(1, 200));
  expect(reads.slice(searched)).toEqual([EVENTS_SLICE, EVENTS_SLICE, 8]);
});

test('a selected page of distant events is read without the events between', async () => {
  const { store, reads } = growing(200);
  const isHundredth = (event: object) => 'event' in event && Number(event.event) % 100 === 0;
  const page = await selectedPage(
    { store, workflowId: ID },
    { page: 1, perPage: 10 },
    { ...NEW_SEARCH, isChosen: isHundredth },
  );
  expect(await numbersIn(page.text)).toEqual([100, 200]);
  expect(reads.slice(-2)).toEqual([1, 1]);
});

test('a selected page of a deleted run breaks off', async () => {
  const { store } = growing(200, 'x'.repeat(16 * 1024));
  let isGone = false;
  const leaving: typeof store = {
    events: async (...read) => (isGone ? null : store.events(...read)),
  };
  const page = await selectedPage(
    { store: leaving, workflowId: ID },
    { page: 1, perPage: 200 },
    { ...NEW_SEARCH, isChosen: () => true },
  );
  isGone = true;
  await expect(numbersIn(page.text)).rejects.toThrow(`Workflow ${ID} not found.`);
});

test('a search that was remembered goes on where it ended', async () => {
  const { store, reads } = growing(200);
  const search = rememberedSearch();
  const first = await selectedPage(
    { store, workflowId: ID },
    { page: 1, perPage: 3 },
    { ...search(), isChosen: isEven },
  );
  expect(await numbersIn(first.text)).toEqual([2, 4, 6]);
  const before = reads.length;
  const looked: object[] = [];
  const isChosen = (event: object) => looked.push(event) > 0 && isEven(event);
  const second = await selectedPage(
    { store, workflowId: ID },
    { page: 2, perPage: 3 },
    { ...search(), isChosen },
  );
  expect(await numbersIn(second.text)).toEqual([8, 10, 12]);
  expect(second.total).toBe(Math.floor((200 + before) / 2));
  // The event that each read of the first page and of its text brought.
  expect(looked.length).toBeLessThanOrEqual(before);
});

test('a new question about a large run reads only events without enough facts', async () => {
  const count = 2 * EVENT_FACTS_LIMITS.eventsMin;
  const texts = Array.from({ length: count }, (_, index) =>
    JSON.stringify({ event: index + 1, kind: `K${index % 10}`, spec: { part: index % 100 } }),
  );
  const reads: number[] = [];
  const store: Pick<Store, 'events'> = {
    events: async (_id, first, limit) => {
      reads.push(Math.min(limit, count - first + 1));
      const items = texts.slice(first - 1, first - 1 + limit);
      return { items, total: texts.length, workflow: workflowRow(ID) };
    },
  };
  const facts = new EventFacts();
  const ask = async (selector: string) => {
    const fields = parseFieldSelector(selector);
    const search = { ...NEW_SEARCH, facts: facts.of(ID, 0, fields.conditions) };
    reads.splice(0);
    const isChosen = (event: object) => matches(fields, event);
    const page = await selectedPage(
      { store, workflowId: ID },
      { page: 2, perPage: 3 },
      { ...search, isChosen },
    );
    const read = reads.reduce((sum, length) => sum + Math.max(0, length), 0);
    return { numbers: await numbersIn(page.text), total: page.total, read };
  };
  const first = await ask('kind==K0');
  expect(first).toMatchObject({ numbers: [31, 41, 51], total: count / 10 });
  expect(first.read).toBeGreaterThanOrEqual(count);
  expect(await ask('kind==K4')).toEqual({ numbers: [35, 45, 55], total: count / 10, read: 3 });
  const open = await ask('kind==K4,spec.part==14');
  expect(open).toMatchObject({ numbers: [315, 415, 515], total: count / 100 });
  expect(open.read).toBeLessThan(count / 5);
  texts.push(JSON.stringify({ event: 0, kind: 'K4', spec: {} }));
  expect((await ask('kind==K4')).total).toBe(count / 10 + 1);
});

const LONGER_THAN_A_TURN_MS = 6;

/** The search for one question, with the facts known at that time. */
function rememberedSearch(): () => EventSearch {
  const searches = new EventSearches();
  const question = { workflowId: ID, fieldSelector: 'f', labelSelector: '', masks: 0 };
  return () => searches.of(question);
}

test('when many searches run, a turn of the event loop has only as many reads as fit', async () => {
  const { store: quick, reads } = growing(3 * EVENTS_SLICE);
  const store: typeof quick = {
    events: (...question) => {
      const sinceMs = performance.now();
      while (performance.now() - sinceMs < LONGER_THAN_A_TURN_MS);
      return quick.events(...question);
    },
  };
  const searches = Array.from({ length: 8 }, () =>
    selectedPage(
      { store, workflowId: ID },
      { page: 1, perPage: 10 },
      { ...NEW_SEARCH, isChosen: () => false },
    ),
  );
  const all = Promise.all(searches);
  let isOver = false;
  void all.then(() => {
    isOver = true;
  });
  const ofTurns: number[] = [];
  for (let before = reads.length; !isOver; before = reads.length) {
    await turn();
    ofTurns.push(reads.length - before);
  }
  expect(reads.length).toBeGreaterThan(20);
  expect(Math.max(...ofTurns)).toBe(1);
});
