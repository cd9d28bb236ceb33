/** Shares as people read them. */

/** Two digits mostly: 0.04 %, 2.4 %, 31 %. Only 1 is shown as 100 %. */
export function formatShare(share: number): string {
  const percent = share * 100;
  if (percent === 0) return '0 %';
  if (percent < 0.01) return '<0.01 %';
  if (percent > 99.9 && percent < 100) return '>99.9 %';
  const digits = percent < 1 ? 2 : percent < 10 ? 1 : 0;
  return `${percent.toFixed(digits)} %`;
}
