/** Result of a check of a data directory. Checks do not depend on each other, so that new ones can be added. */
import type { DatabaseSync } from 'node:sqlite';
import type { Aside } from './aside.ts';

/** Something that is not as it should be. */
export interface Finding {
  readonly what: string;
  /** The action of a repair, planned or done; null where no repair is safe. */
  readonly repair: string | null;
  /** Advice for a person where a repair cannot help; null where nothing is to be done. */
  readonly advice: string | null;
  /** Does what `repair` says. */
  readonly mend?: () => void;
}

export interface CheckResult {
  /** The check could not look at anything; a note says why. */
  readonly isSkipped?: boolean;
  /** Counts and sizes, in the order in which they are shown. */
  readonly facts: Readonly<Record<string, number | string>>;
  /** Information that needs no repair. */
  readonly notes: readonly string[];
  readonly findings: readonly Finding[];
}

export interface Subject {
  readonly dataDir: string;
  /** Null where the database cannot be read. */
  readonly db: DatabaseSync | null;
  /** The server of the directory is at work: its current work is no finding. */
  readonly isServerRunning: boolean;
  /** The folder to which a repair moves things. */
  readonly aside: Aside;
  /** Milliseconds since 1970. */
  readonly nowMs: number;
}

export interface Check {
  /** The name of the check, one word. */
  readonly name: string;
  /** The data that it looks at. */
  readonly about: string;
  run(subject: Subject): CheckResult;
}

export const NOT_READ: CheckResult = {
  isSkipped: true,
  facts: {},
  notes: ['Not checked, as the database cannot be read.'],
  findings: [],
};
