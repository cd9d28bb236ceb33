export { type Actor, actorEntry, actorIn } from './actor.ts';
export {
  AGENT_PROTOCOL,
  type AgentOrder,
  type AgentPolls,
  type AgentPost,
  agentOrderSchemas,
  agentPollsSchemas,
  agentPostSchemas,
  type ByteBatch,
  byteBatchSchema,
  type ExecOrder,
  type FileNews,
  type GetOrder,
  type OutputBatch,
  type PostedBytes,
  type PostedLines,
  type PutOrder,
  type Removal,
  type RunOrder,
  type Unread,
} from './agent-protocol.ts';
export {
  AGENT_LIMITS,
  type AgentRegistration,
  agentRegistrationSchema,
} from './agent-registration.ts';
export { acceptedApiVersions, DEFAULT_API_GROUP, withApiVersions } from './api-versions.ts';
export { assertNever } from './assert-never.ts';
export {
  BROKEN_REPORTS_SHOWN,
  type BrokenReport,
  brokenReportWarnings,
  type MissingReports,
  type ReportFault,
} from './broken-report.ts';
export { channelHandlerOf } from './channel-list.ts';
export { countIs, countOf } from './count-of.ts';
export { dictionary } from './dictionary.ts';
export {
  type ExternalEventKind,
  externalEventSchemas,
  isExternalEventKind,
} from './event-schemas.ts';
export {
  asWritten,
  eventInVersion,
  isPublishedText,
  loggedEvent,
  publishedEvent,
  versionFor,
} from './event-versions.ts';
export {
  type AttachmentMetadata,
  apiVersionAsNamed,
  apiVersionOf,
  type ChannelOs,
  type DrainingEnvironments,
  EVENT_VERSIONS,
  type EventMetadata,
  type ExecutionCommandEvent,
  type ExecutionErrorEvent,
  type ExecutionResultEvent,
  type GeneralError,
  type GeneratorCommandEvent,
  type GeneratorResultEvent,
  isOtherEventKind,
  isRunEvent,
  isRunEventKind,
  type JobMetadata,
  type Labels,
  type LoggedEvent,
  type NotificationEvent,
  type OtherEvent,
  type ProviderCommandEvent,
  type ProviderResultEvent,
  type RunEvent,
  type RunEventKind,
  type RunEventOf,
  STEP_SEQUENCE,
  type StepMetadata,
  type TestResult,
  type TestResultDetails,
  type TestResultStatus,
  type TestsCommandEvent,
  type TestsResultEvent,
  type WaitingReason,
  type WorkflowCanceledEvent,
  type WorkflowCancellationEvent,
  type WorkflowCompletedEvent,
  type WorkflowEvent,
  type WorkflowResultEvent,
} from './events.ts';
export { problemsOfHooks } from './hooks.ts';
export {
  type AgentId,
  type AttachmentId,
  type Brand,
  type ChannelId,
  type FileId,
  isUuid,
  type JobId,
  type PublicationId,
  parseAgentId,
  parseAttachmentId,
  parseFileId,
  parseId,
  parseSubscriptionId,
  parseWorkflowId,
  type StepId,
  type SubscriptionId,
  type WorkflowId,
} from './ids.ts';
export {
  evaluateInputs,
  type InputDeclaration,
  type InputDeclarations,
  type InputProblem,
  type InputType,
  type InputValues,
  problemsOfGiven,
  problemsOfInputs,
} from './inputs.ts';
export {
  type ExecutionLogSpec,
  type InsightKind,
  type InsightsDocument,
  insightSpecSchemas,
  insightsSchema,
  type SectionDefinition,
  type SummarySpec,
  sectionSchemas,
} from './insights.ts';
export { countJobs, problemsOfJobs } from './job-problems.ts';
export { meantReportType } from './meant-report-type.ts';
export { agentNotKnown, messages, subscriptionNotKnown, workflowNotFound } from './messages.ts';
export { plainNamespaces, wrongNamespace } from './namespace-list.ts';
export { isOwnEntry, OWN_ENTRIES, withoutOwnEntries } from './own-entries.ts';
export { agentIdInPath, subscriptionIdInPath, workflowIdInPath } from './path-ids.ts';
export { printable } from './printable.ts';
export {
  type ProviderAttachment,
  type ProviderFunctionManifest,
  type ProviderManifest,
  type ProviderStep,
  type ProviderSteps,
  providerManifestSchema,
  type TestUnit,
} from './provider-manifest.ts';
export { type QualityGatesDocument, qualityGatesSchema } from './quality-gates.ts';
export {
  REPORT_FOLDER_LIMITS,
  REPORT_FOLDER_LIST,
  REPORT_FOLDER_TYPE,
} from './report-folder.ts';
export {
  REPORT_FORMATS,
  type ReportFormat,
  reportTypeOf,
  technologyOfType,
  withoutParameters,
} from './report-types.ts';
export {
  type FetchedFile,
  fetchedFileSchema,
  nameOfFile,
  type RepositoryResource,
  type ResourceFile,
  repositorySchema,
  resourcesSchema,
  TAKEN_PARTS,
  type TestManagerResource,
  testManagerSchema,
} from './resources.ts';
export { executionError, workflowCancellation } from './service-events.ts';
export { shownValue } from './shown-value.ts';
export { sizeText } from './size-text.ts';
export {
  type FailureReason,
  isOrchestratorError,
  OrchestratorError,
  REASON_CODES,
  type Reason,
  type Status,
  type SuccessReason,
  status,
  statusOfError,
} from './status.ts';
export { atOnce, type Steps } from './steps.ts';
export { SUBSCRIPTION_LIMITS, type Subscription, subscriptionSchema } from './subscription.ts';
export { successRate } from './success-rate.ts';
export { testDuration } from './test-duration.ts';
export { formatTimestamp, parseTimestamp, type Timestamp } from './timestamps.ts';
export {
  checkVariableNames,
  SENT_TEXT_LENGTH_MAX,
  VARIABLES_LENGTH_MAX,
  VARIABLES_MAX,
} from './variable-names.ts';
export {
  defaultsSchema,
  generatedJobsSchema,
  type Hook,
  type HookEvent,
  type HookStep,
  hooksSchema,
  inputSchema,
  JOB_REFERENCE,
  JOBS_MAX,
  jobSchema,
  NAMESPACE_NAME,
  RETRY_AT_MOST,
  type StepTests,
  stepSchema,
  type Variables,
  WORKSPACE_STEPS,
  type WorkflowJob,
  type WorkflowJobs,
  type WorkflowManifest,
  type WorkflowStep,
  workflowDefaultsSchema,
  workflowManifestSchema,
} from './workflow-manifest.ts';
