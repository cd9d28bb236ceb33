/** What reads test reports of one format has in common: text goes in as it comes, test cases come out as they are complete. */
import type { TestResultDetails, TestResultStatus } from '@tutti/manifests';

/** One execution of a test case, as a report has it. `suite` is null when the report names none. */
export interface FoundCase {
  readonly suite: string | null;
  readonly name: string;
  readonly status: TestResultStatus;
  /** In milliseconds. */
  readonly duration: number;
  readonly failureDetails?: TestResultDetails;
  readonly errorDetails?: TestResultDetails;
  /** Why a case was skipped, or what a case that passed warned of. */
  readonly warningDetails?: TestResultDetails;
  /** The runner tried again after this: a later execution in the same report is what became of the case. */
  readonly isAttempt?: true;
}

/** Where a reader leaves what it finds. */
export interface ReportSink {
  found(one: FoundCase): void;
  /** An error that is about no single test case. */
  generalError(message: string): void;
  /** The same, and the report does not look whole: test cases may be missing. */
  doubt(message: string): void;
}

/**
 * `write` and `end` throw `Invalid` when the report cannot be read any further; what was found before counts. What a reader keeps is
 * bounded, whatever the report has.
 */
export interface FormatReader {
  write(text: string): void;
  end(): void;
  /** Gives out what is held back: the report cannot be read any further. */
  abandon(): void;
  /** Where the reading is, for messages: `line 3, column 7`. */
  place(): ReportPlace;
}

export interface ReportPlace {
  /** From 1. */
  readonly line: number;
  /** From 0; null in formats that are read in whole lines. */
  readonly column: number | null;
}

export type CreateFormatReader = (sink: ReportSink) => FormatReader;
