/** Selections of tests of a report, for tools that can run them alone. */
import type { ChannelOs } from '@tutti/manifests';

/** A test as its report names it. */
export interface ReportedTest {
  readonly suite: string | null;
  readonly name: string;
  /** Where the report has it apart. */
  readonly file: string | null;
}

interface AskedTests {
  readonly wanted: readonly ReportedTest[];
  /** The other tests of the step that ran. None of them may run again. */
  readonly others: readonly (ReportedTest & { readonly hasFailed: boolean })[];
  readonly os: ChannelOs;
}

/** Words that make the tool run the wanted tests alone; null where no words do. */
export type SelectTests = (asked: AskedTests) => readonly string[] | null;
