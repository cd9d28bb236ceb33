import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openSqliteStore } from '../../store/sqlite/sqlite-store.ts';
import type { Store } from '../../store/store.ts';
import { SESSION_LIMITS } from './limits.ts';
import { type SafeLimits, TokenSafe } from './token-safe.ts';

const HOUR_MS = 3_600_000;
const ADA = { subject: 'ada', authorization: 'Bearer a.b.c' };

let folder: string;
let store: Store;
let nowMs: number;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tutti-safe-'));
  store = await openSqliteStore({ file: join(folder, 'tutti.db') });
  nowMs = Date.UTC(2026, 0, 31);
});

afterEach(async () => {
  await store.close();
  await rm(folder, { recursive: true });
});

const open = (limits: Partial<SafeLimits> = {}) =>
  new TokenSafe({
    store,
    clock: { now: () => nowMs },
    collection: 'ui-sessions',
    limits: { ...SESSION_LIMITS, ...limits },
  });

test('a token ends after eight hours without use', async () => {
  const safe = open();
  const { secret } = await safe.add(ADA, Infinity);
  nowMs += 7 * HOUR_MS;
  expect((await safe.open(secret))?.authorization).toBe(ADA.authorization);
  nowMs += 4 * HOUR_MS;
  expect(await safe.open(secret)).not.toBeNull();
  const unused = await safe.add(ADA, Infinity);
  nowMs += 8 * HOUR_MS;
  expect(await safe.open(unused.secret)).toBeNull();
});

test('a token ends after twelve hours, however often it is used', async () => {
  const safe = open();
  const { secret } = await safe.add(ADA, Infinity);
  for (let hour = 1; hour < 12; hour += 1) {
    nowMs += HOUR_MS;
    expect(await safe.open(secret), String(hour)).not.toBeNull();
  }
  nowMs += HOUR_MS;
  expect(await safe.open(secret)).toBeNull();
});

test('a kept token lives no longer than the token itself', async () => {
  const safe = open();
  const { secret, endsAtMs } = await safe.add(ADA, nowMs + HOUR_MS);
  expect(endsAtMs).toBe(nowMs + HOUR_MS);
  nowMs += HOUR_MS;
  expect(await safe.open(secret)).toBeNull();
});

test('ended tokens are removed when another one is added', async () => {
  const safe = open();
  await safe.add(ADA, Infinity);
  nowMs += 13 * HOUR_MS;
  await safe.add({ ...ADA, subject: 'eve' }, Infinity);
  expect(await store.documents('ui-sessions')).toHaveLength(1);
});

test('a full safe refuses, unless the subject gives up one of its own', async () => {
  const safe = open({ all: 2, ofSubject: 1 });
  const first = await safe.add(ADA, Infinity);
  await safe.add({ ...ADA, subject: 'eve' }, Infinity);
  await expect(safe.add({ ...ADA, subject: 'bob' }, Infinity)).rejects.toMatchObject({
    reason: 'TooManyRequests',
  });
  await safe.add(ADA, Infinity);
  expect(await safe.open(first.secret)).toBeNull();
});

test('a removed token does not come back by its use', async () => {
  const safe = open();
  const { secret } = await safe.add(ADA, Infinity);
  nowMs += HOUR_MS;
  await Promise.all([safe.take(secret), safe.open(secret)]);
  expect(await safe.open(secret)).toBeNull();
  expect(await store.documents('ui-sessions')).toEqual([]);
});

test('a text that was moved to another name opens nothing', async () => {
  const safe = open();
  const { secret } = await safe.add(ADA, Infinity);
  const other = await safe.add({ ...ADA, authorization: 'Bearer d.e.f' }, Infinity);
  const [one, two] = await store.documents('ui-sessions');
  await store.write({
    documents: [
      { collection: 'ui-sessions', key: one?.key ?? '', json: two?.json ?? '' },
      { collection: 'ui-sessions', key: two?.key ?? '', json: one?.json ?? '' },
    ],
  });
  expect([await safe.open(secret), await safe.open(other.secret)]).toEqual([null, null]);
});
