/** Tests that fail together: mostly, they have one cause. */

const JACCARD_MIN = 0.5;

/** The common part of two sets. Two empty sets have nothing in common. */
export function jaccard<T>(left: ReadonlySet<T>, right: ReadonlySet<T>): number {
  let common = 0;
  for (const item of left) if (right.has(item)) common++;
  return common === 0 ? 0 : common / (left.size + right.size - common);
}

/** Groups of two tests and more, by the runs in which each failed. A test joins a group if it fails together with one test of it. */
export function failingTogether<T>(
  failedRuns: ReadonlyMap<T, ReadonlySet<number>>,
): readonly (readonly T[])[] {
  const ofRun = new Map<number, T[]>();
  for (const [test, runs] of failedRuns) {
    for (const run of runs) ofRun.set(run, [...(ofRun.get(run) ?? []), test]);
  }
  const groups: (readonly T[])[] = [];
  const grouped = new Set<T>();
  for (const [test] of failedRuns) {
    if (grouped.has(test)) continue;
    // The loop also goes over what it adds.
    const group = new Set([test]);
    for (const one of group) {
      const runs = failedRuns.get(one) ?? new Set();
      const others = new Set([...runs].flatMap((run) => ofRun.get(run) ?? []));
      for (const other of others) {
        if (jaccard(runs, failedRuns.get(other) ?? new Set()) >= JACCARD_MIN) group.add(other);
      }
    }
    for (const one of group) grouped.add(one);
    if (group.size > 1) groups.push([...group]);
  }
  return groups;
}
