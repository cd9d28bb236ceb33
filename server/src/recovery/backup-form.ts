/** The two forms of a backup, a directory and a file, for making and restoring. */
import type { FileSum } from './backup-manifest.ts';

export interface WrittenFile extends FileSum {
  readonly bytes: number;
}

export interface BackupWriter {
  /** Null when there is no such file any more. */
  addFile(path: string, source: string): Promise<WrittenFile | null>;
  addText(path: string, text: string): Promise<WrittenFile>;
  /** Gives it its name, once all of it is on the disk. */
  finish(): Promise<void>;
  /** Leaves nothing; does nothing after `finish`. */
  discard(): Promise<void>;
}

export interface BackupFile {
  readonly path: string;
  /** To be read to its end before the next file is asked for. */
  readonly content: AsyncIterable<Uint8Array>;
}

export type ReadBackup = (backup: string) => AsyncIterable<BackupFile>;

const PART = '(?!\\.{1,2}(?:/|$))[^/\\0\\\\]+';
const PATH = new RegExp(
  `^(?:store/tutti\\.db|admin\\.token|revoked-tokens\\.json|bucket\\.json|keys/${PART}|blobs/${PART}/${PART}|providers(?:/${PART})+)$`,
);

/** A backup from elsewhere must not write beyond the data directory, nor files that no data directory has. */
export const isPathOfData = (path: string): boolean => PATH.test(path);

/** Name of a backup while it is written, so that nobody takes it for a whole one. */
export const unfinishedName = (output: string): string => `${output}.unfinished-${process.pid}`;
