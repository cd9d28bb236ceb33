/** Ids that follow from a name: repeated work after a crash creates the same ids. */
import { hash } from 'node:crypto';

const VARIANTS = ['8', '9', 'a', 'b'];

/** A UUID in the layout of version 5. The name should begin with its kind, so that two kinds of things never share one. */
export function derivedId(name: string): string {
  const hex = hash('sha1', name, 'hex');
  const variant = VARIANTS[Number.parseInt(hex.charAt(16), 16) & 3];
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
