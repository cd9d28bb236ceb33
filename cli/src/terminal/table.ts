/** Columns of text, as wide as their widest cell. */
import { cleanOutput } from '@tutti/run-view/text';

const GAP = '  ';

export function renderTable(
  titles: readonly string[],
  rows: readonly (readonly string[])[],
): readonly string[] {
  return createTableWriter(titles)(rows);
}

/**
 * A table that is written in parts: each call returns lines for its rows, the first one with titles. Columns grow with longer
 * values, but written lines stay. So a column with known values has a least width.
 */
export function createTableWriter(
  titles: readonly string[],
  leastWidths: readonly number[] = [],
): (rows: readonly (readonly string[])[]) => readonly string[] {
  const widths = titles.map((_, column) => leastWidths[column] ?? 0);
  let isBegun = false;
  return (rows) => {
    const all = (isBegun ? rows : [titles, ...rows]).map((row) =>
      row.map((cell) => cleanOutput(cell, false)),
    );
    isBegun = true;
    for (const row of all) {
      for (const [column, cell] of row.entries()) {
        widths[column] = Math.max(widths[column] ?? 0, cell.length);
      }
    }
    return all.map((row) =>
      widths
        .map((width, column) => (row[column] ?? '').padEnd(width))
        .join(GAP)
        .trimEnd(),
    );
  };
}
