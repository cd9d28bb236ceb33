/**
 * Reads the file of SQLite's write-ahead log as it is, before SQLite opens it. SQLite takes the frames up to the first incomplete one, and
 * silently skips all that follow.
 */
import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs';
import { type Checksum, checksumOf, hasChecksum, NO_CHECKSUM } from './log-checksum.ts';

const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
/** The last bit says which byte of a word comes first in checksums. */
const MAGIC = 0x377f0682;
const PAGE_BYTES_MIN = 512;
const PAGE_BYTES_MAX = 65_536;
/** The page size where the header names none. */
const PAGE_BYTES_USUAL = 4_096;
/** Frames of this size are read at a time. */
const READ_BYTES = 1024 * 1024;

export interface LogScan {
  /** Whether the header is whole. Without one SQLite takes nothing of the log. */
  readonly hasHeader: boolean;
  /** Hexadecimal digits that all frames of one generation of the log share; null without a header. */
  readonly salts: string | null;
  /** The last frame that SQLite takes: it ends a transaction, and all frames before it are whole. */
  readonly committed: number;
  /** Ends of transactions of the same generation behind the first frame that is not whole. */
  readonly endsBehind: number;
}

interface Header {
  readonly salts: string;
  readonly pageBytes: number;
  readonly isLittle: boolean;
  readonly checksum: Checksum;
}

/** A log that is not there is one without frames. */
export function scanLog(file: string): LogScan {
  if (!existsSync(file)) return { hasHeader: false, salts: null, committed: 0, endsBehind: 0 };
  const log = openSync(file, 'r');
  try {
    const header = readHeader(log);
    return header === null ? scanWithout(log) : scanFrames(log, header);
  } finally {
    closeSync(log);
  }
}

function readHeader(log: number): Header | null {
  const bytes = Buffer.alloc(HEADER_BYTES);
  if (readSync(log, bytes, 0, HEADER_BYTES, 0) < HEADER_BYTES) return null;
  const magic = bytes.readUInt32BE(0);
  const pageBytes = bytes.readUInt32BE(8);
  if (magic >>> 1 !== MAGIC >>> 1 || !isPageSize(pageBytes)) return null;
  const isLittle = magic === MAGIC;
  const checksum = checksumOf(bytes.subarray(0, 24), NO_CHECKSUM, isLittle);
  if (!hasChecksum(bytes, 24, checksum)) return null;
  return { salts: bytes.toString('hex', 16, 24), pageBytes, isLittle, checksum };
}

const isPageSize = (bytes: number): boolean =>
  bytes >= PAGE_BYTES_MIN && bytes <= PAGE_BYTES_MAX && (bytes & (bytes - 1)) === 0;

function scanFrames(log: number, { salts, pageBytes, isLittle, checksum }: Header): LogScan {
  let before = checksum;
  let isWhole = true;
  let [committed, endsBehind, number] = [0, 0, 0];
  for (const frame of framesOf(log, pageBytes)) {
    number += 1;
    const isOwn = saltsOf(frame) === salts && frame.readUInt32BE(0) > 0;
    if (isWhole && isOwn) {
      const named = checksumOf(frame.subarray(0, 8), before, isLittle);
      before = checksumOf(frame.subarray(FRAME_HEADER_BYTES), named, isLittle);
    }
    isWhole &&= isOwn && hasChecksum(frame, 16, before);
    if (!isOwn || !endsTransaction(frame)) continue;
    if (isWhole) committed = number;
    else endsBehind += 1;
  }
  return { hasHeader: true, salts, committed, endsBehind };
}

/** Which generation it was, most of the frames say. */
function scanWithout(log: number): LogScan {
  const ends = new Map<string, number>();
  for (const frame of framesOf(log, PAGE_BYTES_USUAL)) {
    const salts = saltsOf(frame);
    if (endsTransaction(frame)) ends.set(salts, (ends.get(salts) ?? 0) + 1);
  }
  const endsBehind = Math.max(0, ...ends.values());
  return { hasHeader: false, salts: null, committed: 0, endsBehind };
}

const saltsOf = (frame: Buffer): string => frame.toString('hex', 8, 16);

/** The size of the database after it; zero within a transaction. */
const endsTransaction = (frame: Buffer): boolean => frame.readUInt32BE(4) > 0;

/** The buffer is the next frame's when that is asked for. An incomplete frame at the end is left out. */
function* framesOf(log: number, pageBytes: number): Generator<Buffer> {
  const frameBytes = FRAME_HEADER_BYTES + pageBytes;
  const perRead = Math.max(1, Math.floor(READ_BYTES / frameBytes));
  const bytes = Buffer.alloc(perRead * frameBytes);
  const { size } = fstatSync(log);
  for (let position = HEADER_BYTES; position + frameBytes <= size; position += bytes.length) {
    const read = readSync(log, bytes, 0, bytes.length, position);
    for (let at = 0; at + frameBytes <= read; at += frameBytes) {
      yield bytes.subarray(at, at + frameBytes);
    }
  }
}
