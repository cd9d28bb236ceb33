/** Prints things of a server in the form that was asked for. */
import type { JsonRecord } from '@tutti/client';
import { cleanLine } from '@tutti/run-view/text';
import { printYaml } from '../options/output-format.ts';
import type { Io } from '../terminal/io.ts';
import type { Paint } from '../terminal/style.ts';
import { renderTable } from '../terminal/table.ts';
import type { Output } from './output.ts';
import { textAt, type ValuePath, valuePath, valuesAt } from './value-path.ts';

export interface ResourceColumn {
  /** In capitals. */
  readonly title: string;
  /** A path into the manifest, or a function that returns the text. */
  readonly cell: string | ((item: JsonRecord) => string);
  /** Shown in the wide table alone. */
  readonly isWide?: boolean;
  /** Width in characters if rows arrive one by one: the longest value is known, and must not move later columns. */
  readonly leastWidth?: number;
  /** The value changes with time alone, so `--watch` does not report it. */
  readonly isRunning?: boolean;
}

export interface Listing {
  readonly columns: readonly ResourceColumn[];
  /** Path to the id for other commands. */
  readonly idPath: string;
  /** Printed on standard error instead of an empty table, with the next step. */
  readonly emptyText: string;
  /** Colours a row of the table. */
  readonly painted?: (row: string, paint: Paint) => string;
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
      else screen.write(tableOf(items, { listing, output, paint: screen.paint }));
      if (output.kind === 'custom-columns') await suggestPath(items, output.columns, io);
  }
}

/** Suggests a correction for a path without values: an empty column does not show a typing error. */
export async function suggestPath(
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
    const [asked, other] = [path, meant].map(pathText).map(cleanLine);
    complain(`Nothing has "${asked}", did you mean "${other}"?\n`);
  }
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

function tableOf(items: readonly JsonRecord[], table: PaintedTable): string {
  const columns = columnsOf(table.listing, table.output);
  const titles = columns.map(({ title }) => title);
  const rows = items.map((item) => rowOf(item, columns));
  return `${paintedRows(renderTable(titles, rows), table).join('\n')}\n`;
}

export interface PaintedTable {
  readonly listing: Listing;
  readonly output: Output;
  readonly paint: Paint;
}

/** The lines of a table in colours. Columns that a user chose have none. */
export function paintedRows(
  lines: readonly string[],
  { listing, output, paint }: PaintedTable,
): readonly string[] {
  const { painted = (row: string) => row } = listing;
  return output.kind === 'custom-columns' ? lines : lines.map((line) => painted(line, paint));
}

function cellText(item: JsonRecord, cell: ResourceColumn['cell']): string {
  return typeof cell === 'string' ? textAt(item, valuePath(cell) ?? []) : cell(item);
}
