/** Makes a section: it looks at each item of its data source once, and remembers what it shows. */
import type { SectionModel } from './section-model.ts';

export interface Collector {
  add(item: unknown): void;
  /** Null where the section has nothing to show. */
  model(): SectionModel | null;
}

/** Text that a report has room for, shared by its sections. */
export interface Room {
  left: number;
}

/** Number of items that a section with `maxItems` shows: a whole number from 0. */
export const itemsShown = (maxItems: number, countMax: number): number =>
  Math.max(0, Math.min(Math.floor(maxItems), countMax));

/** Marks a cut text, and cuts no character in two. */
export function shortened(text: string, lengthMax: number): string {
  if (text.length <= lengthMax) return text;
  const kept = text.slice(0, lengthMax - 1).replace(/[\ud800-\udbff]$/, '');
  return `${kept}…`;
}
