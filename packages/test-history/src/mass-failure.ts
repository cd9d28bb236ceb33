/** Jobs with so many new failures that they point to the environment, not to the tests. */

export const MASS_FAILURE = { testsMin: 20, shareMin: 1 / 5 } as const;

/** A test that ran in a job: whether its first attempt failed, and whether that of the run before did. */
export interface RanTest {
  readonly hasFailed: boolean;
  readonly hadFailed: boolean;
}

/** Failures are new if the test did not fail in the run before. So a job that goes on failing counts from its second run on. */
export function isMassFailure(tests: Iterable<RanTest>): boolean {
  let [ran, newFailures] = [0, 0];
  for (const { hasFailed, hadFailed } of tests) {
    ran++;
    if (hasFailed && !hadFailed) newFailures++;
  }
  return isMass({ ran, newFailures });
}

/** The same from counts. */
export const isMass = ({
  ran,
  newFailures,
}: {
  readonly ran: number;
  readonly newFailures: number;
}): boolean => newFailures >= MASS_FAILURE.testsMin && newFailures >= MASS_FAILURE.shareMin * ran;
