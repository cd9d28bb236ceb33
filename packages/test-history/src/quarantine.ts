/** Quarantine: tests that run and whose failures do not count. It ends when it was agreed, or before. */
import type { TestState } from './state.ts';
import { DAY_MS } from './strip.ts';

export interface QuarantineRules {
  /** The longest quarantine. */
  readonly daysMax: number;
  /** The part of the tests of a project that may be in quarantine. */
  readonly share: number;
}

export interface Quarantined {
  readonly state: TestState;
  /** The end of the quarantine; null without one. */
  readonly untilMs: number | null;
}

/** Whether failures of this variant do not count. A broken one is never spared, whatever was agreed. */
export const isQuarantined = ({ state, untilMs }: Quarantined, nowMs: number): boolean =>
  untilMs !== null && nowMs < untilMs && state !== 'broken';

/** Whether a variant has recovered with an execution: a quarantine has no reason any more. */
export const hasRecovered = (from: TestState, to: TestState): boolean =>
  from === 'flaky' && !isUnreliable(to);

/** A quarantine of a whole test goes on while one of its variants is so. */
export const isUnreliable = (state: TestState): boolean => state === 'flaky' || state === 'broken';

export interface QuarantineRequest {
  readonly reason: string;
  readonly fromMs: number;
  readonly untilMs: number;
  readonly state: TestState;
  /** Somebody wants it although the test is broken. */
  readonly isForced: boolean;
  /** The tests of the project, and the others of them that are in quarantine. */
  readonly tests: number;
  readonly quarantined: number;
}

export type QuarantineProblem = 'no reason' | 'no end' | 'too long' | 'broken' | 'share reached';

/** The reason to refuse a quarantine; null if it may begin. */
export function quarantineProblem(
  request: QuarantineRequest,
  rules: QuarantineRules,
): QuarantineProblem | null {
  const { reason, fromMs, untilMs } = request;
  if (reason.trim() === '') return 'no reason';
  if (untilMs <= fromMs) return 'no end';
  if (untilMs > fromMs + rules.daysMax * DAY_MS) return 'too long';
  if (request.state === 'broken' && !request.isForced) return 'broken';
  return request.quarantined < roomIn(request.tests, rules) ? null : 'share reached';
}

/** At least one, so that small projects have quarantine at all. */
export const roomIn = (tests: number, { share }: Pick<QuarantineRules, 'share'>): number =>
  Math.max(Math.floor(share * tests), 1);
