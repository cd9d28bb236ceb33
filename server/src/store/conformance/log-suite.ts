/** The execution log: slices of it, of text and of parts, and for those who follow it. */
import { Buffer } from 'node:buffer';
import { describe, expect } from 'vitest';
import { LOG_MARK_BYTES } from '../log-marks.ts';
import { logPartOf } from '../log-part.ts';
import type { Append, PlacedLogPart, Store } from '../store.ts';
import { append, workflowId } from './samples.ts';
import type { StoreTest } from './store-target.ts';

const RUN = workflowId(1);

export function describeLogs(storeTest: StoreTest): void {
  describe('logs', () => {
    describeText(storeTest);
    describeParts(storeTest);
  });
}

/** Lines of two, three and four byte characters, so that any border of pages falls into one somewhere. */
const LINES = Array.from(
  { length: 400 },
  (_, number) => `${number} é€𝄞 ${'ü'.repeat(number % 40)}\n`,
);

function describeText(storeTest: StoreTest): void {
  storeTest('slices of the log are its bytes, in any range', async ({ store }) => {
    const large = LINES.join('');
    const parts = ['first\n', ...LINES, large, '', 'last\n'];
    for (const [seq, logText] of parts.entries()) {
      void store.append(append(RUN, seq, { projection: { logText } }));
    }
    await store.append(append(RUN, parts.length));
    const whole = Buffer.from(parts.join(''));
    const total = whole.length;
    for (const [start, end] of rangesOf(total)) {
      const slice = await store.log(RUN, start, end);
      expect(slice?.total).toBe(total);
      expect(Buffer.from(slice?.bytes ?? []).equals(whole.subarray(start, end))).toBe(true);
    }
  });

  const pastTheEnd: readonly (readonly [number, number, string])[] = [
    [0, 100, 'abc\n'],
    [2, 100, 'c\n'],
    [4, 100, ''],
    [50, 100, ''],
    [2, 2, ''],
    [3, 1, ''],
  ];
  for (const [start, end, text] of pastTheEnd) {
    storeTest(
      `of a log of 4 bytes, ${start} to ${end} is ${JSON.stringify(text)}`,
      async ({ store }) => {
        await store.append(append(RUN, 0, { projection: { logText: 'abc\n' } }));
        const slice = await store.log(RUN, start, end);
        expect(Buffer.from(slice?.bytes ?? []).toString()).toBe(text);
        expect(slice?.total).toBe(4);
      },
    );
  }

  storeTest('the log keeps characters that texts seldom have', async ({ store }) => {
    const logText = 'nul \u0000, escape \u001b[31m, bom \ufeff, lone surrogate \ud800\n';
    await store.append(append(RUN, 0, { projection: { logText } }));
    await store.append(append(RUN, 1, { projection: { logText } }));
    const slice = await store.log(RUN, 0, 1_000);
    expect(Buffer.from(slice?.bytes ?? [])).toEqual(Buffer.from(logText + logText));
  });
}

/** Lists of lines that a part may have: plain ones, and characters that JSON escapes. */
const PRINTED: readonly (readonly string[])[] = [
  Array.from({ length: 300 }, (_, number) => `line ${number} `),
  LINES.map((line) => line.trimEnd()),
  [...LINES.map((line) => `\u001b[31m"${line.trimEnd()}"\\n`), '', 'lone surrogate \ud800', ''],
  ['x'.repeat(20_000)],
  ['x'.repeat(300_000)],
];

/** An append with text, a part for each list, and text behind each. */
function appendPrinted(seq: number): { readonly appended: Append; readonly text: string } {
  const prefix = '[now] [job $& $1] ';
  const events: Append['events'][number][] = [];
  const logParts: PlacedLogPart[] = [];
  let [logText, text] = ['before\n', 'before\n'];
  for (const [event, lines] of PRINTED.entries()) {
    const printed = { metadata: { seq, lines: [] }, spec: { lines, stderr: [[1, 2]] } };
    const json = JSON.stringify(printed);
    const part = logPartOf({ event: printed, json, prefix, lines });
    if (part === null) throw new Error('These lines are a part.');
    events.push({ kind: 'Notification', json });
    logParts.push({ ...part, event, textBefore: logText.length });
    logText += `behind ${event} é\n`;
    text += `${lines.map((line) => `${prefix}${line}\n`).join('')}behind ${event} é\n`;
  }
  return { appended: append(RUN, seq, { events, projection: { logText, logParts } }), text };
}

