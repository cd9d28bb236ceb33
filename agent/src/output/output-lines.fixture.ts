/** Lines of runs, for tests. */
import type { LineRun } from './output-lines.ts';

/** The lines without their line ends. */
export function linesOf({ bytes, end }: Pick<LineRun, 'bytes' | 'end'>): string[] {
  const lines = bytes.toString().split(/\r?\n/);
  return end === null ? lines.slice(0, -1) : lines;
}
