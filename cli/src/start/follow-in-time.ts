/** Follows a run for no longer than it may take. */
import type { Client } from '@tutti/client';
import type { EndOptions } from '../options/end-options.ts';
import { besides } from '../run-view/presenter.ts';
import { notOverText } from '../runs/not-over.ts';
import type { Io } from '../terminal/io.ts';
import { problemOf, renderProblem } from '../terminal/problem.ts';
import { formatDuration } from '../terminal/style.ts';
import { TIMER_MS_MAX } from '../terminal/timer-limit.ts';
import { type FollowRunOptions, followRun, type Interrupt, type Opening } from './follow-run.ts';

/** How the run ended; null where that took too long, which is told. */
export async function followInTime(
  client: Client,
  workflowId: string,
  { timeout, cancelOnTimeout = false, ...following }: EndOptions & FollowRunOptions,
  io: Io,
  interrupt?: Interrupt,
): Promise<'DONE' | 'FAILED' | null> {
  if (timeout === undefined) return await followRun(client, workflowId, io, following, interrupt);
  const limit = new AbortController();
  let isLate = false;
  let opening: Opening | null = null;
  const complain = (text: string) => besides(opening?.presenter ?? null, () => io.complain(text));
  const late = () => {
    isLate = true;
    if (cancelOnTimeout)
      void cancel(client, workflowId, timeout, { command: io.command, complain });
    else limit.abort();
  };
  const timer = setTimeout(late, Math.min(timeout, TIMER_MS_MAX));
  try {
    const limited = {
      ...following,
      signal: limit.signal,
      onOpening: (opened: Opening) => {
        opening = opened;
      },
      onEnd: () => clearTimeout(timer),
    };
    const status = await followRun(client, workflowId, io, limited, interrupt);
    // What succeeded all the same was only almost too late.
    return isLate && status === 'FAILED' ? null : status;
  } catch (error) {
    if (!limit.signal.aborted) throw error;
    io.complain(notOverText(workflowId, timeout, io));
    return null;
  } finally {
    clearTimeout(timer);
  }
}

async function cancel(
  client: Client,
  workflowId: string,
  timeoutMs: number,
  io: Pick<Io, 'command' | 'complain'>,
): Promise<void> {
  const took = `took longer than ${formatDuration(timeoutMs)}`;
  io.complain(`tutti: Workflow ${workflowId} ${took}, and is canceled.\n`);
  try {
    await client.cancel(workflowId, { reason: `It ${took}.`, source: 'tutti run' });
  } catch (error) {
    io.complain(renderProblem(problemOf(error), io.command));
  }
}
