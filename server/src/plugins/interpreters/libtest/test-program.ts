/** Programs of tests, as `cargo test` runs them one after the other. */
import { BoundedText, nameOf } from '../text/bounded-text.ts';

/** Programs that are told apart where their names are the same. */
const PROGRAMS_MAX = 10_000;

/** What is known of a program, from what cargo says of it to the next one. */
export class TestProgram {
  readonly suite: string | null;
  /** Cargo named it; otherwise the report has what programs print alone. */
  readonly isNamed: boolean;
  /** What it printed that is about no test. */
  readonly text = new BoundedText();
  /** What tests printed that panicked, where that is not held back to the end. */
  readonly panics = new Map<string, BoundedText>();
  /** Tests that failed and whose text is to come. */
  readonly failed = new Set<string>();
  /** Null until it says how many tests it runs. */
  planned: number | null = null;
  ended = 0;
  isOver = false;
  hasFailures = false;
  /** Cargo says that it failed. */
  isRefused = false;

  constructor(suite: string | null, isNamed: boolean) {
    this.suite = suite;
    this.isNamed = isNamed;
  }
}

export interface ProgramNames {
  /** `build` is the path of the program. */
  named(suite: string, build: string): string;
  /** Null for the first one. */
  unnamed(): string | null;
}

/** Programs of several packages may have one name, and their tests, too: these are no executions of one test. */
export function createProgramNames(): ProgramNames {
  const buildsOf = new Map<string, readonly string[]>();
  let known = 0;
  let unnamed = 0;
  return {
    named(suite, build) {
      const name = nameOf(suite);
      const builds = buildsOf.get(name) ?? [];
      const found = builds.indexOf(build);
      const at = found < 0 ? builds.length : found;
      if (found < 0 && known < PROGRAMS_MAX) {
        known += 1;
        buildsOf.set(name, [...builds, build]);
      }
      return at === 0 ? name : `${name} (${at + 1})`;
    },
    unnamed() {
      unnamed += 1;
      return unnamed === 1 ? null : `test program ${unnamed}`;
    },
  };
}
