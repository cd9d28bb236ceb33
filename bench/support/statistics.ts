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
