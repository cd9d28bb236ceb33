/** Ids that follow from a name: work that is repeated after a crash gives things the same ids again. */
import { createHash } from 'node:crypto';

/** A UUID in the layout of version 5. The name should say what it is the name of, so that two kinds of things never share one. */
export function derivedId(name: string): string {
  const hash = createHash('sha1').update(name).digest();
  hash.writeUInt8(((hash[6] ?? 0) & 0x0f) | 0x50, 6);
  hash.writeUInt8(((hash[8] ?? 0) & 0x3f) | 0x80, 8);
  const hex = hash.toString('hex');
  const groups = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20)];
  return [...groups, hex.slice(20, 32)].join('-');
}
