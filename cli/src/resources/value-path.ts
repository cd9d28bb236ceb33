/**
 * Paths into manifests, in the user's form for columns. Dots separate names. `*` means all values of an object or list. A final `*~` means
 * all names of an object (client facts 2.6). A name with dots stands in brackets, as in selectors: `metadata.labels[example.com/team]`.
 */

/** The steps of a path; `*` and `*~` are names like others here. */
export type ValuePath = readonly string[];

const STEP = /(?:^|\.)([^.[\]]+)|\[([^[\]]+)\]/gy;

/** Null if the text is no path. A dot may precede the first name. */
export function valuePath(text: string): ValuePath | null {
  const path = text.startsWith('.') ? text.slice(1) : text;
  const steps: string[] = [];
  STEP.lastIndex = 0;
  while (STEP.lastIndex < path.length) {
    const match = STEP.exec(path);
    if (match === null) return null;
    steps.push(match[1] ?? match[2] ?? '');
  }
  const isLast = (index: number) => index === steps.length - 1;
  const isWhole = steps.every((step, index) => step !== '*~' || isLast(index));
  return steps.length > 0 && isWhole ? steps : null;
}

/** The values at a path: one for each match of its stars, none if there is nothing. */
export function valuesAt(item: unknown, path: ValuePath): readonly unknown[] {
  const [step, ...rest] = path;
  if (step === undefined) return item === undefined ? [] : [item];
  if (typeof item !== 'object' || item === null) return [];
  if (step === '*~') return Object.keys(item);
  if (step === '*') return Object.values(item).flatMap((value) => valuesAt(value, rest));
  const entry = Object.entries(item).find(([name]) => name === step);
  return entry === undefined ? [] : valuesAt(entry[1], rest);
}

/** Text of an empty cell. */
export const NOTHING = '<none>';

/** The value as the text of a cell. */
export function textAt(item: unknown, path: ValuePath): string {
  const values = valuesAt(item, path).filter((value) => value !== null);
  return values.length === 0 ? NOTHING : values.map(textOf).join(',');
}

/** Lists of plain values read as people write lists; other lists and objects as JSON. */
function textOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  const isPlain = Array.isArray(value) && value.every((each) => typeof each !== 'object');
  return isPlain ? value.join(',') : JSON.stringify(value);
}
