/** Writes test cases as columns that the user chose, or as names. */
import { cleanLine } from '@tutti/run-view/text';
import type { PathColumn } from '../resources/output.ts';
import { textAt } from '../resources/value-path.ts';
import { createTableWriter } from '../terminal/table.ts';
import { noTestCases, type TestCaseFormat } from './test-case-format.ts';

export function createPathFormat(columns: readonly PathColumn[]): TestCaseFormat {
  const linesOf = createTableWriter(columns.map(({ title }) => title));
  return {
    begin: () => '',
    items(items) {
      if (items.length === 0) return '';
      const rows = items.map((item) => columns.map(({ path }) => cleanLine(textAt(item, path))));
      return `${linesOf(rows).join('\n')}\n`;
    },
    end: () => '',
    emptyText: noTestCases,
  };
}

/** Names instead of ids: no command takes ids of test cases, and test runners know names. */
export function createNameFormat(): TestCaseFormat {
  return {
    begin: () => '',
    items: (items) =>
      items.map((item) => `${cleanLine(textAt(item, ['metadata', 'name']))}\n`).join(''),
    end: () => '',
  };
}
