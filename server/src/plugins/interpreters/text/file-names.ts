/** Names of files of a report, as suites. */
import { nameOf } from './bounded-text.ts';

/** Names whose first path is known; files of further ones share their suites. */
const NAMES_MAX = 10_000;

/**
 * Only the name of a file: folders of a report are those of the workspace of one run, but suites are compared between runs. Files of one
 * name in several folders are told apart by their folders, without those that they share with the first of them.
 */
export class FileNames {
  readonly #first = new Map<string, readonly string[]>();

  /** Null where there is no path. */
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

/** From the folder that both are in, or the name alone where they are the same. */
function relative(parts: readonly string[], first: readonly string[]): string {
  const shared = parts.findIndex((part, index) => part !== first[index]);
  if (shared < 0) return parts.length === first.length ? lastOf(parts) : `./${lastOf(parts)}`;
  return shared === parts.length - 1 ? `./${lastOf(parts)}` : parts.slice(shared).join('/');
}

const lastOf = (parts: readonly string[]): string => parts.at(-1) ?? '';
