/** A run that has too many bytes of events or takes too much memory is canceled. */
import { isEnded, type Run, type RunInput } from '@tutti/workflow';

/** The reason in the log of the run, and in the event. */
export const overfullReason = (bytesMax: number): string =>
  `The workflow has ${bytesMax} bytes of events, which is the limit (limits.runBytes). What it says from here on is left out.`;

/** True for a run that was not yet told to end. */
export const isToBeEnded = (run: Run): boolean => !isEnded(run) && run.cancellation === null;

/** Notifications need a bound. The results and commands that a run needs for its end have bounds of their own. */
export const isNoticeOnly = (inputs: readonly RunInput[]): boolean =>
  inputs.every((input) => input.type === 'event' && input.event.kind === 'Notification');
