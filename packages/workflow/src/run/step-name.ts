/** The name of a step for expressions, `opentf.step` (wire facts 6.7). */
import { type IdentifiedStep, type Job, topFrame } from './run.ts';

/**
 * `run1`, `run2` for the scripts of the innermost frame. `actionscheckout`, then `actionscheckout2` for its calls of a function, without
 * the version. Empty when no step comes next. Steps of hooks are counted apart, so that a hook renames none of the author's.
 */
export function nameOfNextStep(job: Job): string {
  const frame = topFrame(job);
  const step = frame?.steps[frame.next];
  if (frame === null || step === undefined) return '';
  const stem = stemOf(step);
  const isLike = (other: IdentifiedStep) =>
    stemOf(other) === stem && (other.hook === undefined) === (step.hook === undefined);
  const count = frame.steps.slice(0, frame.next + 1).filter(isLike).length;
  return count === 1 && step.uses !== undefined ? stem : `${stem}${count}`;
}

/** Letters, digits and underscores of the name, so that it can be part of any other. */
function stemOf({ uses }: IdentifiedStep): string {
  return uses === undefined ? 'run' : uses.replace(/@.*$/, '').replace(/[^a-zA-Z0-9_]/g, '');
}
