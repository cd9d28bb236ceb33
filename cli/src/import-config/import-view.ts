/** Prints an import for people and for programs. */

import type { ImportItem, Outcome, PlannedFile } from '@tutti/import-config';
import { cleanLine } from '@tutti/run-view/text';
import { asCalled } from '../terminal/command-name.ts';

export interface ImportResult {
  /** The directory as the user wrote it. */
  readonly directory: string;
  /** False for a dry run. */
  readonly isWritten: boolean;
  readonly files: readonly PlannedFile[];
  readonly items: readonly ImportItem[];
}

/** Output for programs, without the contents of files. */
export function importDocument({ directory, isWritten, files, items }: ImportResult): object {
  const named = files.map(({ path, isSecret }) => ({ path, secret: isSecret }));
  return { directory, written: isWritten, files: named, items };
}

const TITLES: readonly (readonly [outcome: Outcome, title: string])[] = [
  ['carried', 'Carried over:'],
  ['changed', 'Carried over with a difference:'],
  ['left-out', 'Not carried over:'],
  ['unneeded', 'Not needed:'],
];

/** `command` is how hints name commands. */
export function importText(result: ImportResult, command: string): string {
  const sections = TITLES.map(([outcome, title]) => {
    const items = result.items.filter((item) => item.outcome === outcome);
    return section(title, linesOf(items, command));
  });
  return [section(filesTitle(result), result.files.map(fileLine)), ...sections].join('');
}

/** The same item in several files is one line. */
function linesOf(items: readonly ImportItem[], command: string): readonly string[] {
  const groups = Map.groupBy(items, ({ file: _, ...item }) => JSON.stringify(item));
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const count = new Set(group.map(({ file }) => file)).size - 1;
    const more = count === 0 ? '' : ` and ${count === 1 ? 'another file' : `${count} other files`}`;
    return [asCalled(itemLine({ ...first, file: `${first.file}${more}` }), command)];
  });
}

function filesTitle({ directory, isWritten }: ImportResult): string {
  return isWritten ? `Written to ${directory}:` : `Would be written to ${directory}:`;
}

const section = (title: string, lines: readonly string[]): string =>
  lines.length === 0 ? '' : `${title}\n${lines.map((line) => `  ${cleanLine(line)}\n`).join('')}`;

const fileLine = ({ path, isSecret }: PlannedFile): string =>
  isSecret ? `${path} (has secrets; only you can read it)` : path;

function itemLine({ file, key, to, why, next }: ImportItem): string {
  const where = `${file}: ${key}`;
  if (why === null) return `${where} -> ${to}`;
  return next === null ? `${where}: ${why}` : `${where}: ${why} What to do: ${next}.`;
}
