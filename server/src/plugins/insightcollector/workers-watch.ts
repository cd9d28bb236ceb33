/** Waiting until workers are done with a run (wire facts 9.5). */
import type { WorkflowId } from '@tutti/manifests';
import type { EventBus, RunDirectory } from '../../bus/bus.ts';
import type { Timers } from '../../bus/timers.ts';

export interface WorkersWatchDeps {
  readonly bus: Pick<EventBus, 'subscribe'>;
  readonly runs: Pick<RunDirectory, 'current'>;
  readonly timers: Timers;
}

interface Waiter {
  readonly isAwaited: (workerId: string) => boolean;
  readonly resolve: () => void;
}

export class WorkersWatch {
  readonly #deps: WorkersWatchDeps;
  readonly #waiting = new Map<WorkflowId, Set<Waiter>>();

  constructor(deps: WorkersWatchDeps) {
    this.#deps = deps;
    deps.bus.subscribe('Notification', ({ metadata: { workflow_id: id } }) => {
      for (const { isAwaited, resolve } of this.#waiting.get(id) ?? []) {
        if (this.#isFree(id, isAwaited)) resolve();
      }
    });
  }

  /** Resolves when no awaited worker of the run is active, when the time is over, or when the signal aborts. */
  async free(
    workflowId: WorkflowId,
    isAwaited: Waiter['isAwaited'],
    withinMs: number,
    signal: AbortSignal,
  ): Promise<void> {
    if (withinMs <= 0 || signal.aborted || this.#isFree(workflowId, isAwaited)) return;
    const waiting = this.#waiting.get(workflowId) ?? new Set<Waiter>();
    this.#waiting.set(workflowId, waiting);
    const { promise, resolve } = Promise.withResolvers<void>();
    const waiter = { isAwaited, resolve };
    waiting.add(waiter);
    const aborted = () => resolve();
    signal.addEventListener('abort', aborted);
    const cancelTimer = this.#deps.timers.after(withinMs, resolve);
    await promise;
    cancelTimer();
    signal.removeEventListener('abort', aborted);
    waiting.delete(waiter);
    if (waiting.size === 0) this.#waiting.delete(workflowId);
  }

  /** Runs with active workers are in memory. */
  #isFree(workflowId: WorkflowId, isAwaited: Waiter['isAwaited']): boolean {
    const workers = this.#deps.runs.current(workflowId)?.workers ?? [];
    return ![...workers].some(isAwaited);
  }
}
