export type { AttachmentContent } from './attachment-content.ts';
export {
  type Client,
  type ClientOptions,
  createClient,
  type DocumentName,
  type EventQuery,
  type RunItems,
  type StartWorkflow,
  type TestCaseQuery,
  type WorkflowReport,
} from './client.ts';
export type {
  DataSourceStatus,
  JsonRecord,
  QualityGateStatus,
  TestCase,
  TestCaseDetails,
  TestCaseList,
  TestCaseStatus,
  WorkersStatus,
  WorkflowStatus,
  WorkflowSummary,
} from './documents.ts';
export type { Cancel, RerunWorkflow } from './earlier-runs.ts';
export { IgnoredParameterError } from './ignored-parameter.ts';
export type { InsightsPromised, InsightsWanted } from './insights.ts';
export type { LogPart, LogQuery, LogRange } from './log.ts';
export type { PublicationItem } from './publications.ts';
export type { GateQuery, GateReport, GateRuleResult, TakenOverJobs } from './quality-gate.ts';
export type { ResourceName, Selection } from './resource-list.ts';
export type { TestCasePage, TestCasePagesQuery } from './test-case-pages.ts';
export type {
  Answer,
  AnswerBody,
  AnswerPiece,
  AnswerReader,
  ApiRequest,
  Fetch,
  FetchRequest,
} from './transport.ts';
export { isUnreachableError, UnreachableError } from './unreachable-error.ts';
export { isTransient, type WatchItem } from './watch.ts';
