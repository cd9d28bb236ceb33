/** Prints things of a server in the form that was asked for. */
import type { JsonRecord } from '@tutti/client';
import { printYaml } from '../options/output-format.ts';
import type { Io } from '../terminal/io.ts';
import { cleanLine } from '../terminal/style.ts';
import { renderTable } from '../terminal/table.ts';
import type { Output } from './output.ts';
import { textAt, type ValuePath, valuePath, valuesAt } from './value-path.ts';

export interface ResourceColumn {
  /** In capitals. */
  readonly title: string;
  /** A path into the manifest, or what makes the text of the cell of it. */
  readonly cell: string | ((item: JsonRecord) => string);
  /** Shown in the wide table alone. */
  readonly isWide?: boolean;
  /** In characters, where rows come one after the other: what may come is known, and must not move the columns behind it. */
  readonly leastWidth?: number;
  /** Goes on while nothing happens, as times do: whoever watches is not told of it. */
  readonly isRunning?: boolean;
}

export interface Listing {
  readonly columns: readonly ResourceColumn[];
  /** Path to what other commands take as the id. */
  readonly idPath: string;
  /** Said on standard error in place of a table that has no rows, with what to do next. */
  readonly emptyText: string;
}

/** Programs get all manifests as an array. */
export async function printItems(
  items: readonly JsonRecord[],
  listing: Listing,
  output: Output,
  io: Io,
): Promise<void> {
  const { screen } = io;
  switch (output.kind) {
    case 'json':
      screen.write(`${JSON.stringify(items, null, 2)}\n`);
      return;
    case 'yaml':
      await printYaml(items, io);
      return;
    case 'name':
      screen.write(items.map((item) => `${cellText(item, listing.idPath)}\n`).join(''));
      return;
    case 'table':
    case 'wide':
    case 'custom-columns':
      if (items.length === 0) io.complain(`${listing.emptyText}\n`);
      else screen.write(tableOf(items, columnsOf(listing, output)));
      if (output.kind === 'custom-columns') await tellMeant(items, output.columns, io);
  }
}

/** A path that leads to nothing in all of them may have a typing error: columns alone do not tell. */
export async function tellMeant(
  items: readonly JsonRecord[],
  columns: readonly { readonly path: ValuePath }[],
  { complain }: Io,
): Promise<void> {
  const isEmpty = ({ path }: { readonly path: ValuePath }) =>
    items.every((item) => valuesAt(item, path).length === 0);
  const empty = items.length === 0 ? [] : columns.filter(isEmpty);
  if (empty.length === 0) return;
  const { meantPath, pathText } = await import('./meant-path.ts');
  for (const { path } of empty) {
    const meant = meantPath(items, path);
    if (meant === null) continue;
    const [told, other] = [path, meant].map(pathText).map(cleanLine);
    complain(`Nothing has "${told}", did you mean "${other}"?\n`);
  }
}

/** One manifest, in the same forms; the table has one row. */
export async function printItem(
  item: JsonRecord,
  listing: Listing,
  output: Output,
  io: Io,
): Promise<void> {
  if (output.kind === 'json') io.screen.write(`${JSON.stringify(item, null, 2)}\n`);
  else if (output.kind === 'yaml') await printYaml(item, io);
  else await printItems([item], listing, output, io);
}

/** The columns that this form shows. */
export function columnsOf(listing: Listing, output: Output): readonly ResourceColumn[] {
  if (output.kind !== 'custom-columns') {
    return listing.columns.filter(({ isWide }) => output.kind === 'wide' || isWide !== true);
  }
  return output.columns.map(({ title, path }) => ({ title, cell: (item) => textAt(item, path) }));
}

/** The cells of an item. */
export function rowOf(item: JsonRecord, columns: readonly ResourceColumn[]): readonly string[] {
  return columns.map(({ cell }) => cleanLine(cellText(item, cell)));
}

function tableOf(items: readonly JsonRecord[], columns: readonly ResourceColumn[]): string {
  const titles = columns.map(({ title }) => title);
  const rows = items.map((item) => rowOf(item, columns));
  return `${renderTable(titles, rows).join('\n')}\n`;
}

function cellText(item: JsonRecord, cell: ResourceColumn['cell']): string {
  return typeof cell === 'string' ? textAt(item, valuePath(cell) ?? []) : cell(item);
}
