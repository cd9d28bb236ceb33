/** Reads slices of execution logs: text from pages, and parts from their events. */
import type { Buffer } from 'node:buffer';
import type { DatabaseSync } from 'node:sqlite';
import { type LogPart, roomForLog, writeLogPart } from '../log-part.ts';
import type { LogPlace, LogSlice } from '../store.ts';
import { LOG_PAGE_BYTES, logPageOf } from './log-pages.ts';
import { prepareQuery, type Query } from './query.ts';
import { rowId, rowNumber } from './row-ids.ts';

interface LoggedRun {
  readonly run: number;
  readonly logBytes: number;
  readonly partBytes: number;
}

/** The last place at or before a line of a log. */
type FindPlace = (run: { readonly run: number }, line: number) => Pick<LogPlace, 'line' | 'byte'>;

export function createPlaceReader(db: DatabaseSync): FindPlace {
  const query = prepareQuery<Pick<LogPlace, 'line' | 'byte'>>(
    db,
    'SELECT line, byte FROM log_marks WHERE run = ? AND line <= ? ORDER BY line DESC LIMIT 1',
  );
  return ({ run }, line) => query.get(run, line) ?? { line: 0, byte: 0 };
}

export interface StoredPart extends LogPart {
  /** Place in the log. */
  readonly start: number;
  /** Place in the text of the pages, where it stands between two bytes. */
  readonly textStart: number;
  readonly event: number;
}

const SELECT_PARTS = `SELECT start, bytes, text_start AS textStart, event, lines_from AS "from",
  lines_to AS "to", prefix FROM log_parts WHERE run = ?`;

/** All parts of the log of a run, in their order. */
export const createPartQuery = (db: DatabaseSync): Query<StoredPart> =>
  prepareQuery<StoredPart>(db, `${SELECT_PARTS} ORDER BY start`);

type ReadLog = (run: LoggedRun, start: number, end: number) => LogSlice;

export function createLogReader(db: DatabaseSync): ReadLog {
  // From the last part that begins at or before a place.
  const partsOf = prepareQuery<StoredPart>(
    db,
    `${SELECT_PARTS} AND start < ? AND start >= coalesce(
       (SELECT max(start) FROM log_parts WHERE run = ? AND start <= ?), 0) ORDER BY start`,
  );
  const readText = createTextReader(db);
  const readPart = createPartReader(db);
  return ({ run, logBytes, partBytes }, start, end) => {
    const from = Math.max(0, start);
    const to = Math.min(end, logBytes);
    const bytes = new Uint8Array(Math.max(0, to - from));
    const slice = { bytes, total: logBytes };
    if (bytes.length === 0) return slice;
    let at = from;
    let partsBefore = 0;
    const takeText = (until: number) => {
      if (until > at) readText(run, at - partsBefore, bytes.subarray(at - from, until - from));
      at = Math.max(at, until);
    };
    for (const part of partBytes === 0 ? [] : partsOf.all(run, to, run, from)) {
      partsBefore = part.start - part.textStart;
      takeText(part.start);
      const partEnd = Math.min(part.start + part.bytes, to);
      if (partEnd > at) {
        const text = readPart(run, part).subarray(at - part.start, partEnd - part.start);
        bytes.set(text, at - from);
        at = partEnd;
      }
      partsBefore += part.bytes;
    }
    takeText(to);
    return slice;
  };
}

/** Fills `target` with the text from that place on. Pages that are missing leave zeros. */
export function createTextReader(db: DatabaseSync) {
  const query = prepareQuery<{ readonly id: number; readonly bytes: Uint8Array }>(
    db,
    'SELECT id, bytes FROM log_pages WHERE id BETWEEN ? AND ?',
  );
  return (run: number, start: number, target: Uint8Array): void => {
    const end = start + target.length;
    const [first, last] = [logPageOf(start).page, logPageOf(end - 1).page];
    for (const { id, bytes } of query.all(rowId(run, first), rowId(run, last))) {
      const place = rowNumber(id) * LOG_PAGE_BYTES;
      const within = bytes.subarray(Math.max(0, start - place), end - place);
      target.set(within, Math.max(0, place - start));
    }
  };
}

/** Reads the text of a part. Throws if that is not what the log was told. */
export function createPartReader(db: DatabaseSync) {
  const query = prepareQuery<{ readonly json: string }>(db, 'SELECT json FROM events WHERE id = ?');
  // Readers take a part in several slices.
  let latest: { readonly run: number; readonly start: number; readonly text: Buffer } | null = null;
  return (run: number, part: StoredPart): Buffer => {
    if (latest?.run === run && latest.start === part.start) return latest.text;
    const json = query.get(rowId(run, part.event))?.json ?? '';
    const room = roomForLog(part.bytes);
    if (!writeLogPart(room, json, part)) {
      throw new Error(`Event ${part.event} of a run has not the output that its log shows.`);
    }
    const text = room.subarray(0, part.bytes);
    latest = { run, start: part.start, text };
    return text;
  };
}
