/** Groups of lines in the log of one job, which readers can fold. The log indents the lines of a `::group::` below its title. */
import { type LineGroup, lineGroups } from '@tutti/run-view/text';
import { useMemo, useState } from 'react';
import type { LogLines, LogRow } from './log-lines.ts';

export interface LogGroup extends LineGroup {
  readonly isFolded: boolean;
}

export interface LogFolds {
  readonly lines: LogLines;
  /** The group below a title. */
  readonly groupOf: (row: LogRow) => LogGroup | undefined;
  readonly onFold: (title: number) => void;
  /** Null without groups. */
  readonly onFoldAll: (() => void) | null;
  readonly isFolded: boolean;
}

/** `kept`: lines that no group hides. */
export function useLogFolds(
  lines: LogLines,
  rows: readonly LogRow[],
  kept: readonly number[],
): LogFolds {
  const [folded, setFolded] = useState<ReadonlySet<number>>(new Set());
  const groups = useMemo(() => groupsByTitle(rows), [rows]);
  const hidden = useMemo(() => {
    const isKept = ({ from, to }: LineGroup) => {
      const [first = 0, last = 0] = [rows[from]?.[0], rows[to - 1]?.[0]];
      return kept.some((number) => number >= first && number <= last);
    };
    return new Map([...groups].filter(([title, group]) => folded.has(title) && !isKept(group)));
  }, [rows, groups, folded, kept]);
  const shown = useMemo(() => placesWithout(rows.length, [...hidden.values()]), [rows, hidden]);
  const onRange = useMemo(
    () => (from: number, to: number) =>
      lines.onRange(shown?.[from] ?? from, (shown?.[to - 1] ?? to - 1) + 1),
    [lines.onRange, shown],
  );
  return {
    lines:
      shown === null
        ? lines
        : {
            ...lines,
            count: shown.length,
            rowAt: (index) => rows[shown[index] ?? -1],
            indexOf: (number) => {
              const place = lines.indexOf(number);
              const found = shown.findIndex((each) => each >= place);
              return found < 0 ? Math.max(0, shown.length - 1) : found;
            },
            onRange,
          },
    groupOf: ([number]) => {
      const group = groups.get(number);
      return group === undefined ? undefined : { ...group, isFolded: hidden.has(number) };
    },
    onFold: (title) => {
      const next = new Set(folded);
      if (!next.delete(title)) next.add(title);
      setFolded(next);
    },
    onFoldAll:
      groups.size === 0 ? null : () => setFolded(new Set(folded.size > 0 ? [] : groups.keys())),
    isFolded: folded.size > 0,
  };
}

/** Null if all are shown. */
function placesWithout(count: number, hidden: readonly LineGroup[]): readonly number[] | null {
  if (hidden.length === 0) return null;
  const places: number[] = [];
  let at = 0;
  for (const { from, to } of [...hidden, { from: count, to: count }]) {
    for (; at < from; at += 1) places.push(at);
    at = to;
  }
  return places;
}

const groupsByTitle = (rows: readonly LogRow[]): ReadonlyMap<number, LineGroup> =>
  new Map(
    lineGroups(rows.map(([, , , text]) => text)).map((group) => [
      rows[group.from - 1]?.[0] ?? 0,
      group,
    ]),
  );
