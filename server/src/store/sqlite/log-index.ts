/**
 * Reads the index of the write-ahead log that a killed server left, the file `-shm`: it counts the committed frames. SQLite writes it after
 * the log is on the disk, and forgets it when the database is opened. It is not synchronized itself, so after a power cut it may be older
 * than the log.
 */
import { existsSync, readFileSync } from 'node:fs';
import { checksumOf, IS_LITTLE, NO_CHECKSUM } from './log-checksum.ts';

/** The header of the index is there twice, so that readers see a change under way. */
const HEADER_BYTES = 48;
const CHECKED_BYTES = 40;
const VERSION = 3_007_000;

export interface LogIndex {
  /** The generation of the log, as in `LogScan`. */
  readonly salts: string;
  /** Frames that were committed. */
  readonly committed: number;
  /** Frames that were copied into the database. */
  readonly copied: number;
}

/** Null where the file is missing, or is not whole. */
export function readLogIndex(file: string): LogIndex | null {
  if (!existsSync(file)) return null;
  const bytes = readFileSync(file).subarray(0, 2 * HEADER_BYTES + 4);
  if (bytes.length < 2 * HEADER_BYTES + 4) return null;
  const header = bytes.subarray(0, HEADER_BYTES);
  if (!header.equals(bytes.subarray(HEADER_BYTES, 2 * HEADER_BYTES))) return null;
  if (wordAt(header, 0) !== VERSION || !isWhole(header)) return null;
  return {
    salts: header.toString('hex', 32, 40),
    committed: wordAt(header, 16),
    copied: wordAt(bytes, 2 * HEADER_BYTES),
  };
}

/** Words of the index are those of the machine. */
const wordAt = (bytes: Buffer, offset: number): number =>
  IS_LITTLE ? bytes.readUInt32LE(offset) : bytes.readUInt32BE(offset);

function isWhole(header: Buffer): boolean {
  const [first, second] = checksumOf(header.subarray(0, CHECKED_BYTES), NO_CHECKSUM, IS_LITTLE);
  return wordAt(header, 40) === first && wordAt(header, 44) === second;
}
