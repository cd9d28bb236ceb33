/** Follows a run for no longer than it may take. */
import type { Client } from '@tutti/client';
import { asCalled } from '../command-name.ts';
import type { EndOptions } from '../end-options.ts';
import type { Io } from '../io.ts';
import { problemOf, renderProblem } from '../problem.ts';
import { formatDuration } from '../run-view/style.ts';
import { type FollowRunOptions, followRun } from './follow-run.ts';

/** What timers can wait, about 25 days. */
const TIMER_MS_MAX = 2 ** 31 - 1;

/** How the run ended; null where that took too long, which is told. */
export async function followInTime(
  client: Client,
  workflowId: string,
  { timeout, cancelOnTimeout = false, ...following }: EndOptions & FollowRunOptions,
  io: Io,
): Promise<'DONE' | 'FAILED' | null> {
  if (timeout === undefined) return await followRun(client, workflowId, io, following);
  const limit = new AbortController();
  let isLate = false;
  const late = () => {
    isLate = true;
    if (cancelOnTimeout) void cancel(client, workflowId, timeout, io);
    else limit.abort();
  };
  const timer = setTimeout(late, Math.min(timeout, TIMER_MS_MAX));
  try {
    const status = await followRun(client, workflowId, io, { ...following, signal: limit.signal });
    // What succeeded all the same was only almost too late.
    return isLate && status === 'FAILED' ? null : status;
  } catch (error) {
    if (!limit.signal.aborted) throw error;
    io.complain(goesOnText(workflowId, timeout, io));
    return null;
  } finally {
    clearTimeout(timer);
  }
}

function goesOnText(workflowId: string, timeoutMs: number, { command }: Io): string {
  const what = `Workflow ${workflowId} is not over after ${formatDuration(timeoutMs)}, and goes on.`;
  const next = `see how with "tutti workflows show ${workflowId}", or end it with "tutti cancel ${workflowId}".`;
  return renderProblem({ what, why: [], next: asCalled(next, command) }, command);
}

async function cancel(
  client: Client,
  workflowId: string,
  timeoutMs: number,
  io: Io,
): Promise<void> {
  const took = `took longer than ${formatDuration(timeoutMs)}`;
  io.complain(`tutti: Workflow ${workflowId} ${took}, and is canceled.\n`);
  try {
    await client.cancel(workflowId, { reason: `It ${took}.`, source: 'tutti run' });
  } catch (error) {
    io.complain(renderProblem(problemOf(error), io.command));
  }
}
