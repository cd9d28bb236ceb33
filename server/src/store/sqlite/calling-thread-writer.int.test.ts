import { afterEach, beforeEach, expect, test } from 'vitest';
import { append, workflowId } from '../conformance/samples.ts';
import { describeStore } from '../store-conformance.ts';
import { storeTarget } from './calling-thread-target.ts';
import { databaseFile } from './conformance-target.ts';
import { openReadingStore } from './sqlite-store.ts';

describeStore('SQLite store that writes in the calling thread', storeTarget);

const RUN = workflowId(1);

let place = '';
beforeEach(async () => {
  place = await storeTarget.createPlace();
});
afterEach(() => storeTarget.removePlace(place));

test('it starts no thread, not even for what is expected', async () => {
  const threads = () =>
    process.getActiveResourcesInfo().filter((kind) => kind === 'MessagePort').length;
  const before = threads();
  const store = await storeTarget.open(place);
  store.expectWrites();
  await store.append(append(RUN, 0));
  expect(threads()).toBe(before);
  await store.close();
});

test('other connections see its writes before it is closed; closing folds them into the database', async () => {
  const store = await storeTarget.open(place);
  await store.append(append(RUN, 0));
  const reader = openReadingStore(databaseFile(place));
  expect((await reader.events(RUN, 1, 1))?.total).toBe(1);
  await reader.close();
  await store.close();
  const next = await storeTarget.open(place);
  expect((await next.events(RUN, 1, 1))?.total).toBe(1);
  await next.close();
});

test('a store whose files were removed meanwhile is closed all the same', async () => {
  const store = await storeTarget.open(place);
  await store.append(append(RUN, 0));
  await storeTarget.removePlace(place);
  await store.close();
});

test('a store that nobody wrote to is closed without a log', async () => {
  await (await storeTarget.open(place)).close();
  await (await storeTarget.open(place)).close();
});
