/** The history of tests: what it says about each of them, and what follows for a run. */
export { type Execution, hasFlaked, isFailure, isFirstAttempt, isPass } from './execution.ts';
export type { Contradiction } from './known-versions.ts';
export { type Begin, type Judgement, Ledger, type Totals } from './ledger.ts';
export { LEDGER_LIMITS } from './limits.ts';
export { isMassFailure, MASS_FAILURE, type RanTest } from './mass-failure.ts';
export type { Belief } from './model.ts';
export { passesToRecover, passesToVerify, STATES, type TestState, worstOf } from './state.ts';
export type { Counted } from './strip.ts';
