/** Readers of all report formats share this interface. They take text as it arrives, and return each test case when it is complete. */
import type { TestResultDetails, TestResultStatus } from '@tutti/manifests';

/** One execution of a test case in a report. `suite` is null if the report names none. */
export interface FoundCase {
  readonly suite: string | null;
  readonly name: string;
  readonly status: TestResultStatus;
  /** In milliseconds. */
  readonly duration: number;
  /** The file of the test, where the report has it apart. Cucumber finds a scenario by its line, which follows `:`. */
  readonly file?: string;
  readonly failureDetails?: TestResultDetails;
  readonly errorDetails?: TestResultDetails;
  /** Reason of a skipped case, or warning of a passed one. */
  readonly warningDetails?: TestResultDetails;
  /** The runner tried again after this execution: a later one in the same report decides the outcome. */
  readonly isAttempt?: true;
}

/** Takes the findings of a reader. */
export interface ReportSink {
  found(one: FoundCase): void;
  /** An error that is about no single test case. */
  generalError(message: string): void;
  /** Reports that the file seems incomplete: test cases may be missing. */
  doubt(message: string): void;
}

/**
 * `write` and `end` throw `Invalid` when the report cannot be read further; earlier test cases count. The memory of a reader is
 * bounded for every report.
 */
export interface FormatReader {
  write(text: string): void;
  end(): void;
  /** Releases held-back cases: the report cannot be read further. */
  abandon(): void;
  /** The current place, for messages: `line 3, column 7`. */
  place(): ReportPlace;
}

export interface ReportPlace {
  /** From 1. */
  readonly line: number;
  /** From 0; null in formats that are read in whole lines. */
  readonly column: number | null;
}

export type CreateFormatReader = (sink: ReportSink) => FormatReader;
