/** Sections of kind `Table`. */
import type { SectionDefinition } from '@tutti/manifests';
import { type Collector, itemsShown, type Room, shortened } from './collector.ts';
import { type Field, numberOf, readField, textOf } from './field.ts';
import type { Column, ColumnKind, TableModel } from './section-model.ts';
import { SUMMARY_LIMITS } from './summary-limits.ts';
import { columnsOf } from './table-columns.ts';

interface TableColumn {
  readonly title: string;
  readonly kind: ColumnKind;
  readonly field: Field;
  readonly values: (string | number)[];
}

export function kindOfField(text: string): ColumnKind {
  if (/(?:\.outcome|^status)$/.test(text)) return 'outcome';
  if (/\.duration$/.test(text)) return 'duration';
  if (/(?:Time|Timestamp)$/.test(text)) return 'time';
  if (/Details$/.test(text)) return 'details';
  return /(?:Count|\.executions|Summary\.\w+)$/.test(text) ? 'number' : 'text';
}

export function collectTable(definition: SectionDefinition, room: Room): Collector {
  const columns = Object.entries(columnsOf(definition))
    .slice(0, SUMMARY_LIMITS.columns)
    .map(([title, text]): TableColumn => {
      return { title, kind: kindOfField(text), field: readField(text), values: [] };
    });
  const { orderBy, maxItems = SUMMARY_LIMITS.rows } = definition;
  const shown = itemsShown(maxItems, SUMMARY_LIMITS.rows);
  // Sorting needs all rows before the first ones are taken.
  const kept = orderBy === undefined ? shown : SUMMARY_LIMITS.rows;
  const keys = orderBy === undefined ? null : keysOf(orderBy, columns);
  let rows = 0;
  let seen = 0;
  return {
    add(item) {
      seen += 1;
      if (rows >= kept || room.left <= 0) return;
      const lengthMax =
        rows < SUMMARY_LIMITS.fullRows ? SUMMARY_LIMITS.cellLength : SUMMARY_LIMITS.laterCellLength;
      rows += 1;
      keys?.add(item);
      for (const column of columns) {
        const value = cellOf(column, item, lengthMax);
        room.left -= typeof value === 'string' ? value.length : 8;
        column.values.push(value);
      }
    },
    model: () => {
      const order = keys?.order() ?? null;
      return seen === 0 ? null : tableModel(columns, { rows: Math.min(rows, shown), seen, order });
    },
  };
}

function cellOf({ kind, field }: TableColumn, item: unknown, lengthMax: number): string | number {
  const value = field(item);
  if (kind === 'details') return shortened(detailsText(value), lengthMax);
  if (kind === 'duration' || kind === 'number') return numberOf(value) ?? textOf(value);
  return shortened(textOf(value), lengthMax);
}

const DETAILS = ['message', 'type', 'text'].map(readField);

/**
 * Why a test case did not pass: one line, then what else is known. Most texts of tools have the message in them; then it is not repeated.
 */
function detailsText(value: unknown): string {
  if (typeof value !== 'object') return textOf(value);
  const [message = '', type = '', stack = ''] = DETAILS.map((field) => textOf(field(value)).trim());
  const text = stack || type;
  if (message === '' || text.startsWith(message)) return text;
  if (text === '') return message;
  const rest = text.includes(message) ? message.split('\n', 1) : [message];
  return [...rest, text].join('\n');
}

function tableModel(
  columns: readonly TableColumn[],
  found: { rows: number; seen: number; order: readonly number[] | null },
): TableModel {
  const { rows, seen, order } = found;
  const inOrder = (values: TableColumn['values']): Column['values'] =>
    order === null ? values : order.slice(0, rows).map((row) => values[row] ?? '');
  return {
    kind: 'Table',
    columns: columns.map(({ title, kind, values }) => ({ title, kind, values: inOrder(values) })),
    rows,
    left: seen - rows,
  };
}

interface Keys {
  add(item: unknown): void;
  /** Numbers of the rows, the first to be shown first. */
  order(): readonly number[];
}

/** A key is the title of a column, or a field. */
function keysOf(
  { key, order }: NonNullable<SectionDefinition['orderBy']>,
  columns: readonly TableColumn[],
): Keys {
  const field = columns.find(({ title }) => title === key)?.field ?? readField(key);
  const sign = isDescending(order) ? -1 : 1;
  const values: unknown[] = [];
  return {
    add: (item) => void values.push(field(item)),
    order: () => {
      const compare = createCompare(values);
      return [...values.keys()].sort((left, right) => sign * compare(left, right) || left - right);
    },
  };
}

export const isDescending = (order: string | undefined): boolean => /^desc/i.test(order ?? '');

/** Compares as numbers where all values are numbers, else as texts. */
function createCompare(values: readonly unknown[]): (left: number, right: number) => number {
  const numbers = values.map(numberOf);
  if (numbers.every((number, row) => number !== null || values[row] === undefined)) {
    const known = numbers.map((number) => number ?? Number.NEGATIVE_INFINITY);
    return (left, right) => {
      const [a = 0, b = 0] = [known[left], known[right]];
      return a === b ? 0 : a - b;
    };
  }
  const texts = values.map(textOf);
  return (left, right) => compareText(texts[left] ?? '', texts[right] ?? '');
}

/** Compares by code units: the same on each machine, and fast. */
export const compareText = (left: string, right: string): number =>
  left === right ? 0 : left < right ? -1 : 1;
