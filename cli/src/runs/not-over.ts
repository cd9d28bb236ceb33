/** Reports a run that did not end within the timeout. */
import type { Client } from '@tutti/client';
import { formatDuration } from '@tutti/run-view/text';
import type { Io } from '../terminal/io.ts';
import { renderProblem } from '../terminal/problem.ts';
import type { Ending } from '../terminal/until-stopped.ts';
import { endedStatus } from './wait-for-end.ts';

/** For a followed run: reports the timeout, unless the run has ended and only its output is late. */
export const runEnding = (
  client: Client,
  workflowId: string,
  timeout: number | undefined,
  io: Pick<Io, 'command' | 'complain'>,
): Ending => ({
  timeout,
  late: (timeoutMs) => io.complain(notOverText(workflowId, timeoutMs, io)),
  hasEnded: async (signal) => (await endedStatus(client, workflowId, signal)) !== null,
});

export function notOverText(
  workflowId: string,
  timeoutMs: number,
  { command }: Pick<Io, 'command'>,
): string {
  const what = `Workflow ${workflowId} is not over after ${formatDuration(timeoutMs)}, and goes on.`;
  const next = `see how with "tutti workflows show ${workflowId}", or end it with "tutti cancel ${workflowId}".`;
  return renderProblem({ what, why: [], next }, command);
}
