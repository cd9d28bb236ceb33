export type { OutputsOfFile } from './available-contexts.ts';
export { type FileCall, fileCallsOf } from './called-files.ts';
export { expressionProblems, hookExpressionProblems } from './expression-problems.ts';
export type { KnownFunctions } from './function-problems.ts';
export { createJobsCheck, createWorkflowCheck } from './workflow-problems.ts';
export {
  createWorkflowReporter,
  type OtherKind,
  type WorkflowDiagnostic,
  type WorkflowReport,
} from './workflow-report.ts';
export type { WorkflowUse } from './workflow-use.ts';
