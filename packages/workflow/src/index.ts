export { artifactsWanted, asFile } from './environment/artifact-choice.ts';
export {
  artifactOfPath,
  artifactPath,
  attachmentName,
  attachmentPath,
  filePathOf,
  isArtifactPath,
  nameOfPath,
} from './environment/attachments.ts';
export { cutText, markedCut } from './environment/cut-text.ts';
export {
  countFile,
  type FileCount,
  isReportType,
  missingReports,
  type UnreadReport,
} from './environment/ignored-files.ts';
export { addMasks, maskSteps } from './environment/masks.ts';
export {
  COMMAND_FAILED_STATUS,
  carryOver,
  createOutputState,
  endOutput,
  LINE_LENGTH_MAX,
  missReport,
  OUTPUTS_LENGTH_MAX,
  type OutputLines,
  type OutputReading,
  type OutputRequest,
  type OutputState,
  readAhead,
  readOutput,
  TRANSFERS_MAX,
  warningsOf,
} from './environment/output.ts';
export { outputMessages } from './environment/output-messages.ts';
export { recordedWorkspace } from './environment/recorded-workspace.ts';
export { buildScript, plainRelease, type Script } from './environment/script.ts';
export { parseVariablesFile } from './environment/variables-file.ts';
export { extension } from './facts/extensions.ts';
export { renderEvent, renderTexts, shownTexts } from './projection/execution-log.ts';
export { insightScope } from './projection/insight-scope.ts';
export { type JobManifest, type JobPhase, jobManifest, withTestCounts } from './projection/jobs.ts';
export {
  createInsightLogOptions,
  createLogOptions,
  type LogOptions,
} from './projection/log-options.ts';
export { MANAGED_TEST_MEMBERS, managedTest } from './projection/managed-test.ts';
export { createRedactor, type Redactor, type ShownEvent } from './projection/redactor.ts';
export { resultPrecedence } from './projection/result-precedence.ts';
export {
  type FirstFailure,
  type FoundFailure,
  firstFailureIn,
  isSummaryChanged,
  type RunSummary,
  runSummaryOf,
} from './projection/run-summary.ts';
export { tagManifests } from './projection/tags.ts';
export {
  earlierRunExecution,
  identityOf,
  outcomeOf,
  presentTestCase,
  type RunOfItem,
  type TestCaseManifest,
  type TestOrigin,
  type TestOutcome,
  testCaseKey,
  testCaseManifest,
} from './projection/test-cases.ts';
export { addOutcome, NO_TESTS, type TestCounts, totalOf } from './projection/test-counts.ts';
export { testOfManifest } from './projection/test-of-manifest.ts';
export { parseTestScope, type TestScope, type WrittenScope } from './projection/test-scope.ts';
export { describeHelp } from './projection/waiting-help.ts';
export { describeWaiting } from './projection/waiting-sentence.ts';
export { insightWorkerId, isInsightWorker } from './projection/workers.ts';
export {
  BUILT_IN_GATES,
  duplicateRules,
  type QualityGate,
  readQualityGates,
} from './quality-gate/definition.ts';
export { gateStatus, type RuleResult, RuleTally } from './quality-gate/judgement.ts';
export { ARTIFACTS_MAX } from './run/artifacts.ts';
export { groupClaims } from './run/concurrency.ts';
export { variableValues } from './run/contexts.ts';
export { allDeadlines, epochMs, type MovedDeadlines, nextDeadline } from './run/deadlines.ts';
export { type Decision, decide, type RunInput } from './run/decide.ts';
export { isDownload } from './run/download.ts';
export { DECISION_STEPS_MAX } from './run/evaluation.ts';
export type { DecisionContext } from './run/events.ts';
export { evolve } from './run/evolve.ts';
export { fileAddresses } from './run/file-addresses.ts';
export { functionOfLabels } from './run/function-name.ts';
export { type PlacedErrors, placedErrors } from './run/general-errors.ts';
export { stepIdSteps, withId } from './run/generated-jobs.ts';
export { managedTestsOf, variableLevels } from './run/inherited.ts';
export { canHide, TOO_MANY_SECRETS } from './run/masks-of-run.ts';
export { openRequests } from './run/open-requests.ts';
export { withOwnJobs } from './run/own-jobs.ts';
export { isReportReader, testResultsWorkerId } from './run/report-readers.ts';
export {
  emptyRun,
  isEnded,
  isLive,
  type Job,
  jobById,
  jobOfAttachment,
  type Run,
  spanOf,
} from './run/run.ts';
export { type TakenOver, takenOver } from './run/taken-over.ts';
export { jobsWithin, type TakenResults, takenResults } from './run/taken-results.ts';
export { valuesSince } from './run/with-entry.ts';
export { isLastCommand } from './run/workspace.ts';
export {
  type ChannelPhase,
  type ChannelPool,
  createChannelPool,
  type PooledChannel,
  type PoolRequest,
} from './scheduling/channel-pool.ts';
export { INCEPTION_TAG } from './scheduling/waiting-reason.ts';
export { runSpanId, traceIdOf } from './trace/trace-ids.ts';
export { formatTraceparent, parseTraceparent, TRACEPARENT_VARIABLE } from './trace/traceparent.ts';
