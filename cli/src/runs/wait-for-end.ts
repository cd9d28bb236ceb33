/** Waits for the end of runs, within a time limit. */
import type { Client } from '@tutti/client';
import { TIMER_MS_MAX } from '../terminal/timer-limit.ts';

const ENDS = 'kind in (WorkflowCompleted,WorkflowCanceled)';

/** Status of a run that is over now; null for one that goes on. */
export async function endedStatus(
  client: Client,
  workflowId: string,
  signal?: AbortSignal,
): Promise<'DONE' | 'FAILED' | null> {
  for await (const { status } of client.eventPages(workflowId, { fieldSelector: ENDS, signal })) {
    if (status === 'DONE' || status === 'FAILED') return status;
  }
  return null;
}

/** Status of the ended run; null if it still goes on after `waitMs`. By default it waits until the end. */
export async function waitForEnd(
  client: Client,
  workflowId: string,
  waitMs: number = TIMER_MS_MAX,
): Promise<'DONE' | 'FAILED' | null> {
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(), Math.min(waitMs, TIMER_MS_MAX));
  try {
    for await (const item of client.watch(workflowId, {
      fieldSelector: ENDS,
      signal: limit.signal,
    })) {
      if (item.type === 'end') return item.status;
    }
    throw new Error('The stream of events ended before the run.');
  } catch (error) {
    if (limit.signal.aborted) return null;
    throw error;
  } finally {
    clearTimeout(timer);
  }
}
