const DECIMAL = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;

/** A number as people write it; null for other text, as for the hexadecimal notation of programs. */
export function readDecimal(text: string): number | null {
  return DECIMAL.test(text.trim()) ? Number(text) : null;
}
