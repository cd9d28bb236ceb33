/** Events of a run at which its readers stop, for the slider of its page. */
import { type EventMetadata, isRunEvent, type JobId, type LoggedEvent } from '@tutti/manifests';
import { type Fact, factOf } from '@tutti/workflow/facts';
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
  const fact = factOf(event);
  const kind = kindOf(fact, after);
  if (kind === null) return null;
  const { job_id: id }: EventMetadata = event.metadata;
  const named = 'job' in fact ? fact.job : null;
  const job = named ?? (typeof id === 'string' ? jobOf(after, id as JobId)?.key : null) ?? '';
  return { seq, at: timeOf(event), kind, job };
}

/** At most so many marks, evenly thinned. Failures are left out last. */
export function thinned(marks: readonly Mark[], most: number): readonly Mark[] {
  if (marks.length <= most) return marks;
  const failures = marks.filter(({ kind }) => kind === 'failure');
  if (failures.length >= most) return evenly(failures, most);
  const others = marks.filter(({ kind }) => kind !== 'failure');
  const kept = new Set([...failures, ...evenly(others, most - failures.length)]);
  return marks.filter((mark) => kept.has(mark));
}

const evenly = (marks: readonly Mark[], most: number): readonly Mark[] =>
  marks.filter(
    (_, at) =>
      Math.floor((at * most) / marks.length) !== Math.floor(((at - 1) * most) / marks.length),
  );

function kindOf(fact: Fact, after: RunView): Mark['kind'] | null {
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
