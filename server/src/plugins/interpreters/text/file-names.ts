/** Names of files of a report, as suites. */
import { nameOf } from './bounded-text.ts';

/** Limit of names with a known first path; files beyond it share their suites. */
const NAMES_MAX = 10_000;

/**
 * Shortens a file to its name, because suites are compared between runs, whose folders differ. Files of one name in several
 * folders keep the folders that differ from the first.
 */
export class FileNames {
  readonly #first = new Map<string, readonly string[]>();

  /** Null without a path. */
  nameOf(path: string | undefined): string | null {
    const parts = nameOf(path).split(/[\\/]/);
    const name = parts.at(-1) ?? '';
    if (name === '') return null;
    const first = this.#first.get(name);
    if (first !== undefined) return relative(parts, first);
    if (this.#first.size < NAMES_MAX) this.#first.set(name, parts);
    return name;
  }
}

/** The path from the common folder, or the name alone if both are the same. */
function relative(parts: readonly string[], first: readonly string[]): string {
  const shared = parts.findIndex((part, index) => part !== first[index]);
  if (shared < 0) return parts.length === first.length ? lastOf(parts) : `./${lastOf(parts)}`;
  return shared === parts.length - 1 ? `./${lastOf(parts)}` : parts.slice(shared).join('/');
}

const lastOf = (parts: readonly string[]): string => parts.at(-1) ?? '';
