/** A test as its report names it. */
export interface ReportedTest {
  readonly suite: string | null;
  readonly name: string;
  /** Where the report has it apart. */
  readonly file: string | null;
}
