/** The history of tests: what it says about each of them, and what follows for a run. */
export {
  areAlike,
  bandKeys,
  type Cause,
  CauseFinder,
  causeKey,
  type FirstFailure,
  fingerprintKey,
  fingerprintOf,
  firstFailure,
  isNewCause,
  titleOf,
} from './causes.ts';
export {
  type Change,
  changesOf,
  runEffect,
  type TimedExecution,
} from './change-points.ts';
export { estimateOf, type Percentiles, percentilesOf } from './durations.ts';
export { type Execution, hasFlaked, isFailure, isFirstAttempt, isPass } from './execution.ts';
export {
  causeIdOf,
  functionOf,
  projectOf,
  type Sha1,
  type TestIdentity,
  testIdOf,
  type VariantIdentity,
  variantIdOf,
} from './identity.ts';
export type { Contradiction } from './known-versions.ts';
export { type Begin, type Judgement, Ledger, type LedgerFigures, type Totals } from './ledger.ts';
export { FAILURE_LIMITS, LEDGER_LIMITS } from './limits.ts';
export { isMass, isMassFailure, MASS_FAILURE, type RanTest } from './mass-failure.ts';
export type { Belief } from './model.ts';
export {
  type Move,
  movedTests,
  type NameRule,
  type NameWarning,
  nameWarning,
  type SuiteNames,
  stableName,
} from './names.ts';
export { type Failure, failureOf, type NormalFailure, normalFailure } from './normal-failure.ts';
export {
  type FailingPlace,
  failingPlaces,
  hourBlock,
  type PlacedExecution,
  type PlaceKind,
} from './places.ts';
export {
  hasRecovered,
  isQuarantined,
  isUnreliable,
  type Quarantined,
  type QuarantineProblem,
  type QuarantineRequest,
  type QuarantineRules,
  quarantineProblem,
  roomIn,
} from './quarantine.ts';
export {
  contradictionRate,
  type FailedRun,
  failureRate,
  type Impact,
  impactOf,
  passRateOnVersion,
  RATE_WINDOW,
  type Rate,
  rateOf,
  windowOf,
} from './rates.ts';
export { type AttemptResult, type NoRetry, type RetryRule, retriedUnits } from './retry.ts';
export {
  type Asking,
  agentsFor,
  batchSize,
  type EstimatedUnit,
  isSplitFile,
  queueOf,
  SPLIT,
  type SplitTarget,
  slownessOf,
  type Unit,
} from './split.ts';
export { passesToRecover, passesToVerify, type TestState } from './state.ts';
export type { Counted } from './strip.ts';
export { failingTogether, jaccard } from './together.ts';
export {
  type BranchFacts,
  branchOf,
  type Checkout,
  isMainBranch,
  type Sha256,
  type VersionFacts,
  versionOf,
} from './version.ts';
