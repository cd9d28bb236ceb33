/** Output of a watched list. A terminal is redrawn; other outputs get changed items only. */
import type { JsonRecord } from '@tutti/client';
import type { Io } from '../terminal/io.ts';
import { cutToWidth } from '../terminal/style.ts';
import { createTableWriter, renderTable } from '../terminal/table.ts';
import { isTable, type Output } from './output.ts';
import { columnsOf, type Listing, paintedRows, rowOf } from './print-items.ts';
import { textAt, valuePath } from './value-path.ts';

export interface ItemView {
  /** Shows the differences between these items and the earlier ones. */
  show(items: readonly JsonRecord[]): Promise<void>;
  /** Hides the drawing while others write to the terminal. Absent if nothing is drawn in place. */
  hide?(): void;
  /** Draws it again, below their text. */
  redraw?(): void;
}

export function createItemView(listing: Listing, output: Output, io: Io): ItemView {
  if (isTable(output) && io.screen.isTerminal) return createTerminalView(listing, output, io);
  return createChangeView(listing, output, io);
}

/** Rows of a terminal with unknown size. */
const ROWS = 24;

/** The table in place. It never has more lines than the terminal: scrolled lines cannot be redrawn. */
function createTerminalView(listing: Listing, output: Output, { screen }: Io): ItemView {
  const columns = columnsOf(listing, output);
  const titles = columns.map(({ title }) => title);
  let table: readonly string[] = [];
  let drawn: readonly string[] = [];
  const write = (lines: readonly string[]) => {
    if (lines.join('\n') === drawn.join('\n')) return;
    // One write: a terminal that shows the erased table before its replacement flickers.
    const erase = drawn.length === 0 ? '' : `\u001b[${drawn.length}A\r\u001b[J`;
    screen.write(`${erase}${lines.map((line) => `${line}\n`).join('')}`);
    drawn = lines;
  };
  const draw = () => {
    const lines = fitting(table, screen.columns(), screen.rows?.() ?? ROWS);
    write(paintedRows(lines, { listing, output, paint: screen.paint }));
  };
  return {
    async show(items) {
      const rows = items.map((item) => rowOf(item, columns));
      table = items.length === 0 ? [listing.emptyText] : renderTable(titles, rows);
      draw();
    },
    hide: () => write([]),
    redraw() {
      // SIGSTOP cannot be handled, so nothing hid the drawing before.
      drawn = [];
      draw();
    },
  };
}

/** Titles and the last rows, with a line about hidden rows; the cursor stands below. */
function fitting(table: readonly string[], width: number, height: number): readonly string[] {
  const room = Math.max(3, height - 1);
  const [titles = '', ...rows] = table;
  const shown =
    table.length <= room
      ? table
      : [titles, `… ${table.length - room + 1} more`, ...rows.slice(-(room - 2))];
  return shown.map((line) => cutToWidth(line, Math.max(1, width - 1)));
}

/** A line, or a document, for each new or changed item. */
function createChangeView(listing: Listing, output: Output, io: Io): ItemView {
  const idPath = valuePath(listing.idPath) ?? [];
  let before: ReadonlyMap<string, string> | null = null;
  const format = createRowFormatter(listing, output);
  const seenOf = createFingerprint(listing, output);
  return {
    async show(items) {
      const now = new Map(items.map((item) => [textAt(item, idPath), seenOf(item)]));
      const changed = items.filter((item) => {
        const id = textAt(item, idPath);
        return before?.get(id) !== now.get(id);
      });
      if (before === null && items.length === 0) io.complain(`${listing.emptyText}\n`);
      before = now;
      if (changed.length === 0) return;
      io.screen.write(await format(changed));
      await io.drained();
    },
  };
}

/** An item has changed when its shown columns differ. */
function createFingerprint(listing: Listing, output: Output): (item: JsonRecord) => string {
  if (output.kind === 'name') return () => '';
  if (output.kind === 'json' || output.kind === 'yaml') return (item) => JSON.stringify(item);
  const columns = columnsOf(listing, output).filter(({ isRunning }) => isRunning !== true);
  return (item) => JSON.stringify(rowOf(item, columns));
}

/** Returns the text for further items: rows of one table, lines or documents. */
export function createRowFormatter(
  listing: Listing,
  output: Output,
): (items: readonly JsonRecord[]) => string | Promise<string> {
  const idPath = valuePath(listing.idPath) ?? [];
  switch (output.kind) {
    case 'json':
      return (items) => items.map((item) => `${JSON.stringify(item)}\n`).join('');
    case 'yaml':
      return yamlDocuments;
    case 'name':
      return (items) => items.map((item) => `${textAt(item, idPath)}\n`).join('');
    case 'table':
    case 'wide':
    case 'custom-columns': {
      const columns = columnsOf(listing, output);
      const linesOf = createTableWriter(
        columns.map(({ title }) => title),
        columns.map(({ leastWidth = 0 }) => leastWidth),
      );
      return (items) => `${linesOf(items.map((item) => rowOf(item, columns))).join('\n')}\n`;
    }
  }
}

async function yamlDocuments(items: readonly JsonRecord[]): Promise<string> {
  const [yaml, { portableYaml }] = await Promise.all([
    import('yaml'),
    import('@tutti/manifests/documents'),
  ]);
  return items.map((item) => `---\n${portableYaml(yaml, item)}`).join('');
}
