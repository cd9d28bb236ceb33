import type { LineColors } from './line-colors.ts';

/** Options for the output of a run: detail, and prefix of lines. */
export interface Display {
  /** Jobs at this depth of bundles or deeper show only output and failures; 0: no limit. */
  readonly jobDepth: number;
  /** The limit for steps within steps of functions. */
  readonly stepDepth: number;
  /** Characters of a command; 0: all of its first line. */
  readonly commandLength: number;
  /** Prefix that replaces time and job, see `prefixText`; null for the default. */
  readonly prefix: string | null;
  /** Colours of lines that differ from the default. */
  readonly lineColors: LineColors;
  /** Log lines of services. */
  readonly showsServices: boolean;
  /** A line for each file that is attached. */
  readonly showsFiles: boolean;
  /** Shows debugging details, too. */
  readonly isVerbose: boolean;
}

/** The default. */
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
