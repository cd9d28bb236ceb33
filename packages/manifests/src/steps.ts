/** Work that can pause after each step, so that its caller may do other work in between. */
export type Steps<Result> = Generator<undefined, Result, undefined>;

/** Carries out all steps without a pause. */
export function atOnce<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}
