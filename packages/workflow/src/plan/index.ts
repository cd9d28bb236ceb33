export {
  errorsOfPlan,
  type PlannedJob,
  type PlannedStep,
  planWorkflow,
  type WorkflowPlan,
} from './workflow-plan.ts';
