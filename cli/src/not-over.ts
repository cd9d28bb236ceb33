/** What is said of a run that was waited for, and is not over in time. */
import type { Io } from './io.ts';
import { renderProblem } from './problem.ts';
import { formatDuration } from './run-view/style.ts';

/** Says it, of a run that is followed: see `untilStopped`. */
export const complainNotOver =
  (workflowId: string, io: Pick<Io, 'command' | 'complain'>) =>
  (timeoutMs: number): void =>
    io.complain(notOverText(workflowId, timeoutMs, io));

export function notOverText(
  workflowId: string,
  timeoutMs: number,
  { command }: Pick<Io, 'command'>,
): string {
  const what = `Workflow ${workflowId} is not over after ${formatDuration(timeoutMs)}, and goes on.`;
  const next = `see how with "tutti workflows show ${workflowId}", or end it with "tutti cancel ${workflowId}".`;
  return renderProblem({ what, why: [], next }, command);
}
