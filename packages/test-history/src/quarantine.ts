/** Quarantine: tests that run and whose failures do not count. It ends when it was agreed, or before. */
import type { TestState } from './state.ts';
import { DAY_MS } from './strip.ts';

export const QUARANTINE = {
  days: 14,
  daysMax: 60,
  /** The part of the tests of a project that may be in quarantine without a person. */
  share: 0.02,
  /** Runs in 14 days that a test must have failed alone before Tutti acts by itself. */
  impactRunsMin: 3,
} as const;

/** `skip` only on request: all other tests run. */
export type QuarantineMode = 'run' | 'skip';

export interface Quarantine {
  /** The id of a test, for all of its variants, or that of one variant. */
  readonly subject: string;
  readonly fromMs: number;
  readonly untilMs: number;
  readonly mode: QuarantineMode;
}

/** An entry of the journal that changes a quarantine. */
export type QuarantineEntry =
  | ({ readonly kind: 'quarantined' } & Quarantine)
  | { readonly kind: 'released' | 'recovered'; readonly subject: string; readonly atMs: number };

/** The quarantines after these entries, by subject. A later one replaces an earlier one. Some may have expired: see `isInForce`. */
export function quarantinesAfter(
  journal: Iterable<QuarantineEntry>,
): ReadonlyMap<string, Quarantine> {
  const quarantines = new Map<string, Quarantine>();
  for (const entry of journal) {
    if (entry.kind === 'quarantined') quarantines.set(entry.subject, entry);
    else quarantines.delete(entry.subject);
  }
  return quarantines;
}

export const isInForce = ({ fromMs, untilMs }: Quarantine, nowMs: number): boolean =>
  fromMs <= nowMs && nowMs < untilMs;

/** A failed test when its results have arrived. */
export interface FailedTest {
  readonly test: string;
  readonly variant: string;
  readonly state: TestState;
  /** Its job has a mass failure. */
  readonly isMassFailure: boolean;
}

/** Whether a failure does not count. A broken test is never spared, nor is one whose job has a mass failure. */
export function isSpared(
  { test, variant, state, isMassFailure }: FailedTest,
  quarantines: ReadonlyMap<string, Quarantine>,
  nowMs: number,
): boolean {
  if (state === 'broken' || isMassFailure) return false;
  return [test, variant].some((subject) => {
    const quarantine = quarantines.get(subject);
    return quarantine !== undefined && isInForce(quarantine, nowMs);
  });
}

export interface QuarantineRequest {
  readonly reason: string;
  readonly fromMs: number;
  readonly untilMs: number;
  readonly state: TestState;
  /** Somebody wants it although the test is broken. */
  readonly isForced: boolean;
  /** The tests of the project, and those of them that are in quarantine. */
  readonly tests: number;
  readonly quarantined: number;
}

export type QuarantineProblem = 'no reason' | 'no end' | 'too long' | 'broken' | 'share reached';

/** The reason to refuse a quarantine; null if it may begin. */
export function quarantineProblem(request: QuarantineRequest): QuarantineProblem | null {
  const { reason, fromMs, untilMs } = request;
  if (reason.trim() === '') return 'no reason';
  if (untilMs <= fromMs) return 'no end';
  if (untilMs > fromMs + QUARANTINE.daysMax * DAY_MS) return 'too long';
  if (request.state === 'broken' && !request.isForced) return 'broken';
  return request.quarantined < roomIn(request.tests) ? null : 'share reached';
}

/** At least one, so that small projects have quarantine at all. */
const roomIn = (tests: number): number => Math.max(Math.floor(QUARANTINE.share * tests), 1);

export interface Candidate {
  readonly test: string;
  readonly state: TestState;
  readonly isQuarantined: boolean;
  /** Runs of the last 14 days that failed because of this test alone. */
  readonly impactRuns: number;
}

/** Tests to quarantine without a person, or to propose: flaky ones that cost most, as far as the share allows. */
export function candidatesFor(tests: readonly Candidate[]): readonly string[] {
  const quarantined = tests.filter(({ isQuarantined }) => isQuarantined).length;
  return tests
    .filter(({ state, isQuarantined }) => state === 'flaky' && !isQuarantined)
    .filter(({ impactRuns }) => impactRuns >= QUARANTINE.impactRunsMin)
    .sort((left, right) => right.impactRuns - left.impactRuns)
    .slice(0, Math.max(roomIn(tests.length) - quarantined, 0))
    .map(({ test }) => test);
}

/** `count` judges as if there was no quarantine. */
export type QuarantineInGates = 'respect' | 'count';

export interface GateCounts {
  /** Failures that count for the gate. */
  readonly failed: number;
  /** Failures that are spared. They keep their outcome. */
  readonly quarantined: number;
}

export function gateCounts(
  failures: readonly { readonly isSpared: boolean }[],
  setting: QuarantineInGates,
): GateCounts {
  const spared = failures.filter((failure) => failure.isSpared).length;
  const quarantined = setting === 'respect' ? spared : 0;
  return { failed: failures.length - quarantined, quarantined };
}
