/** Columns of text, as wide as their widest cell. */

import { cleanOutput } from './run-view/style.ts';

const GAP = '  ';

export function renderTable(
  titles: readonly string[],
  rows: readonly (readonly string[])[],
): readonly string[] {
  const all = [titles, ...rows].map((row) => row.map((cell) => cleanOutput(cell, false)));
  const widths = titles.map((_title, column) =>
    Math.max(...all.map((row) => (row[column] ?? '').length)),
  );
  return all.map((row) =>
    widths
      .map((width, column) => (row[column] ?? '').padEnd(width))
      .join(GAP)
      .trimEnd(),
  );
}
