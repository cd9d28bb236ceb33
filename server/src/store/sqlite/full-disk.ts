/** Recognises errors of the database and the file system about a full disk. */

/** SQLITE_FULL, and SQLITE_IOERR_SHMSIZE for the memory that readers and writer share, which is a file as well. */
const FULL: readonly unknown[] = [13, 4874];

export const isFullDisk = (error: unknown): boolean =>
  error instanceof Error &&
  (('errcode' in error && FULL.includes(error.errcode)) ||
    ('code' in error && error.code === 'ENOSPC'));
