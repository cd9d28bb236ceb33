/** Groups of lines in the log of a job: titles, with indented lines below them. A log so shows what stands within `::group::`. */

/** The title is the line before `from`. */
export interface LineGroup {
  readonly from: number;
  /** Behind its last line. */
  readonly to: number;
}

const INDENTED = /^ {2}/;
/** Empty lines, warnings and errors stand as they are, also within a group. */
const INSIDE = /^(?: {2}|$|(?:ERROR|WARNING|NOTICE|DEBUG),)/;

export function lineGroups(lines: readonly string[]): readonly LineGroup[] {
  const groups: LineGroup[] = [];
  for (let at = 0; at < lines.length; ) {
    const from = at + 1;
    let next = from;
    while (INSIDE.test(lines[next] ?? '-')) next += 1;
    let to = next;
    while (to > from && !INDENTED.test(lines[to - 1] ?? '')) to -= 1;
    if (to > from && !INSIDE.test(lines[at] ?? '')) groups.push({ from, to });
    at = next;
  }
  return groups;
}
