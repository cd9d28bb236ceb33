export type { PlanStart } from './planned-run.ts';
export {
  type PlannedJob,
  type PlannedStep,
  type PlannedValue,
  planWorkflow,
  type WorkflowPlan,
} from './workflow-plan.ts';
