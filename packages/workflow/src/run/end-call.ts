/** Ends a step that called a function, once all steps in its place ended. */
import type { RunEvent } from '@tutti/manifests';
import { outerScope } from './contexts.ts';
import { attempt, outputTexts } from './evaluation.ts';
import type { RunEvents } from './events.ts';
import { type Frame, type Job, type Run, type StepOutcome, stepOriginOf } from './run.ts';

export interface EndedCall {
  readonly run: Run;
  readonly job: Job;
  /** The steps in its place. */
  readonly frame: Frame;
}

/** `judged`: the outcome that others decided, and lines about it. */
export function endCall(
  { run, job, frame }: EndedCall,
  events: RunEvents,
  judged: { readonly outcome?: StepOutcome; readonly logs?: readonly string[] } = {},
): RunEvent | null {
  const { provider } = frame;
  if (provider === null) return null;
  const scope = outerScope(run, job, events.budget);
  const where = `jobs.${job.key}, step ${provider.uses}, outputs`;
  const outputs = attempt(where, () => outputTexts(provider.outputs, scope));
  if (!outputs.ok && run.cancellation === null) return events.error(job, outputs.error);
  const canceled = frame.ended.some(({ state }) => state.conclusion === 'cancelled');
  const outcome = judged.outcome ?? (canceled ? 'cancelled' : frame.status);
  const forgiven = outcome === 'failure' && provider.continueOnError;
  const stepOrigin = stepOriginOf(job).slice(0, -1);
  const state = {
    outcome,
    conclusion: forgiven ? 'success' : outcome,
    outputs: outputs.ok ? outputs.value : {},
  } as const;
  return events.stepEnded(job, provider.stepId, state, { stepOrigin, logs: judged.logs ?? [] });
}
