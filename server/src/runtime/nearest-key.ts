/** Finds the configuration key that an unknown key probably means. */
import { nearestName } from '@tutti/manifests/documents';

/** Shorter parts occur in too many names. */
const PART_LENGTH_MIN = 3;

/**
 * The most similar known name: by letters, else by its beginning, else by a part. Null if none is similar. Case, `-` and `_` do
 * not count.
 */
export function likeName(name: string, known: readonly string[]): string | null {
  const letters = plain(name);
  const among = (isLike: (other: string) => boolean): string | null =>
    letters.length < PART_LENGTH_MIN ? null : (known.find((each) => isLike(plain(each))) ?? null);
  return (
    nearestName(name, known) ??
    among((other) => other.startsWith(letters) || letters.startsWith(other)) ??
    among((other) => other.startsWith(singular(letters))) ??
    among((other) => nearestName(letters, [other.slice(0, letters.length)]) !== null) ??
    among((other) => other.includes(letters) || letters.includes(other))
  );
}

/** The singular of plurals in `ies`. */
const singular = (letters: string): string => letters.replace(/ies$/, 'y');

const plain = (name: string): string => name.toLowerCase().replace(/[-_]/g, '');

/** Ends a sentence about an unknown name: with the one that was meant, or with all there are. */
export function suggestion(meant: string | null, known: readonly string[]): string {
  if (meant !== null) return `, did you mean "${meant}"?`;
  return `; none of the known ones is like it: ${known.join(', ')}`;
}
