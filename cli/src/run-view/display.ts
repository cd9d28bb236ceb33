import type { LineColors } from './line-colors.ts';

/** What of a run is shown, as those who look at it want it, and what lines about it begin with. */
export interface Display {
  /** Jobs within so many bundles, or more, are not told of, but what they print and what goes wrong in them; 0: all are. */
  readonly jobDepth: number;
  /** The same for steps within steps of functions. */
  readonly stepDepth: number;
  /** Characters of a command; 0: all of its first line. */
  readonly commandLength: number;
  /** What lines begin with in place of time and job, see `prefixText`; null: with these. */
  readonly prefix: string | null;
  /** What lines look like where there are colours, if not as usual. */
  readonly lineColors: LineColors;
  /** Log lines of services. */
  readonly showsServices: boolean;
  /** A line for each file that is attached. */
  readonly showsFiles: boolean;
  /** Also what is for those who look for a cause. */
  readonly isVerbose: boolean;
}

/** Where nobody asked for anything else. */
export const WHOLE_DISPLAY: Display = {
  jobDepth: 0,
  stepDepth: 0,
  commandLength: 0,
  prefix: null,
  lineColors: {},
  showsServices: false,
  showsFiles: false,
  isVerbose: false,
};

/** Whether something within so many others is deeper than what is shown. */
export const isTooDeep = (depth: number, shown: number): boolean => shown > 0 && depth >= shown;

/** The beginning of a command, in characters; what is cut shows as an ellipsis. */
export function cutCommand(command: string, length: number): string {
  if (length === 0 || command.length <= length) return command;
  const characters = [...command];
  return characters.length <= length ? command : `${characters.slice(0, length).join('')}…`;
}
