/** What a reader of a run would stop at, for the slider of its page. */
import { isRunEvent, type LoggedEvent } from '@tutti/manifests';
import { factOf } from '@tutti/workflow/facts';
import { jobOf, type RunView, timeOf } from './run-view.ts';

export interface Mark {
  /** Number of its event, from 1. */
  readonly seq: number;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly kind: 'start' | 'end' | 'failure' | 'wait';
  /** Key of the job; empty for the run. */
  readonly job: string;
}

/** The mark of an event, if it has one. `after`: the run with it; `seq`: its number. */
export function markOf(event: LoggedEvent, after: RunView, seq: number): Mark | null {
  if (!isRunEvent(event)) return null;
  const kind = kindOf(event, after);
  if (kind === null) return null;
  const { job_id: id } = event.metadata as { readonly job_id?: Parameters<typeof jobOf>[1] };
  return { seq, at: timeOf(event), kind, job: jobOf(after, id)?.key ?? '' };
}

function kindOf(event: Parameters<typeof factOf>[0], after: RunView): Mark['kind'] | null {
  const fact = factOf(event);
  switch (fact.type) {
    case 'RunReceived':
    case 'EnvironmentOffered':
    case 'JobsGiven':
      return 'start';
    case 'StepAnswered':
      return fact.event.status === 0 || fact.event.metadata.step_sequence_id < 0 ? null : 'failure';
    case 'RunFailed':
      return 'failure';
    case 'JobReleased':
      return jobOf(after, fact.event.metadata.job_id)?.result === 'failure' ? 'failure' : 'end';
    case 'JobEnded':
      return fact.result === 'failure' ? 'failure' : 'end';
    case 'RunSucceeded':
      return 'end';
    case 'RunEnded':
      return after.phase === 'CANCELED' ? 'end' : 'failure';
    case 'Held':
      return 'wait';
    default:
      return null;
  }
}
