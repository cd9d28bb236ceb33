/** Lines with a match, and so many around them; apart from each other as `grep` has them. */

export interface LineSearch<Line> {
  /** Returns the lines to show now, with null between lines that are not adjacent. */
  push(line: Line): readonly (Line | null)[];
}

export function createLineSearch<Line>(
  isMatch: (line: Line) => boolean,
  context: number,
): LineSearch<Line> {
  /** The last lines that are not shown yet. */
  let before: Line[] = [];
  let skipped = 0;
  let hasShown = false;
  let after = 0;
  return {
    push(line) {
      if (!isMatch(line)) {
        if (after > 0) {
          after -= 1;
          return [line];
        }
        before.push(line);
        if (before.length > context) {
          before = before.slice(1);
          skipped += 1;
        }
        return [];
      }
      const gap = hasShown && skipped > 0 && context > 0 ? [null] : [];
      const shown = [...gap, ...before, line];
      before = [];
      skipped = 0;
      hasShown = true;
      after = context;
      return shown;
    },
  };
}
