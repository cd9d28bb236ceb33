/** Numbers about numbers. */

/** The value below which the share `q` (0 to 1) of the values lies; NaN when there are none. */
export function quantile(values: readonly number[], q: number): number {
  const sorted = [...values].sort((left, right) => left - right);
  const position = Math.min(sorted.length - 1, Math.floor(q * sorted.length));
  return sorted[position] ?? Number.NaN;
}

export const median = (values: readonly number[]): number => quantile(values, 0.5);

/** Half the distance between the quarters, relative to the median: how far repeated measurements lie apart. */
export function spread(values: readonly number[]): number {
  return (quantile(values, 0.75) - quantile(values, 0.25)) / 2 / Math.abs(median(values));
}

/** By how much `y` grows where `x` grows by one: the line that is nearest to all points. NaN for fewer than two. */
export function slope(points: readonly { readonly x: number; readonly y: number }[]): number {
  const mean = (values: readonly number[]) => values.reduce((sum, v) => sum + v, 0) / values.length;
  const [x, y] = [mean(points.map((point) => point.x)), mean(points.map((point) => point.y))];
  const both = points.reduce((sum, point) => sum + (point.x - x) * (point.y - y), 0);
  return both / points.reduce((sum, point) => sum + (point.x - x) ** 2, 0);
}
