/** The report of `tutti doctor`: sections of points. A point with a problem says what to do. */

/** `attention`: it works, and may not for long, or not for all. `wrong`: something does not work. `skipped`: there is nothing to look at. */
export type Level = 'ok' | 'attention' | 'wrong' | 'skipped';

export interface Point {
  readonly level: Level;
  readonly what: string;
  /** The advice; null if there is nothing to do. */
  readonly next: string | null;
}

export interface Section {
  readonly name: string;
  readonly points: readonly Point[];
}

export const ok = (what: string): Point => ({ level: 'ok', what, next: null });
export const skipped = (what: string): Point => ({ level: 'skipped', what, next: null });
export const attention = (what: string, next: string): Point => ({
  level: 'attention',
  what,
  next,
});
export const wrong = (what: string, next: string | null): Point => ({ level: 'wrong', what, next });

const WORDS: Readonly<Record<Level, string>> = {
  ok: 'ok',
  attention: 'look',
  wrong: 'WRONG',
  skipped: 'skipped',
};

/** Lines of a section, in the form of the checks of data. */
export function sectionLines({ name, points }: Section): readonly string[] {
  return [
    name,
    ...points.flatMap(({ level, what, next }) => [
      `  ${WORDS[level].padEnd(8)}${what}`,
      ...(next === null ? [] : [`          What to do: ${next}`]),
    ]),
  ];
}
