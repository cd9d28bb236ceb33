/** Sizes for people. */
const UNITS = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];

/** A size such as `17 bytes` or `5.2 MiB`. */
export function sizeText(bytes: number): string {
  let [size, unit] = [bytes, 0];
  while (size >= 1024 && unit < UNITS.length - 1) {
    size /= 1024;
    unit += 1;
  }
  return `${unit === 0 ? size : size.toFixed(1)} ${UNITS[unit]}`;
}
