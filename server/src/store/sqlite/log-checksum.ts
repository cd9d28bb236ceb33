/**
 * The checksum of SQLite's write-ahead log (its file format, 4.2). It covers pairs of 32-bit words. Each checksum continues the previous
 * one.
 */
import { endianness } from 'node:os';

export type Checksum = readonly [first: number, second: number];

export const NO_CHECKSUM: Checksum = [0, 0];

/** Whether this machine has the low byte of a word first. */
export const IS_LITTLE = endianness() === 'LE';

/** `bytes` has a multiple of eight bytes. */
export function checksumOf(bytes: Buffer, before: Checksum, isLittle: boolean): Checksum {
  let [first, second] = before;
  const { buffer, byteOffset, length } = bytes;
  const words = new DataView(buffer, byteOffset, length);
  for (let offset = 0; offset < length; offset += 8) {
    first = (first + words.getUint32(offset, isLittle) + second) >>> 0;
    second = (second + words.getUint32(offset + 4, isLittle) + first) >>> 0;
  }
  return [first, second];
}

/** Whether the two words at this offset are the checksum, which stands there with the high byte first. */
export function hasChecksum(bytes: Buffer, offset: number, [first, second]: Checksum): boolean {
  return bytes.readUInt32BE(offset) === first && bytes.readUInt32BE(offset + 4) === second;
}
