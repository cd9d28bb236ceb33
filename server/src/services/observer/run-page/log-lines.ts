/** Reads an execution log line by line, from any line on. Marks of the store lead there, and the text before is not read. */
import { Buffer } from 'node:buffer';
import { OrchestratorError, type WorkflowId, workflowNotFound } from '@tutti/manifests';
import { NO_JOB_ID } from '@tutti/workflow/execution-log';
import { Turns } from '../../../runtime/turns.ts';
import type { LogPlace, Store } from '../../../store/store.ts';

/** Bytes read from the store at a time. */
const SLICE = 256 * 1024;
export const LINE_FEED = 10;
const NOTHING = Buffer.alloc(0);

export interface LogSource {
  readonly store: Pick<Store, 'log' | 'logPlace'>;
  readonly workflowId: WorkflowId;
}

/** Numbered lines have a place, and a log has a number of them. */
export interface NumberedLog extends LogPlace {
  readonly lines: number;
}

/** The last known place at or before that line, from 1. Throws `NotFound`, and `Conflict` for a log without numbers. */
export async function placeOf(
  { store, workflowId }: LogSource,
  number: number,
): Promise<NumberedLog> {
  const place = await store.logPlace(workflowId, Math.max(0, number - 1));
  if (place === null) throw workflowNotFound(workflowId);
  const { lines } = place;
  if (lines !== null) return { ...place, lines };
  throw new OrchestratorError(
    'Conflict',
    `The lines of this log have no numbers, because an earlier version began it. What to do: read it with GET /workflows/${workflowId}/logs.`,
  );
}

/** A line without its line feed. */
export interface LogLine {
  /** From 1. */
  readonly number: number;
  /** Where it begins in the log. */
  readonly byte: number;
  readonly content: Buffer;
}

/** Whole lines. */
export interface LogStretch {
  /** Number of the line before, from 1. */
  readonly before: number;
  readonly lines: number;
  /** Where it begins in the log. */
  readonly byte: number;
  readonly content: Buffer;
}

/** The log from a place up to a byte, a read at a time. Others get their turn in between. */
export async function* stretchesFrom(
  { store, workflowId }: LogSource,
  { line, byte }: Pick<LogPlace, 'line' | 'byte'>,
  end: number,
): AsyncGenerator<LogStretch> {
  const turns = new Turns();
  let before = line;
  let rest: Buffer = NOTHING;
  for (let at = byte; at < end; ) {
    const slice = await store.log(workflowId, at, Math.min(at + SLICE, end));
    if (slice === null || slice.bytes.length === 0) throw workflowNotFound(workflowId);
    const begin = at - rest.length;
    const bytes = rest.length === 0 ? asBuffer(slice.bytes) : Buffer.concat([rest, slice.bytes]);
    const content = bytes.subarray(0, bytes.lastIndexOf(LINE_FEED) + 1);
    const lines = feedsIn(content);
    if (turns.isOver) await turns.next();
    yield { before, lines, byte: begin, content };
    before += lines;
    rest = bytes.subarray(content.length);
    at += slice.bytes.length;
  }
}

function feedsIn(bytes: Buffer): number {
  let feeds = 0;
  for (let at = bytes.indexOf(LINE_FEED); at !== -1; at = bytes.indexOf(LINE_FEED, at + 1)) {
    feeds += 1;
  }
  return feeds;
}

export function* linesOf({ before, byte, content }: LogStretch): Generator<LogLine> {
  let number = before;
  for (let from = 0; from < content.length; ) {
    const to = content.indexOf(LINE_FEED, from);
    number += 1;
    yield { number, byte: byte + from, content: content.subarray(from, to) };
    from = to + 1;
  }
}

/** The lines from a place up to a byte, as many at a time as one read gives. */
export async function* linesFrom(
  ...range: Parameters<typeof stretchesFrom>
): AsyncGenerator<readonly LogLine[]> {
  for await (const stretch of stretchesFrom(...range)) yield [...linesOf(stretch)];
}

const asBuffer = ({ buffer, byteOffset, length }: Uint8Array): Buffer =>
  Buffer.from(buffer, byteOffset, length);

/** `[<timestamp>] [job <job_id>] `, as lines begin unless the labels of the run say otherwise. */
const TIME = { from: 1, to: 27 } as const;
const JOB = { from: 34, to: 70 } as const;
const PREFIX = /^\[(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6})\] \[job ([0-9a-f-]{36})\] $/;
const PREFIX_LENGTH = 72;

export interface ReadLine {
  readonly time: string | null;
  /** Null for a line about the run. */
  readonly jobId: string | null;
  /** Length of what stands before the text, in bytes. */
  readonly before: number;
}

const BARE: ReadLine = { time: null, jobId: null, before: 0 };

export function readLine({ content }: LogLine): ReadLine {
  const [, time, jobId] = PREFIX.exec(content.toString('latin1', 0, PREFIX_LENGTH)) ?? [];
  if (time === undefined || jobId === undefined) return BARE;
  return { time, jobId: jobId === NO_JOB_ID ? null : jobId, before: PREFIX_LENGTH };
}

/** Answers where the text of a line begins. Lines of one output begin with the same bytes, which are read once. */
export function createTextBegin(content: Buffer): (from: number, to: number) => number {
  let known = -1;
  const isSame = (from: number): boolean => {
    for (let at = 0; at < PREFIX_LENGTH; at += 1) {
      if (content[from + at] !== content[known + at]) return false;
    }
    return true;
  };
  return (from, to) => {
    if (to - from < PREFIX_LENGTH) return from;
    if (known === -1 || !isSame(from)) {
      if (!PREFIX.test(content.toString('latin1', from, from + PREFIX_LENGTH))) return from;
      known = from;
    }
    return from + PREFIX_LENGTH;
  };
}

/** Lines of a job, within a span of time. */
export interface LineFilter {
  readonly jobId: string | null;
  readonly since: string | null;
  /** Null while it goes on. */
  readonly until: string | null;
}

/** Bytes of lines are compared, since most of them have to be passed over. */
export function createLineFilter({ jobId, since, until }: LineFilter): (line: LogLine) => boolean {
  if (jobId === null) return () => true;
  return ({ content }) => {
    if (content.toString('latin1', JOB.from, JOB.to) !== jobId) return false;
    if (since === null) return true;
    const time = content.toString('latin1', TIME.from, TIME.to);
    return time >= since && (until === null || time <= until);
  };
}

/** Number of the first line that is later than a time: lines stand in the order of their times. One more than the lines if there is none. */
export async function lineAfter(source: LogSource, time: string): Promise<number> {
  const { lines, bytes } = await placeOf(source, 1);
  let [from, to] = [1, lines + 1];
  while (from < to) {
    const middle = Math.floor((from + to) / 2);
    const found = await timeAt(source, middle, bytes);
    if (found === null || found <= time) from = middle + 1;
    else to = middle;
  }
  return from;
}

async function timeAt(source: LogSource, number: number, end: number): Promise<string | null> {
  for await (const lines of linesFrom(source, await placeOf(source, number), end)) {
    const line = lines.find((each) => each.number === number);
    if (line !== undefined) return readLine(line).time;
  }
  return null;
}
