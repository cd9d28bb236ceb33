/** Finds the start of the wanted lines in a log. It reads backwards, block by block, so that it need not read a large log. */
import type { Client } from '@tutti/client';
import { type LogLine, readLogLine } from './log-line.ts';

export interface WantedEnd {
  /** Number of wanted lines; absent, all. */
  readonly count: number;
  /** Whether a line counts; asked for lines that `learn` was given. */
  readonly isCounted: (line: LogLine) => boolean;
  /** Number of wanted lines to include before the first one. */
  readonly context: number;
  readonly isWanted: (line: LogLine) => boolean;
  /** Whether this line and all earlier ones are too old. */
  readonly isTooOld: (line: LogLine) => boolean;
  readonly learn: (lines: readonly LogLine[]) => Promise<void>;
}

export const BLOCK_BYTES = 256 * 1024;
const LINE_FEED = 0x0a;

/** Byte offset of the first wanted line; 0 if all are wanted. */
export async function findStart(
  client: Pick<Client, 'logPart'>,
  workflowId: string,
  wanted: WantedEnd,
): Promise<number> {
  let part = await client.logPart(workflowId, { last: BLOCK_BYTES });
  // The end of a line that begins in the block before.
  let tail: Uint8Array = new Uint8Array();
  let left = wanted.count;
  let around = wanted.context;
  for (;;) {
    const block = Buffer.concat([part.bytes, tail]);
    const first = part.start === 0 ? 0 : block.indexOf(LINE_FEED) + 1 || block.length;
    const places = linesOf(block, first);
    await wanted.learn(places.map(({ line }) => line));
    for (const { line, start, end } of places.toReversed()) {
      if (wanted.isTooOld(line)) return part.start + end;
      if (left === 0 && wanted.isWanted(line)) around -= 1;
      if (left > 0 && wanted.isCounted(line)) left -= 1;
      if (left === 0 && around <= 0) return part.start + start;
    }
    if (part.start === 0) return 0;
    tail = block.subarray(0, first);
    const start = Math.max(0, part.start - BLOCK_BYTES);
    part = await client.logPart(workflowId, { start, end: part.start });
  }
}

interface Place {
  readonly line: LogLine;
  readonly start: number;
  /** Index behind its line feed. */
  readonly end: number;
}

function linesOf(block: Buffer, first: number): readonly Place[] {
  const places: Place[] = [];
  for (let start = first; start < block.length; ) {
    const feed = block.indexOf(LINE_FEED, start);
    const end = feed === -1 ? block.length : feed + 1;
    const text = block.toString('utf8', start, feed === -1 ? end : feed);
    places.push({ line: readLogLine(text), start, end });
    start = end;
  }
  return places;
}
