/** Lists of results, for people and for programs. */

import { cleanLine } from '@tutti/run-view/text';
import { printDocument, printYaml } from '../options/output-format.ts';
import type { Io } from '../terminal/io.ts';
import { renderTable } from '../terminal/table.ts';
import { readOutput } from './output.ts';
import { suggestPath } from './print-items.ts';
import { NOTHING, textAt } from './value-path.ts';

/** An entry of the items, which is a column in capitals, too. */
export interface Column {
  readonly key: string;
  /** Shown in the wide table alone. */
  readonly isWide?: boolean;
}

type Item = Readonly<Record<string, string | null>>;

/** `document` is the whole output for programs. `idKey` is the entry for `-o name`. */
export async function printList(
  columns: readonly Column[],
  document: { readonly items: readonly Item[] },
  { format, idKey }: { readonly format: string; readonly idKey: string },
  io: Io,
): Promise<void> {
  const output = readOutput(format);
  const { items } = document;
  switch (output.kind) {
    case 'json':
      printDocument(document, io);
      return;
    case 'yaml':
      await printYaml(document, io);
      return;
    case 'name':
      io.screen.write(items.map((item) => `${cleanLine(item[idKey] ?? '')}\n`).join(''));
      return;
    case 'custom-columns': {
      const rows = items.map((item) =>
        output.columns.map(({ path }) => cleanLine(textAt(item, path) || NOTHING)),
      );
      printTable(
        output.columns.map(({ title }) => title),
        rows,
        io,
      );
      await suggestPath(items, output.columns, io);
      return;
    }
    case 'table':
    case 'wide': {
      const shown = columns.filter(({ isWide }) => output.kind === 'wide' || isWide !== true);
      const titles = shown.map(({ key }) => key.toUpperCase());
      const rows = items.map((item) => shown.map(({ key }) => cleanLine(item[key] || NOTHING)));
      printTable(titles, rows, io);
    }
  }
}

function printTable(
  titles: readonly string[],
  rows: readonly (readonly string[])[],
  { screen }: Io,
): void {
  screen.write(`${renderTable(titles, rows).join('\n')}\n`);
}
