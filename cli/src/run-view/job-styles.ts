/** Gives each job of a run a colour, so that a reader can follow one among others. */
import type { Style } from '../terminal/style.ts';

/** Red is for failures alone. */
const STYLES = ['cyan', 'magenta', 'blue', 'green', 'yellow'] as const satisfies readonly Style[];

export type JobStyles = (job: string) => Style;

/** Colours in the order in which jobs appear; a job keeps its colour. */
export function createJobStyles(): JobStyles {
  const known = new Map<string, Style>();
  return (job) => {
    const style = known.get(job) ?? STYLES[known.size % STYLES.length] ?? 'cyan';
    known.set(job, style);
    return style;
  };
}
