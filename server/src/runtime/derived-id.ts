/** Ids that follow from a name: work that is repeated after a crash gives things the same ids again. */
import { hash } from 'node:crypto';

const VARIANTS = ['8', '9', 'a', 'b'];

/** A UUID in the layout of version 5. The name should say what it is the name of, so that two kinds of things never share one. */
export function derivedId(name: string): string {
  const hex = hash('sha1', name, 'hex');
  const variant = VARIANTS[Number.parseInt(hex.charAt(16), 16) & 3];
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