function describeParts(storeTest: StoreTest): void {
  const isSlice = async (store: Store, whole: Buffer, [start, end]: readonly [number, number]) => {
    const slice = await store.log(RUN, start, end);
    expect(slice?.total).toBe(whole.length);
    expect(Buffer.from(slice?.bytes ?? []).equals(whole.subarray(start, end))).toBe(true);
  };
  const grow = async (store: Store) => {
    const texts: string[] = [];
    await store.append(append(RUN, 0, { projection: { logText: LINES.join('') } }));
    texts.push(LINES.join(''));
    for (const seq of [1, 1 + PRINTED.length]) {
      const { appended, text } = appendPrinted(seq);
      await store.append(appended);
      texts.push(text);
    }
    return Buffer.from(texts.join(''));
  };
  const everywhere = (total: number) => {
    const far = Array.from({ length: 400 }, (_, index) => Math.floor((index * total) / 400));
    return [...rangesOf(total), ...far.map((start) => [start, start + 5_000] as const)];
  };

  storeTest('text that is in the events is read from them, in any range', async (place) => {
    const whole = await grow(place.store);
    const store = await place.reopen();
    for (const range of everywhere(whole.length)) await isSlice(store, whole, range);
  });

  storeTest('a log that somebody follows is the same one', async ({ store }) => {
    const leave = store.followLog(RUN);
    const alsoLeave = store.followLog(RUN);
    const whole = await grow(store);
    for (const range of everywhere(whole.length)) await isSlice(store, whole, range);
    await isSlice(store, whole, [whole.length, whole.length + 1]);
    leave();
    await isSlice(store, whole, [0, whole.length]);
    alsoLeave();
    await isSlice(store, whole, [0, whole.length]);
  });

  storeTest('each line of it has a known place before it, soon', async (place) => {
    const whole = await grow(place.store);
    for (let seq = 1 + 2 * PRINTED.length, round = 0; round < 6; round += 1) {
      const { appended, text } = appendPrinted(seq);
      seq += PRINTED.length;
      await place.store.append(appended);
      expect(text.length).toBeGreaterThan(LOG_MARK_BYTES);
    }
    const store = await place.reopen();
    const log = Buffer.from((await store.log(RUN, 0, Number.MAX_SAFE_INTEGER))?.bytes ?? []);
    expect(log.subarray(0, whole.length).equals(whole)).toBe(true);
    const begins = beginsOf(log);
    const [lines, bytes] = [begins.length, log.length];
    const longest = appendPrinted(0).text.length + LOG_MARK_BYTES;
    for (let line = 0; line <= lines; line += 97) {
      const found = await store.logPlace(RUN, line);
      expect(found).toMatchObject({ lines, bytes, byte: begins[found?.line ?? -1] ?? bytes });
      expect(found?.line).toBeLessThanOrEqual(line);
      expect((begins[line] ?? bytes) - (found?.byte ?? 0)).toBeLessThan(2 * longest);
    }
    expect(await store.logPlace(workflowId(9), 0)).toBeNull();
    await store.forget([RUN]);
    expect(await store.logPlace(RUN, 0)).toBeNull();
  });

  storeTest('a log without lines has a place', async ({ store }) => {
    await store.append(append(RUN, 0, {}));
    expect(await store.logPlace(RUN, 5)).toEqual({ line: 0, byte: 0, lines: 0, bytes: 0 });
  });

  storeTest('a forgotten run has no log for those who follow it', async ({ store }) => {
    store.followLog(RUN);
    await grow(store);
    await store.forget([RUN]);
    expect(await store.log(RUN, 0, 10)).toBeNull();
    await store.append(append(RUN, 0, { projection: { logText: 'anew\n' } }));
    await isSlice(store, Buffer.from('anew\n'), [0, 10]);
  });
}

/** Where each line begins. */
function beginsOf(log: Buffer): readonly number[] {
  const begins: number[] = [];
  for (let at = 0; at < log.length; at = log.indexOf('\n', at) + 1) begins.push(at);
  return begins;
}

function rangesOf(total: number): readonly (readonly [number, number])[] {
  const starts = [0, 1, 3_999, 4_000, 4_001, 8_191, 8_192, total - 1];
  const borders = Array.from({ length: 60 }, (_, index) => index * 173);
  return [...starts, ...borders].flatMap((start) => [
    [start, start + 1] as const,
    [start, start + 4_096] as const,
    [start, total] as const,
  ]);
}
