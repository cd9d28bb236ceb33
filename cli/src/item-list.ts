/** Lists of what a command found, for people and for programs. */
import { Option } from 'commander';
import type { Io } from './io.ts';
import { printDocument, printYaml } from './output-format.ts';
import { cleanLine } from './run-view/style.ts';
import { renderTable } from './table.ts';

const LIST_FORMATS = ['table', 'wide', 'json', 'yaml'] as const;
export type ListFormat = (typeof LIST_FORMATS)[number];

export function listOption(): Option {
  return new Option('-o, --output <format>', 'wide: with all columns; json, yaml: for programs')
    .choices(LIST_FORMATS)
    .default('table' satisfies ListFormat);
}

/** An entry of the items, which is a column in capitals, too. */
export interface Column {
  readonly key: string;
  /** Shown in the wide table alone. */
  readonly isWide?: boolean;
}

type Item = Readonly<Record<string, string | null>>;

/** `document` is what programs get: all of it. */
export async function printList(
  columns: readonly Column[],
  document: { readonly items: readonly Item[] },
  format: ListFormat,
  io: Io,
): Promise<void> {
  if (format === 'json') printDocument(document, io);
  else if (format === 'yaml') await printYaml(document, io);
  else {
    const shown = columns.filter(({ isWide }) => format === 'wide' || isWide !== true);
    const titles = shown.map(({ key }) => key.toUpperCase());
    const rows = document.items.map((item) => shown.map(({ key }) => cleanLine(item[key] ?? '')));
    io.screen.write(`${renderTable(titles, rows).join('\n')}\n`);
  }
}
