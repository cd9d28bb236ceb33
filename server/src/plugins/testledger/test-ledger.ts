/** Folds runs that are over into the history of tests, one after the other, behind everything else. Removes what is too old. */
import { formatTimestamp, type WorkflowId } from '@tutti/manifests';
import type { EventBus, RunDirectory } from '../../bus/bus.ts';
import type { Timers } from '../../bus/timers.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Logger } from '../../runtime/logger.ts';
import type { Service } from '../../runtime/service.ts';
import { nextTurn } from '../../runtime/turns.ts';
import type { Store } from '../../store/store.ts';
import type { HistoryBounds, UnfoldedRun } from '../../store/test-history.ts';
import { HISTORY_LIMITS } from './limits.ts';

export interface TestLedgerDeps {
  readonly store: Store;
  readonly bus: Pick<EventBus, 'subscribe'>;
  readonly runs: Pick<RunDirectory, 'find'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly timers: Timers;
  readonly logger: Logger;
  readonly bounds: Omit<HistoryBounds, 'createdBefore'> & { readonly days: number };
  readonly mainBranches: readonly string[];
  /** Its process ends with its runs, so they are folded before. */
  readonly isLocal: boolean;
}

const PROBLEM = 'Test results could not be folded into the history.';
const NEARLY_FULL =
  'The history of tests is nearly full. Soon the executions of the oldest runs leave, whatever their age. Raise testHistory.executions, or lower testHistory.days.';
const DAY_MS = 86_400_000;

export class TestLedger implements Service {
  readonly name = 'testledger';
  readonly #deps: TestLedgerDeps;
  readonly #stopping = new AbortController();
  /** Failed tries to fold a run. */
  readonly #tries = new Map<WorkflowId, number>();
  #working: Promise<void> = Promise.resolve();
  #cancels: (() => void)[] = [];
  #isPlanned = false;
  #isNearlyFull = false;

  constructor(deps: TestLedgerDeps) {
    this.#deps = deps;
  }

  async start(): Promise<void> {
    const { bus } = this.#deps;
    const plan = () => this.#plan(HISTORY_LIMITS.delayMs);
    this.#cancels.push(
      bus.subscribe('WorkflowCompleted', plan),
      bus.subscribe('WorkflowCanceled', plan),
      // The last worker ends after the run, which has all of its results then.
      bus.subscribe('Notification', ({ spec }) => {
        if (spec.worker !== undefined) plan();
      }),
    );
    this.#plan(HISTORY_LIMITS.delayMs);
    this.#planRemoval();
  }

  async stop(): Promise<void> {
    if (this.#deps.isLocal) await this.#foldAtEnd();
    this.#stopping.abort();
    for (const cancel of this.#cancels) cancel();
    this.#cancels = [];
    await this.#working;
  }

  /** The next process folds the runs that are left. */
  async #foldAtEnd(): Promise<void> {
    const cancel = this.#deps.timers.after(HISTORY_LIMITS.endMs, () => this.#stopping.abort());
    this.#work(() => this.#foldAll(), PROBLEM);
    await this.#working;
    cancel();
  }

  get #isStopped(): boolean {
    return this.#stopping.signal.aborted;
  }

  #plan(delayMs: number): void {
    if (this.#isPlanned || this.#isStopped) return;
    this.#isPlanned = true;
    this.#after(delayMs, () => {
      this.#isPlanned = false;
      this.#work(() => this.#foldAll(), PROBLEM);
    });
  }

  #planRemoval(): void {
    this.#after(HISTORY_LIMITS.removalMs, () => {
      this.#work(() => this.#removeAll(), 'Old test results could not be removed.');
      this.#planRemoval();
    });
  }

  #after(delayMs: number, work: () => void): void {
    const cancel = this.#deps.timers.after(delayMs, () => {
      this.#cancels = this.#cancels.filter((each) => each !== cancel);
      if (!this.#isStopped) work();
    });
    this.#cancels.push(cancel);
  }

  /** One piece of work after the other. A failure of the store ends it until later. */
  #work(work: () => Promise<void>, problem: string): void {
    this.#working = this.#working.then(work).catch((error) => {
      if (this.#isStopped) return;
      this.#deps.logger.error({ err: error }, problem);
      this.#plan(HISTORY_LIMITS.retryMs);
    });
  }

  async #foldAll(): Promise<void> {
    for (;;) {
      const waiting = await this.#deps.store.unfoldedRuns(HISTORY_LIMITS.waitingRuns);
      if (waiting.length === 0) return;
      for (const run of waiting) {
        if (this.#isStopped) return;
        await this.#foldOne(run);
        await nextTurn();
      }
    }
  }

  async #foldOne(run: UnfoldedRun): Promise<void> {
    const { signal } = this.#stopping;
    try {
      // Loaded with the first run: a start needs none of it.
      const { foldRun } = await import('./fold-run.ts');
      await foldRun({ ...this.#deps, signal }, run);
      this.#tries.delete(run.workflowId);
    } catch (error) {
      if (signal.aborted) return;
      const tries = (this.#tries.get(run.workflowId) ?? 0) + 1;
      this.#tries.set(run.workflowId, tries);
      if (tries < HISTORY_LIMITS.tries) throw error;
      await this.#giveUp(run, error);
    }
  }

  /** A run that waits for ever could never be removed. */
  async #giveUp({ workflowId, mark }: UnfoldedRun, error: unknown): Promise<void> {
    const { store, logger } = this.#deps;
    const end = { run: 0, workflowId, mark, onlyFailed: null };
    await store.write({ testHistory: { end } });
    this.#tries.delete(workflowId);
    logger.error({ err: error, workflowId }, 'A run is left out of the history of tests.');
  }

  async #removeAll(): Promise<void> {
    const { store, clock, bounds } = this.#deps;
    const { days, ...rest } = bounds;
    const createdBefore = formatTimestamp(Math.max(0, clock.now() - days * DAY_MS));
    while (!this.#isStopped) {
      const runs = await store.surplusRuns({ ...rest, createdBefore }, HISTORY_LIMITS.removedRuns);
      if (runs.length === 0) return await this.#warnIfNearlyFull({ ...rest, createdBefore });
      for (const run of runs) await this.#remove(run);
    }
  }

  /** Once, until there is room again. */
  async #warnIfNearlyFull(bounds: HistoryBounds): Promise<void> {
    const { store, logger } = this.#deps;
    const executions = Math.floor(bounds.executions * HISTORY_LIMITS.warnedShare);
    const isNearlyFull = (await store.surplusRuns({ ...bounds, executions }, 1)).length > 0;
    if (isNearlyFull && !this.#isNearlyFull) {
      logger.warn({ executionsMax: bounds.executions }, NEARLY_FULL);
    }
    this.#isNearlyFull = isNearlyFull;
  }

  async #remove(run: number): Promise<void> {
    const { store } = this.#deps;
    while (!this.#isStopped) {
      await store.write({ testHistory: { remove: run } });
      if ((await store.testedRuns([run])).length === 0) return;
      await nextTurn();
    }
  }
}
