/** The longest compared name; longer ones are no typing mistakes. */
const NAME_LENGTH_MAX = 64;

/**
 * The known name that the author of `name` most likely meant, or null when none is close. A third of the letters may
 * differ, and at most `editsMax`. So `run-on` means `runs-on`, and `steps` does not mean `needs`.
 */
export function nearestName(
  name: string,
  known: Iterable<string>,
  editsMax = Infinity,
): string | null {
  if (name.length > NAME_LENGTH_MAX) return null;
  let nearest: string | null = null;
  let nearestDistance = Math.min(editsMax, distanceMax(name)) + 1;
  for (const candidate of known) {
    if (candidate.length > NAME_LENGTH_MAX) continue;
    const distance = editDistance(plain(name), plain(candidate));
    if (distance < nearestDistance) {
      nearest = candidate;
      nearestDistance = distance;
    }
  }
  return nearest;
}

/** A single letter resembles no other one. */
const distanceMax = (name: string): number =>
  name.length < 2 ? 0 : Math.max(1, Math.floor(name.length / 3));

/** `, did you mean "x"?` or nothing, to end a message about an unknown name. */
export function didYouMean(name: string, known: Iterable<string>): string {
  const nearest = nearestName(name, known);
  return nearest === null ? '' : `, did you mean "${nearest}"?`;
}

/** Case and the choice between `_`, `-` and nothing are the commonest mistakes, so they do not count. */
function plain(name: string): string {
  return name.toLowerCase().replace(/[-_]/g, '');
}

/** Number of letters to add, drop, replace or swap with their neighbour. */
function editDistance(left: string, right: string): number {
  const rows: number[][] = [Array.from({ length: right.length + 1 }, (_, index) => index)];
  const at = (row: number, column: number): number => rows[row]?.[column] ?? 0;
  for (let row = 1; row <= left.length; row++) {
    const current = [row];
    rows.push(current);
    for (let column = 1; column <= right.length; column++) {
      const same = left[row - 1] === right[column - 1];
      const swapped = left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1];
      current[column] = Math.min(
        at(row - 1, column - 1) + (same ? 0 : 1),
        at(row - 1, column) + 1,
        at(row, column - 1) + 1,
        swapped ? at(row - 2, column - 2) + 1 : Infinity,
      );
    }
  }
  return at(left.length, right.length);
}
