/** What a check of a data directory says. Each check stands for itself, so that others can be added beside it. */
import type { DatabaseSync } from 'node:sqlite';
import type { Aside } from './aside.ts';

/** Something that is not as it should be. */
export interface Finding {
  readonly what: string;
  /** What a repair would do, or has done; null where nothing is safe. */
  readonly repair: string | null;
  /** What somebody can do about it where a repair cannot; null where nothing is to be done. */
  readonly advice: string | null;
  /** Does what `repair` says. */
  readonly mend?: () => void;
}

export interface CheckResult {
  /** It could not look at anything; a note says why. */
  readonly isSkipped?: boolean;
  /** Counts and sizes, in the order in which they are shown. */
  readonly facts: Readonly<Record<string, number | string>>;
  /** What is worth to know and needs no repair. */
  readonly notes: readonly string[];
  readonly findings: readonly Finding[];
}

export interface Subject {
  readonly dataDir: string;
  /** Null where the database cannot be read. */
  readonly db: DatabaseSync | null;
  /** The server of the directory is at work: what it does at this moment is no finding. */
  readonly isServerRunning: boolean;
  /** Where a repair moves things. */
  readonly aside: Aside;
  /** Milliseconds since 1970. */
  readonly nowMs: number;
}

export interface Check {
  /** One word. */
  readonly name: string;
  /** What it looks at. */
  readonly about: string;
  run(subject: Subject): CheckResult;
}

export const NOT_READ: CheckResult = {
  isSkipped: true,
  facts: {},
  notes: ['Not checked, as the database cannot be read.'],
  findings: [],
};
