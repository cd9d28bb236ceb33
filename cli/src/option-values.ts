/** Values of options, read from text. */
import { UsageError } from './problem.ts';

/** Adds one `name=value` to those that came before; the last one of a name counts. */
export function addPair(option: string) {
  return (text: string, before: Readonly<Record<string, string>> = {}) => {
    const split = text.indexOf('=');
    if (split > 0) return { ...before, [text.slice(0, split)]: text.slice(split + 1) };
    throw new UsageError(`${option} takes name=value, not "${text}".`);
  };
}

/** `a, b` becomes its parts; empty ones are left out. */
export function readList(text: string): readonly string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

const UNITS_MS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** `90s`, `15m`, `1h`, `30d` in milliseconds. */
export function readDuration(text: string): number {
  const match = /^(\d+)\s*([smhd])$/.exec(text.trim());
  const unit = Object.entries(UNITS_MS).find(([name]) => name === match?.[2]);
  const ms = Number(match?.[1]) * (unit?.[1] ?? Number.NaN);
  if (Number.isSafeInteger(ms) && ms > 0) return ms;
  throw new UsageError(`Not a duration: "${text}".`, 'write a number and s, m, h or d, as in 1h.');
}
