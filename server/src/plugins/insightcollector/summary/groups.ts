/** Values of items by group and category: what bars show. */
import type { SectionDefinition } from '@tutti/manifests';
import { shortened } from './collector.ts';
import { type Field, numberOf } from './field.ts';
import { NAME_KEYS, VALUE_KEYS } from './order-keys.ts';
import type { Bar } from './section-model.ts';
import { SUMMARY_LIMITS } from './summary-limits.ts';
import { compareText, isDescending } from './table.ts';

export type Aggregate = NonNullable<SectionDefinition['aggregateFunction']>;

interface Total {
  count: number;
  sum: number;
  min: number;
  max: number;
}

const OTHERS = '(others)';
const NONE = '(none)';
/** Outcomes have an order that readers know. */
const ORDER = ['success', 'failure', 'error', 'skipped', 'cancelled'];

export class Groups {
  readonly #totals = new Map<string, Map<string, Total>>();
  readonly #categories = new Map<string, number>();
  readonly #keys = new Map<string, unknown>();
  readonly #keyField: Field | null;

  /** `keyField` is what groups are ordered by, if it is neither their name nor their value. */
  constructor(keyField: Field | null) {
    this.#keyField = keyField;
  }

  get size(): number {
    return this.#totals.size;
  }

  add(group: string, category: string, value: number, item: unknown): void {
    const label = bounded(this.#totals, group || NONE, SUMMARY_LIMITS.groups);
    const kind = bounded(this.#categories, category, SUMMARY_LIMITS.categories);
    const totals = this.#totals.get(label) ?? new Map<string, Total>();
    const total = totals.get(kind) ?? { count: 0, sum: 0, min: value, max: value };
    total.count += 1;
    total.sum += value;
    total.min = Math.min(total.min, value);
    total.max = Math.max(total.max, value);
    this.#totals.set(label, totals.set(kind, total));
    this.#categories.set(kind, (this.#categories.get(kind) ?? 0) + 1);
    if (this.#keyField !== null && !this.#keys.has(label))
      this.#keys.set(label, this.#keyField(item));
  }

  categories(): readonly string[] {
    return [...this.#categories.keys()].sort(
      (left, right) => place(left) - place(right) || compareText(left, right),
    );
  }

  /** In the order of their first item, unless the definition has another one. */
  bars(
    aggregate: Aggregate,
    order: SectionDefinition['orderBy'],
    shown: number,
  ): { readonly bars: readonly Bar[]; readonly left: number } {
    const categories = this.categories();
    const all = [...this.#totals].map(([label, totals]): Bar => {
      return { label, values: categories.map((name) => aggregated(totals.get(name), aggregate)) };
    });
    const bars = order === undefined ? all : all.sort(this.#compare(order));
    return { bars: bars.slice(0, shown), left: Math.max(0, bars.length - shown) };
  }

  #compare({ key, order }: NonNullable<SectionDefinition['orderBy']>) {
    const sign = isDescending(order) ? -1 : 1;
    return (left: Bar, right: Bar): number =>
      sign * this.#difference(key, left, right) || compareText(left.label, right.label);
  }

  #difference(key: string, left: Bar, right: Bar): number {
    if (VALUE_KEYS.has(key)) return sumOf(left.values) - sumOf(right.values);
    if (NAME_KEYS.has(key)) return compareText(left.label, right.label);
    const [a, b] = [this.#keys.get(left.label), this.#keys.get(right.label)];
    const [x, y] = [numberOf(a), numberOf(b)];
    return x !== null && y !== null ? x - y : compareText(String(a ?? ''), String(b ?? ''));
  }
}

export const sumOf = (values: readonly number[]): number =>
  values.reduce((total, value) => total + value, 0);

function place(category: string): number {
  const at = ORDER.indexOf(category.toLowerCase());
  return at < 0 ? ORDER.length : at;
}

function bounded(known: ReadonlyMap<string, unknown>, name: string, countMax: number): string {
  const label = shortened(name, SUMMARY_LIMITS.labelLength);
  return known.has(label) || known.size < countMax - 1 ? label : OTHERS;
}

function aggregated(total: Total | undefined, aggregate: Aggregate): number {
  if (total === undefined) return 0;
  return aggregate === 'avg' ? total.sum / total.count : total[aggregate];
}
