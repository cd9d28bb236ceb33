export { type Client, createClient, type WorkflowReport } from './client.ts';
export type {
  JsonRecord,
  QualityGateStatus,
  TestCase,
  TestCaseDetails,
  TestCaseStatus,
  WorkflowStatus,
} from './documents.ts';
export type { RerunWorkflow } from './earlier-runs.ts';
export { IgnoredParameterError } from './ignored-parameter.ts';
export type { GateReport, GateRuleResult, TakenOverJobs } from './quality-gate.ts';
export type { ResourceName, Selection } from './resource-list.ts';
export type { TestCasePage } from './test-case-pages.ts';
export type { Answer, AnswerBody, AnswerReader, Fetch, FetchRequest } from './transport.ts';
export { isUnreachableError, UnreachableError } from './unreachable-error.ts';
export { isTransient } from './watch.ts';
