/** Work that can stop after each step, so that whoever carries it out may do something else in between. */
export type Steps<Result> = Generator<undefined, Result, undefined>;

/** Carries out all steps: where nobody waits. */
export function atOnce<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}
