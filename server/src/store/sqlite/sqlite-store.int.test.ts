import { copyFile, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { isOrchestratorError } from '@tutti/manifests';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { append, testCase, timestamp, workflowId, workflowRow } from '../conformance/samples.ts';
import { logPartOf } from '../log-part.ts';
import { describeStore } from '../store-conformance.ts';
import { databaseFile, storeTarget } from './conformance-target.ts';
import { MIGRATIONS } from './migrations.ts';
import { openReadingStore, openSqliteStore } from './sqlite-store.ts';

describeStore('SQLite store', storeTarget);

const RUN = workflowId(1);

let place = '';
let file = '';
beforeEach(async () => {
  place = await storeTarget.createPlace();
  file = databaseFile(place);
});
afterEach(() => storeTarget.removePlace(place));

async function refusalOf(path: string): Promise<string> {
  const error: unknown = await openSqliteStore({ file: path, limits: { lockWaitMs: 0 } }).then(
    (store) => store.close(),
    (reason: unknown) => reason,
  );
  if (!isOrchestratorError(error)) throw new Error('It was not refused.', { cause: error });
  expect(error.reason).toBe('Conflict');
  return error.message;
}

function editDatabase(path: string, sql: string): void {
  const db = new DatabaseSync(path);
  db.exec(sql);
  db.close();
}

function countRows(table: string): number {
  const db = new DatabaseSync(file);
  const count = db.prepare(`SELECT count(*) AS count FROM ${table}`).get()?.count;
  db.close();
  return Number(count);
}

describe('reading', () => {
  test('a reader needs no lock, sees the writes of another process, and writes nothing', async () => {
    const owner = await openSqliteStore({ file });
    const reader = openReadingStore(file);
    await owner.append(append(RUN, 0));
    expect((await reader.events(RUN, 1, 1))?.total).toBe(1);
    await expect(reader.append(append(RUN, 1))).rejects.toThrow(
      'Nobody writes to this data directory now.',
    );
    await owner.close();
    expect((await reader.events(RUN, 1, 1))?.total).toBe(1);
    const next = await openSqliteStore({ file });
    await reader.close();
    await next.append(append(RUN, 1));
    expect((await next.events(RUN, 1, 2))?.total).toBe(2);
    await next.close();
  });

  test('a database of an older version is left to whoever owns it', async () => {
    await (await openSqliteStore({ file })).close();
    editDatabase(file, 'PRAGMA user_version = 1');
    expect(() => openReadingStore(file)).toThrow(
      `The database ${file} is of an older version (its schema is 1, this version has ${MIGRATIONS.length}).`,
    );
  });
});

describe('opening', () => {
  test('one data directory takes one server at a time', async () => {
    const store = await openSqliteStore({ file });
    expect(await refusalOf(file)).toBe(
      `Another server uses ${file}. Stop that server, or give this one a data directory of its own.`,
    );
    await store.append(append(RUN, 0));
    await store.close();
    const next = await openSqliteStore({ file });
    expect((await next.events(RUN, 1, 1))?.total).toBe(1);
    await next.close();
  });

  test('a missing folder is made, and others cannot read the database', async () => {
    const path = join(place, 'data', 'tutti.db');
    const store = await openSqliteStore({ file: path });
    await store.append(append(RUN, 0));
    for (const suffix of ['', '-wal', '.lock']) {
      expect((await stat(path + suffix)).mode & 0o077).toBe(0);
    }
    await store.close();
  });

  test('a database of a newer version is refused', async () => {
    await (await openSqliteStore({ file })).close();
    editDatabase(file, 'PRAGMA user_version = 99');
    expect(await refusalOf(file)).toContain('written by a newer version (its schema is 99');
  });

  test("another application's database is refused and left as it is", async () => {
    editDatabase(file, 'CREATE TABLE songs (title TEXT)');
    const before = await readFile(file);
    expect(await refusalOf(file)).toContain('not one of this server');
    expect((await readFile(file)).equals(before)).toBe(true);
  });

  test('a file that is no database is refused', async () => {
    await writeFile(
      file,
      'A text that is long enough to be looked at as a database header. '.repeat(20),
    );
    expect(await refusalOf(file)).toContain('is not a database');
  });

  test('after a refusal the folder is free again', async () => {
    await (await openSqliteStore({ file })).close();
    editDatabase(file, 'PRAGMA user_version = 99');
    await refusalOf(file);
    editDatabase(file, `PRAGMA user_version = ${MIGRATIONS.length}`);
    await (await openSqliteStore({ file })).close();
  });
});

describe('the thread that writes', () => {
  let started = 0;
  const count = () => {
    started += 1;
  };
  beforeEach(() => {
    started = 0;
    process.on('worker', count);
  });
  afterEach(() => {
    process.off('worker', count);
  });

  test('starts with the first thing that is written, and once', async () => {
    const store = await openSqliteStore({ file });
    expect(await store.workflows()).toEqual([]);
    await store.forget([]);
    await store.forgetExecutions(timestamp(1));
    expect(started).toBe(0);
    await Promise.all([store.append(append(RUN, 0)), store.write({})]);
    await store.append(append(RUN, 1));
    expect(started).toBe(1);
    await store.close();
    const idle = await openSqliteStore({ file });
    expect((await idle.events(RUN, 1, 1))?.total).toBe(2);
    await idle.close();
    expect(started).toBe(1);
  });

  test('starts earlier when it is told that something will be written', async () => {
    const store = await openSqliteStore({ file });
    store.expectWrites();
    store.expectWrites();
    await store.append(append(RUN, 0));
    expect(started).toBe(1);
    await store.close();
    store.expectWrites();
    expect(started).toBe(1);
  });

  test('ends with its store, also when it has only begun to start', async () => {
    const store = await openSqliteStore({ file });
    store.expectWrites();
    await store.close();
    await (await openSqliteStore({ file, limits: { lockWaitMs: 0 } })).close();
  });

  test('takes everything that is written with it when it cannot start, and that is told once', async () => {
    const failures: string[] = [];
    const onFailure = ({ message }: Error) => failures.push(message);
    const store = await openSqliteStore({ file, onFailure });
    await rm(place, { recursive: true });
    const why = 'The writer of the store has stopped.';
    await expect(store.append(append(RUN, 0))).rejects.toThrow(why);
    await expect(store.write({})).rejects.toThrow(why);
    await store.close();
    expect(failures).toEqual([why]);
  });
});

test('the whole commits before the cut of a write-ahead log that was cut anywhere remain', async () => {
  const store = await openSqliteStore({ file });
  for (let seq = 0; seq < 12; seq += 1) {
    await store.append(append(RUN, seq, { projection: { logText: 'line\n'.repeat(500) } }));
  }
  const lengths: number[] = [];
  const walSize = (await stat(`${file}-wal`)).size;
  for (const share of [0.3, 0.5, 0.77, 0.999]) {
    const cut = await storeTarget.createPlace();
    await copyFile(file, databaseFile(cut));
    await copyFile(`${file}-wal`, `${databaseFile(cut)}-wal`);
    await truncate(`${databaseFile(cut)}-wal`, Math.floor(walSize * share));
    const reopened = await storeTarget.open(cut);
    const page = await reopened.events(RUN, 1, 100);
    const total = page?.total ?? 0;
    expect(page?.items ?? []).toHaveLength(total);
    expect((await reopened.log(RUN, 0, 0))?.total ?? 0).toBe(total * 2_500);
    await reopened.close();
    await storeTarget.check(cut);
    await storeTarget.removePlace(cut);
    lengths.push(total);
  }
  await store.close();
  expect(lengths).toEqual(lengths.toSorted((a, b) => a - b));
  expect(lengths.at(-1)).toBeGreaterThan(lengths[0] ?? 0);
});

describe('bounds', () => {
  test('the newest executions of a test case are kept', async () => {
    const limits = { testCaseHistoryMax: 2 };
    const store = await openSqliteStore({ file, limits });
    const minutes = [1, 2, 3, 4, 5];
    const testCases = minutes.map((minute) => testCase('a', { json: String(minute) }));
    await store.append(append(RUN, 0, { projection: { testCases } }));
    const [item] = (await store.testCases(RUN, 0, 1)).items;
    expect(item).toMatchObject({ executions: 5, json: '5', history: ['3', '4'] });
    await store.close();
  });

  test('the newest earlier runs count, and the newest of their executions are shown', async () => {
    const limits = { testRunsMax: 3, earlierExecutionsMax: 3, testCaseHistoryMax: 1 };
    const store = await openSqliteStore({ file, limits });
    for (const number of [1, 2, 3, 4]) {
      const times = number === 3 ? 5 : 1;
      const testCases = Array.from({ length: times }, (_, index) =>
        testCase('a', { durationMs: number * 10 + index }),
      );
      await store.append(append(workflowId(number), 0, { projection: { testCases } }));
    }
    const durations = async () =>
      (await store.earlierExecutions(workflowId(4), [0]))
        .get(0)
        ?.map(({ durationMs }) => durationMs);
    // The last two of five are kept of the third run, as in the run itself. The first run is one too many.
    expect(await durations()).toEqual([20, 33, 34]);
    await store.close();
  });

  test.each([
    ['before a newer run came', [1, 2, 3], [] as readonly number[]],
    ['after newer runs came', [] as readonly number[], [1, 2, 3]],
  ])(
    'only forgotten runs that still count keep executions: forgotten %s',
    async (_, early, late) => {
      const store = await openSqliteStore({ file, limits: { testRunsMax: 2 } });
      for (const number of [1, 2, 3, 4]) {
        const testCases = [testCase('a')];
        await store.append(append(workflowId(number), 0, { projection: { testCases } }));
        if (early.includes(number)) await store.forget([workflowId(number)]);
      }
      await store.forget(late.map(workflowId));
      // Whatever was hidden is removed with the next thing that is.
      await store.forget([workflowId(9)]);
      await store.close();
      expect(['test_runs', 'test_executions', 'test_case_keys'].map(countRows)).toEqual([2, 2, 2]);
    },
  );

  test('test cases are found in all parts of the index, also after a restart', async () => {
    const [earlier, later] = [workflowId(1), workflowId(2)];
    const all = Array.from({ length: 400 }, (_, number) => testCase(`case ${number}`));
    for (const [id, from, to] of [
      [earlier, 0, 25],
      [later, 0, 25],
      [earlier, 25, 40],
      [later, 25, 40],
    ] as const) {
      const store = await openSqliteStore({ file, limits: { indexPartRows: 4 } });
      for (let seq = from; seq < to; seq += 1) {
        // The first ones come again and again.
        const testCases = [...all.slice(seq * 10, seq * 10 + 10), ...all.slice(0, 2)];
        await store.append(append(id, seq, { projection: { testCases } }));
      }
      await store.close();
    }
    const parts = () => countRows('(SELECT DISTINCT run, part FROM test_case_keys)');
    expect(parts()).toBeGreaterThan(8);
    const executions = all.map((_, number) => (number < 2 ? 41 : 1));
    const store = await openSqliteStore({ file, limits: { purgeRowsMax: 3 } });
    const { items, total } = await store.testCases(later, 0, all.length + 1);
    expect(total).toBe(all.length);
    expect(items.map(({ json }) => json)).toEqual(all.map(({ json }) => json));
    expect(items.map((item) => item.executions)).toEqual(executions);
    const found = await store.earlierExecutions(later, [...all.keys()]);
    expect([...all.keys()].map((number) => found.get(number)?.length)).toEqual(executions);
    for (const id of [earlier, later]) {
      const workflow = workflowRow(id, { live: false });
      await store.append(append(id, 40, { projection: { workflow } }));
    }
    // It waits for what is done after the end of a run.
    await store.forgetExecutions(timestamp(0));
    expect([parts(), countRows('unmerged_runs'), countRows('test_case_keys')]).toEqual([2, 0, 800]);
    expect(await store.earlierExecutions(later, [...all.keys()])).toEqual(found);
    const again = { projection: { testCases: all.slice(0, 399) } };
    await store.append(append(earlier, 41, again));
    expect((await store.testCases(earlier, 398, 2)).items.map((item) => item.executions)).toEqual([
      2, 1,
    ]);
    await store.forget([earlier, later]);
    await store.forgetExecutions(timestamp(9));
    expect(countRows('test_case_keys')).toBe(0);
    await store.close();
  });

  test('a full queue refuses appends and takes them again later', async () => {
    const store = await openSqliteStore({ file, limits: { queueOperationsMax: 2 } });
    const outcomes = await Promise.allSettled(
      [0, 1, 2].map((seq) => store.append(append(RUN, seq))),
    );
    expect(outcomes.map((outcome) => outcome.status)).toEqual([
      'fulfilled',
      'fulfilled',
      'rejected',
    ]);
    expect(await store.append(append(RUN, 2))).toEqual({ outcome: 'appended', seq: 3 });
    await store.close();
  });
});

test('rows of forgotten runs that a stopped server left are removed after the next start', async () => {
  const store = await openSqliteStore({ file, limits: { purgeRowsMax: 10 } });
  const logText = 'line\n'.repeat(10_000);
  const part = { event: 0, textBefore: 0, from: 1, to: 1, prefix: '', bytes: 1, lines: 1 };
  const logParts = Array.from({ length: 50 }, () => part);
  await store.append(append(RUN, 0, { count: 500, projection: { logText, logParts } }));
  const forgotten = store.forget([RUN]);
  await store.close();
  await forgotten;
  expect(countRows('events')).toBeGreaterThan(0);
  const next = await openSqliteStore({ file });
  await next.append(append(RUN, 0));
  await next.forget([workflowId(9)]);
  await next.close();
  const left = ['events', 'log_pages', 'log_parts', 'log_marks', 'forgotten_runs'].map(countRows);
  expect(left).toEqual([1, 0, 0, 0, 0]);
});

test('a part of a log whose event is damaged is not shown, and the rest of the log is', async () => {
  const store = await openSqliteStore({ file });
  const event = { lines: ['x'.repeat(5_000)] };
  const json = JSON.stringify(event);
  const part = logPartOf({ event, json, prefix: '> ', lines: event.lines });
  if (part === null) throw new Error('This line is a part.');
  const logParts = [{ ...part, event: 0, textBefore: 6 }];
  const shown = { logText: 'first\nlast\n', logParts };
  await store.append(append(RUN, 0, { events: [{ kind: 'x', json }], projection: shown }));
  await store.close();
  editDatabase(file, "UPDATE events SET json = '{}'");
  const damaged = await openSqliteStore({ file });
  const readText = async (start: number, end: number) =>
    Buffer.from((await damaged.log(RUN, start, end))?.bytes ?? []).toString();
  await expect(readText(0, 7)).rejects.toThrow(
    'Event 1 of a run has not the output that its log shows.',
  );
  expect(await readText(0, 6)).toBe('first\n');
  expect(await readText(6 + part.bytes, 20_000)).toBe('last\n');
  await damaged.close();
});

test('the index of a run that was over when the server stopped becomes one part after the next start', async () => {
  const limits = { indexPartRows: 4, purgeRowsMax: 1 };
  const store = await openSqliteStore({ file, limits });
  const testCases = Array.from({ length: 100 }, (_, number) => testCase(`case ${number}`));
  const workflow = workflowRow(RUN, { live: false });
  await store.append(append(RUN, 0, { projection: { workflow, testCases } }));
  await store.close();
  expect(countRows('unmerged_runs')).toBe(1);
  const next = await openSqliteStore({ file, limits });
  await next.forgetExecutions(timestamp(0));
  await next.close();
  expect(countRows('(SELECT DISTINCT part FROM test_case_keys)')).toBe(1);
  expect(['test_case_keys', 'unmerged_runs'].map(countRows)).toEqual([100, 0]);
});
