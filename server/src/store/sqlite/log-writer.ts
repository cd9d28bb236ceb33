/** Writes the execution log of a run: text into pages, and rows for its parts. */
import { Buffer } from 'node:buffer';
import type { DatabaseSync } from 'node:sqlite';
import { isMarked, linesIn } from '../log-marks.ts';
import type { Projection } from '../store.ts';
import { LOG_PAGE_BYTES, logPageOf } from './log-pages.ts';
import { rowId } from './row-ids.ts';

interface LogLength {
  readonly logBytes: number;
  /** Bytes of it whose text is in events. */
  readonly partBytes: number;
  /** Null for a log that an earlier version began. */
  readonly logLines: number | null;
}

/** A run before an append. */
interface GrowingRun extends LogLength {
  readonly run: number;
  readonly events: number;
}

/** Appends to the log of a run, and answers its new length. */
type WriteLog = (run: GrowingRun, added: Pick<Projection, 'logText' | 'logParts'>) => LogLength;

export function createLogWriter(db: DatabaseSync): WriteLog {
  const writeText = createTextWriter(db);
  const addPart = db.prepare(
    `INSERT INTO log_parts (run, start, bytes, text_start, event, lines_from, lines_to, prefix)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const addMark = db.prepare('INSERT INTO log_marks (run, line, byte) VALUES (?, ?, ?)');
  return ({ run, events, logBytes, partBytes, logLines }, { logText, logParts = [] }) => {
    let textBytes = logBytes - partBytes;
    let added = 0;
    let written = 0;
    for (const { event, from, to, prefix, bytes, textBefore } of logParts) {
      textBytes = writeText(run, textBytes, logText.slice(written, textBefore));
      written = textBefore;
      const start = textBytes + partBytes + added;
      addPart.run(run, start, bytes, textBytes, events + event + 1, from, to, prefix);
      added += bytes;
    }
    textBytes = writeText(run, textBytes, logText.slice(written));
    const length = textBytes + partBytes + added;
    const printed = logParts.reduce((sum, { lines }) => sum + lines, linesIn(logText));
    const lines = logLines === null ? null : logLines + printed;
    if (lines !== null && isMarked(logBytes, length)) addMark.run(run, lines, length);
    return { logBytes: length, partBytes: partBytes + added, logLines: lines };
  };
}

/**
 * Appends `text` to a text of `length` bytes and answers the new length. It fills the last page, then adds pages: many small appends thus
 * leave no small rows behind.
 */
type WriteText = (run: number, length: number, text: string) => number;

function createTextWriter(db: DatabaseSync): WriteText {
  const addPage = db.prepare('INSERT INTO log_pages (id, bytes) VALUES (?, ?)');
  // Concatenation gives text, whatever it is given; the cast back keeps the bytes, also half a character.
  const growPage = db.prepare('UPDATE log_pages SET bytes = CAST(bytes || ? AS BLOB) WHERE id = ?');
  return (run, length, text) => {
    if (text === '') return length;
    const bytes = Buffer.from(text);
    let written = 0;
    while (written < bytes.length) {
      const { page, within } = logPageOf(length + written);
      const part = bytes.subarray(written, written + LOG_PAGE_BYTES - within);
      if (within === 0) addPage.run(rowId(run, page), part);
      else growPage.run(part, rowId(run, page));
      written += part.length;
    }
    return length + bytes.length;
  };
}
