/** Waiting until nobody works on a run any more, but those who make reports (wire facts 9.5). */
import type { WorkflowId } from '@tutti/manifests';
import { isInsightWorker } from '@tutti/workflow';
import type { EventBus, RunDirectory } from '../../bus/bus.ts';
import type { Timers } from '../../bus/timers.ts';

export interface WorkersWatchDeps {
  readonly bus: Pick<EventBus, 'subscribe'>;
  readonly runs: Pick<RunDirectory, 'current'>;
  readonly timers: Timers;
}

export class WorkersWatch {
  readonly #deps: WorkersWatchDeps;
  readonly #waiting = new Map<WorkflowId, Set<() => void>>();

  constructor(deps: WorkersWatchDeps) {
    this.#deps = deps;
    deps.bus.subscribe('Notification', ({ metadata: { workflow_id: id } }) => {
      const waiting = this.#waiting.get(id);
      if (waiting === undefined || !this.#isIdle(id)) return;
      for (const resolve of waiting) resolve();
    });
  }

  /** Resolves when no worker is active on the run, when the time is over, or when the signal aborts. */
  async idle(workflowId: WorkflowId, withinMs: number, signal: AbortSignal): Promise<void> {
    if (withinMs <= 0 || signal.aborted || this.#isIdle(workflowId)) return;
    const waiting = this.#waiting.get(workflowId) ?? new Set();
    this.#waiting.set(workflowId, waiting);
    const { promise, resolve } = Promise.withResolvers<void>();
    waiting.add(resolve);
    const aborted = () => resolve();
    signal.addEventListener('abort', aborted);
    const cancelTimer = this.#deps.timers.after(withinMs, resolve);
    await promise;
    cancelTimer();
    signal.removeEventListener('abort', aborted);
    waiting.delete(resolve);
    if (waiting.size === 0) this.#waiting.delete(workflowId);
  }

  /** Runs with active workers are in memory. */
  #isIdle(workflowId: WorkflowId): boolean {
    const workers = this.#deps.runs.current(workflowId)?.workers ?? [];
    return [...workers].every(isInsightWorker);
  }
}
