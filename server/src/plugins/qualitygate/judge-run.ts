/** Judges a run that is over, within a time. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type WorkflowId, workflowNotFound } from '@tutti/manifests';
import {
  type QualityGate,
  type RuleResult,
  RuleTally,
  type TestCaseManifest,
} from '@tutti/workflow';
import type { Clock } from '../../runtime/clock.ts';
import type { Store, WorkflowRow } from '../../store/store.ts';
import { GATE_LIMITS } from './limits.ts';

/** Tells who watches a run that it has new events; `isClosed` once the server ends. */
export interface RunFeed {
  readonly isClosed: boolean;
  watch(workflowId: WorkflowId, wake: () => void): () => void;
}

export interface JudgeDeps {
  readonly store: Pick<Store, 'workflow' | 'testCases' | 'testCaseSummary'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly feed: RunFeed;
}

/** When to give up: at `deadlineMs`, or once nobody wants the answer. */
export interface Patience {
  readonly deadlineMs: number;
  readonly isWanted: () => boolean;
}

/**
 * Waits until all test results of the run are there, that is until no worker is active on it. False when that takes too long.
 * Throws `NotFound` when the run is forgotten meanwhile.
 */
export async function awaitWorkers(
  { store, clock, feed }: JudgeDeps,
  workflowId: WorkflowId,
  { deadlineMs, isWanted }: Patience,
): Promise<boolean> {
  const changes = new Changes();
  const unwatch = feed.watch(workflowId, () => changes.raise());
  try {
    while (isWanted() && !feed.isClosed) {
      const row: WorkflowRow | null = await store.workflow(workflowId);
      if (row === null) throw workflowNotFound(workflowId);
      if (row.workers.length === 0) return true;
      if (!(await changes.next(deadlineMs - clock.now()))) return false;
    }
    return false;
  } finally {
    unwatch();
  }
}

/** Remembers a change that comes while nobody waits. */
class Changes {
  #hasChanged = false;
  #wake: () => void = () => undefined;

  raise(): void {
    this.#hasChanged = true;
    this.#wake();
  }

  /** True once there was a change since the last call, false when there is none within that time. */
  async next(withinMs: number): Promise<boolean> {
    if (!this.#hasChanged && withinMs > 0) await this.#sleep(withinMs);
    const answer = this.#hasChanged;
    this.#hasChanged = false;
    return answer;
  }

  #sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

/** The results of all rules, by name; null when the time is over first. */
export async function judgeRun(
  deps: JudgeDeps,
  workflowId: WorkflowId,
  gate: QualityGate,
  patience: Patience,
): Promise<ReadonlyMap<string, RuleResult> | null> {
  const tallies = gate.rules.map((rule) => new RuleTally(rule));
  const unscoped = tallies.filter(({ takesAll }) => takesAll);
  const scoped = tallies.filter(({ takesAll }) => !takesAll);
  if (unscoped.length > 0) {
    for (const { outcome, count } of await deps.store.testCaseSummary(workflowId)) {
      for (const tally of unscoped) tally.addCount(outcome, count);
    }
  }
  if (!(await countAll(deps, workflowId, scoped, patience))) return null;
  return new Map(tallies.map((tally) => [tally.rule.name, tally.result()]));
}

/** False when the time is over first. Others get their turn often: a scope may take long for each of many test cases. */
async function countAll(
  { store, clock }: JudgeDeps,
  workflowId: WorkflowId,
  tallies: readonly RuleTally[],
  patience: Patience,
): Promise<boolean> {
  let turnEndsMs = clock.now() + GATE_LIMITS.turnMs;
  for await (const testCase of testCasesOf(store, workflowId)) {
    if (tallies.every(({ isClosed }) => isClosed)) return true;
    for (const tally of tallies) {
      tally.add(testCase);
      if (clock.now() < turnEndsMs) continue;
      if (clock.now() >= patience.deadlineMs || !patience.isWanted()) return false;
      await nextTurn();
      turnEndsMs = clock.now() + GATE_LIMITS.turnMs;
    }
  }
  return true;
}

async function* testCasesOf(
  store: JudgeDeps['store'],
  workflowId: WorkflowId,
): AsyncGenerator<TestCaseManifest> {
  for (let offset = 0; ; offset += GATE_LIMITS.page) {
    const { items } = await store.testCases(workflowId, offset, GATE_LIMITS.page);
    for (const { json } of items) yield JSON.parse(json);
    if (items.length < GATE_LIMITS.page) return;
  }
}
