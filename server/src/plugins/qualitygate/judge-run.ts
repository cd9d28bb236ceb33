/** Judges runs that are over, within a time. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type WorkflowId, workflowNotFound } from '@tutti/manifests';
import {
  isInsightWorker,
  type QualityGate,
  type RuleResult,
  RuleTally,
  testOfManifest,
} from '@tutti/workflow';
import type { Clock } from '../../runtime/clock.ts';
import type { Holder, Leave } from '../../runtime/shares.ts';
import type { Store, WorkflowRow } from '../../store/store.ts';
import { GATE_LIMITS } from './limits.ts';
import { NONE_SPARED, type ResultSource, type SparedFailures } from './result-source.ts';

/** Wakes watchers of a run when it has new events; `isClosed` once the server ends. */
export interface RunFeed {
  readonly isClosed: boolean;
  watch(workflowId: WorkflowId, wake: () => void): () => void;
  /** Counts one more answer that stays open, until the returned function is called. Throws `TooManyRequests`. */
  admit(holder: Holder): Leave;
}

export interface JudgeDeps {
  readonly store: Pick<Store, 'workflow' | 'testCases' | 'testCaseManifests' | 'testCaseSummary'>;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly feed: RunFeed;
  /** Shared by all judgements of the server. */
  readonly turns: TurnQueue;
}

/** When to give up: at `deadlineMs`, or once nobody wants the answer. */
export interface Patience {
  readonly deadlineMs: number;
  readonly isWanted: () => boolean;
  /** Whether there is a place among the requests that wait; the request keeps it. */
  readonly mayWait: () => boolean;
}

/**
 * Waits until all test results of the run are there: until no worker but insight workers is active on it. False when that takes too long,
 * and where too many requests wait already. Throws `NotFound` when the run is forgotten meanwhile.
 */
export async function awaitWorkers(
  { store, clock, feed }: Omit<JudgeDeps, 'turns'>,
  workflowId: WorkflowId,
  { deadlineMs, isWanted, mayWait }: Patience,
): Promise<boolean> {
  const changes = new Changes();
  const unwatch = feed.watch(workflowId, () => changes.raise());
  try {
    while (isWanted() && !feed.isClosed) {
      const row: WorkflowRow | null = await store.workflow(workflowId);
      if (row === null) throw workflowNotFound(workflowId);
      if (row.workers.every(isInsightWorker)) return true;
      if (!mayWait()) return false;
      if (!(await changes.next(deadlineMs - clock.monotonicMs()))) return false;
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

export interface Judging extends JudgeDeps {
  readonly patience: Patience;
  /** Whether failures of tests in quarantine count as others do. */
  readonly countsQuarantine: boolean;
}

export interface Judged {
  /** By name. */
  readonly rules: ReadonlyMap<string, RuleResult>;
  /** Failures that do not count, whatever a rule takes. */
  readonly quarantined: number;
}

/** As the wire has them. */
export const shownResults = ({ rules, quarantined }: Judged) => ({
  rules: Object.fromEntries(rules),
  ...(quarantined === 0 ? {} : { quarantined }),
});

type SparingSource = ResultSource & { readonly spared: SparedFailures };

/** Null when the time is over first. */
export async function judgeRuns(
  judging: Judging,
  sources: readonly ResultSource[],
  gate: QualityGate,
): Promise<Judged | null> {
  let quarantined = 0;
  const tallies = gate.rules.map((rule) => new RuleTally(rule));
  const unscoped = tallies.filter(({ takesAll }) => takesAll);
  const scoped = tallies.filter(({ takesAll }) => !takesAll);
  for (const source of sources) {
    const spared = await sparedIn(judging, source);
    if (spared === null) return null;
    for (const count of spared.counts.values()) quarantined += count;
    if (unscoped.length > 0) await countSummary(judging, source, unscoped);
    for (const tally of unscoped) {
      for (const [outcome, count] of spared.counts) tally.spare(outcome, count);
    }
    if (!(await countAll(judging, { ...source, spared }, scoped))) return null;
  }
  return { rules: new Map(tallies.map((tally) => [tally.rule.name, tally.result()])), quarantined };
}

async function sparedIn(judging: Judging, source: ResultSource): Promise<SparedFailures | null> {
  const { store, turns, patience, countsQuarantine } = judging;
  if (countsQuarantine) return NONE_SPARED;
  // Loaded with the first verdict: a start needs none of it.
  const { sparedFailures } = await import('./spared-failures.ts');
  return await sparedFailures(store, source, async () => {
    await turns.next();
    return !isGivenUp(judging, patience);
  });
}

async function countSummary(
  { store }: JudgeDeps,
  { workflowId, jobIds }: ResultSource,
  tallies: readonly RuleTally[],
): Promise<void> {
  for (const { jobId, outcome, count } of await store.testCaseSummary(workflowId)) {
    if (jobIds !== null && !jobIds.has(jobId)) continue;
    for (const tally of tallies) tally.addCount(outcome, count);
  }
}

/**
 * False when the time is over first. A scope may take long for each of many test cases. So others get their turn often, and before each
 * page.
 */
async function countAll(
  judging: Judging,
  source: SparingSource,
  tallies: readonly RuleTally[],
): Promise<boolean> {
  for (let offset = 0; tallies.some(({ isClosed }) => !isClosed); ) {
    await judging.turns.next();
    const { page, count } = await readPage(judging, source, offset);
    if (count === 0) return true;
    if (offset > 0 && isGivenUp(judging, judging.patience)) return false;
    if (!(await countPage(judging, { page, spared: source.spared }, tallies))) return false;
    offset += count;
  }
  return true;
}

/** Manifests as JSON texts. Which job they are of costs three times as much to read. */
async function readPage(
  { store }: JudgeDeps,
  { workflowId, jobIds }: ResultSource,
  offset: number,
): Promise<{ readonly page: readonly string[]; readonly count: number }> {
  const { page: size } = GATE_LIMITS;
  if (jobIds === null) {
    const page = await store.testCaseManifests(workflowId, offset, size);
    return { page, count: page.length };
  }
  const { items } = await store.testCases(workflowId, offset, size);
  const page = items.filter(({ jobId }) => jobIds.has(jobId)).map(({ json }) => json);
  return { page, count: items.length };
}

async function countPage(
  judging: Judging,
  { page, spared }: { readonly page: readonly string[]; readonly spared: SparedFailures },
  tallies: readonly RuleTally[],
): Promise<boolean> {
  const { clock, turns, patience } = judging;
  let turnEndsMs = clock.monotonicMs() + GATE_LIMITS.turnMs;
  for (const json of page) {
    const testCase = testOfManifest(json);
    const isSpared = spared.has(json);
    for (const tally of tallies) {
      tally.add(testCase, isSpared);
      if (clock.monotonicMs() < turnEndsMs) continue;
      if (isGivenUp(judging, patience)) return false;
      await turns.next();
      turnEndsMs = clock.monotonicMs() + GATE_LIMITS.turnMs;
    }
  }
  return true;
}

/** True when nobody wants the answer any more, or when it came too late. */
export function isGivenUp(
  { clock, feed }: Pick<JudgeDeps, 'clock' | 'feed'>,
  { deadlineMs, isWanted }: Patience,
): boolean {
  return clock.monotonicMs() >= deadlineMs || !isWanted() || feed.isClosed;
}

/** However many judgements there are, between two turns of any of them everything else has one. */
export class TurnQueue {
  #last: Promise<void> = Promise.resolve();

  next(): Promise<void> {
    this.#last = this.#last.then(() => nextTurn());
    return this.#last;
  }
}
