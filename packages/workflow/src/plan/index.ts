export type { PlanStart } from './planned-run.ts';
export {
  errorsOfPlan,
  type PlannedJob,
  type PlannedStep,
  type PlannedValue,
  planWorkflow,
  type WorkflowPlan,
} from './workflow-plan.ts';
