/** Throws if `phase` is none of the phases that a transition starts from: the caller has a bug. */
export function checkPhase<Phase extends string | null>(
  subject: string,
  phase: Phase,
  from: readonly NoInfer<Phase>[],
): void {
  if (from.includes(phase)) return;
  throw new Error(`${subject} is in phase ${phase ?? 'none'}, not in ${from.join(' or ')}.`);
}
