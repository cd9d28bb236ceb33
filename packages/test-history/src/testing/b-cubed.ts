/** B-cubed: how well groups agree with the true ones, over all items. */

/** `truth` has the true group of each item, and `groups` the items of each found group. */
export function bCubed(truth: readonly number[], groups: readonly (readonly number[])[]) {
  const sizes = Map.groupBy(truth, (group) => group);
  let [precision, recall] = [0, 0];
  for (const group of groups) {
    for (const item of group) {
      const together = group.filter((other) => truth[other] === truth[item]).length;
      precision += together / group.length;
      recall += together / (sizes.get(truth[item] ?? 0)?.length ?? 1);
    }
  }
  return { precision: precision / truth.length, recall: recall / truth.length };
}
