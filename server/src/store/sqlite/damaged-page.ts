/** Recognises SQLite's errors about a page that is damaged, or that the disk cannot read. */

/** SQLITE_CORRUPT and SQLITE_NOTADB, whatever extends them. */
const DAMAGE: readonly number[] = [11, 26];
/** SQLITE_IOERR_READ, SQLITE_IOERR_SHORT_READ and SQLITE_IOERR_CORRUPTFS. */
const UNREAD: readonly number[] = [266, 522, 8458];

export function isDamagedPage(error: unknown): error is Error {
  const code = error instanceof Error && 'errcode' in error ? Number(error.errcode) : 0;
  return DAMAGE.includes(code & 0xff) || UNREAD.includes(code);
}
