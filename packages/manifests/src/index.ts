export {
  type AgentRegistration,
  agentRegistrationSchema,
} from './agent-registration.ts';
export {
  type ExternalEventKind,
  externalEventSchemas,
  isExternalEventKind,
} from './event-schemas.ts';
export * from './events.ts';
export * from './ids.ts';
export {
  evaluateInputs,
  type InputDeclaration,
  type InputDeclarations,
  type InputType,
  type InputValues,
  problemsOfInputs,
} from './inputs.ts';
export { agentNotKnown, messages, subscriptionNotKnown, workflowNotFound } from './messages.ts';
export {
  type FailureReason,
  isOrchestratorError,
  OrchestratorError,
  REASON_CODES,
  type Reason,
  type Status,
  status,
  statusOfError,
} from './status.ts';
export { type Subscription, subscriptionSchema } from './subscription.ts';
export { formatTimestamp, parseTimestamp, type Timestamp } from './timestamps.ts';
export * from './workflow-manifest.ts';
