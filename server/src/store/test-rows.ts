/** Tests, and where they run, as the history of tests keeps them. */

/** The five parts that make a test the same one in all runs. */
export interface TestRow {
  /** A UUID of the parts (`testIdOf`). */
  readonly id: string;
  readonly namespace: string;
  readonly project: string;
  readonly technology: string;
  readonly suite: string;
  readonly name: string;
}

/** A test together with where it runs. */
export interface VariantRow {
  /** A UUID of test, job and function (`variantIdOf`). */
  readonly id: string;
  readonly job: string;
  /** Empty where a script ran it. */
  readonly function: string;
}

/** Where a job of a run was carried out. */
export interface PlaceRow {
  readonly agent: string | null;
  readonly tags: readonly string[];
}
