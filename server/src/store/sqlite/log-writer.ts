/** Appends to the execution log: fills the last page, then adds pages. Many small appends thus leave no small rows behind. */
import { Buffer } from 'node:buffer';
import type { DatabaseSync } from 'node:sqlite';
import { LOG_PAGE_BYTES, logPageOf } from './log-pages.ts';
import { rowId } from './row-ids.ts';

/** Appends `text` to a log of `length` bytes and answers the new length. */
export type WriteLog = (run: number, length: number, text: string) => number;

export function createLogWriter(db: DatabaseSync): WriteLog {
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
