import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { formatTimestamp } from '@tutti/manifests';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { append, jobId, workflowId } from '../../../store/conformance/samples.ts';
import { LOG_MARK_BYTES } from '../../../store/log-marks.ts';
import { openSqliteStore } from '../../../store/sqlite/sqlite-store.ts';
import type { Store } from '../../../store/store.ts';
import { LOG_WINDOW_LIMITS } from '../run-page-limits.ts';
import { lineAfter } from './log-lines.ts';
import { searchLog } from './log-search.ts';
import { logWindow } from './log-window.ts';

const RUN = workflowId(1);
const LINES_PER_WRITE = 50;
const WRITES = 1_200;
const LINES = LINES_PER_WRITE * WRITES;
const START_MS = Date.UTC(2026, 0, 31);
const ALL = { jobId: null, since: null, until: null };

let folder: string;
let store: Store;
let bytesRead = 0;

/** Two jobs print in turns, a write each second. */
const lineOf = (number: number): string => {
  const write = Math.floor((number - 1) / LINES_PER_WRITE);
  const time = formatTimestamp(START_MS + 1_000 * write);
  return `[${time}] [job ${jobId(1 + (write % 2))}] line ${number} ${'é'.repeat(50)}`;
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tutti-window-'));
  store = await openSqliteStore({ file: join(folder, 'tutti.db') });
  const written: Promise<unknown>[] = [];
  for (let write = 0; write < WRITES; write += 1) {
    const numbers = Array.from(
      { length: LINES_PER_WRITE },
      (_, n) => write * LINES_PER_WRITE + n + 1,
    );
    const logText = numbers.map((number) => `${lineOf(number)}\n`).join('');
    written.push(store.append(append(RUN, write, { projection: { logText } })));
  }
  await Promise.all(written);
});

afterAll(async () => {
  await store.close();
  await rm(folder, { recursive: true });
});

/** Counts what is read of the log. */
const source = () => {
  bytesRead = 0;
  return {
    workflowId: RUN,
    store: {
      logPlace: store.logPlace,
      log: async (...slice: Parameters<Store['log']>) => {
        const found = await store.log(...slice);
        bytesRead += found?.bytes.length ?? 0;
        return found;
      },
    },
  };
};

const rowsOf = async (question: Parameters<typeof logWindow>[1]) => {
  const { details } = await logWindow(source(), question);
  // The answer is that of the window.
  return details as { items: [number, string, string, string][]; next: number | null };
};

test.each([1, 2, 500, 30_001, LINES - 499, -1, -500])(
  'lines from %i on are read without those before',
  async (from) => {
    const { items } = await rowsOf({ from, count: 500, ...ALL });
    const first = from < 0 ? LINES + 1 + from : from;
    const numbers = Array.from({ length: Math.min(500, LINES + 1 - first) }, (_, n) => first + n);
    const lines = items.map(([number, time, job, text]) => [
      number,
      `[${time}] [job ${job}] ${text}`,
    ]);
    expect(lines).toEqual(numbers.map((number) => [number, lineOf(number)]));
    expect(bytesRead).toBeLessThan(2 * LOG_MARK_BYTES + 3 * 256 * 1024);
  },
);

test('lines of a job are those between the lines of others', async () => {
  const { items, next } = await rowsOf({ from: 1_000, count: 120, ...ALL, jobId: jobId(1) });
  expect(items).toHaveLength(120);
  expect(new Set(items.map(([, , job]) => job))).toEqual(new Set([jobId(1)]));
  expect(items[0]?.[0]).toBe(1_001);
  expect(next).toBe(1_221);
});

test('a search for lines of a job ends after some MiB, and says where to go on', async () => {
  const filter = { count: 10, ...ALL, jobId: jobId(9) };
  const first = await rowsOf({ from: 1, ...filter });
  expect(first.items).toEqual([]);
  expect(bytesRead).toBeLessThan(LOG_WINDOW_LIMITS.searchedBytes + 1024 * 1024);
  const second = await rowsOf({ from: first.next ?? 0, ...filter });
  expect(second).toMatchObject({ items: [], next: null });
});

test('the first line behind a time is found by a few looks', async () => {
  for (const write of [0, 1, 600, WRITES - 1]) {
    const time = formatTimestamp(START_MS + 1_000 * write + 1);
    expect(await lineAfter(source(), time)).toBe((write + 1) * LINES_PER_WRITE + 1);
    expect(bytesRead).toBeLessThan(20 * 300 * 1024);
  }
});

test('a search counts all lines, and lists the first hits at once', async () => {
  const question = { text: 'line 4', isPattern: false, ignoresCase: false, limit: 1_000, ...ALL };
  const parts: { hits?: unknown[]; count?: number; buckets?: number[] }[] = [];
  for await (const piece of await searchLog(source(), question)) parts.push(JSON.parse(piece));
  const count = Array.from({ length: LINES }, (_, n) => lineOf(n + 1)).filter((line) =>
    line.includes('line 4'),
  ).length;
  expect(parts.length).toBeGreaterThan(2);
  expect(parts.flatMap(({ hits = [] }) => hits)).toHaveLength(1_000);
  expect(parts.at(-1)?.count).toBe(count);
  expect(parts.at(-1)?.buckets?.reduce((sum, hits) => sum + hits, 0)).toBe(count);
});

test('a long line is cut between two characters, and its rest has a place', async () => {
  const long = `x${'é'.repeat(6_000)}`;
  const id = workflowId(2);
  await store.append(append(id, 0, { projection: { logText: `first\n${long}\nlast\n` } }));
  const { details } = await logWindow({ store, workflowId: id }, { from: 1, count: 9, ...ALL });
  const { items } = details as { items: (string | number)[][] };
  expect(items.map(([number]) => number)).toEqual([1, 2, 3]);
  const [, , , text = '', rest = 0] = items[1] ?? [];
  const slice = await store.log(id, Number(rest), 6 + Buffer.byteLength(long));
  expect(`${text}${Buffer.from(slice?.bytes ?? [])}`).toBe(long);
  expect(Buffer.byteLength(String(text))).toBeLessThanOrEqual(LOG_WINDOW_LIMITS.lineBytes);
});

test('a log that an earlier version began has no numbers', async () => {
  const old = { ...store, logPlace: async () => ({ line: 0, byte: 0, lines: null, bytes: 9 }) };
  await expect(
    logWindow({ store: old, workflowId: RUN }, { from: 1, count: 1, ...ALL }),
  ).rejects.toMatchObject({ reason: 'Conflict' });
});
