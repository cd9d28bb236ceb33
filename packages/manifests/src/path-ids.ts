/**
 * Ids in paths. A malformed id is refused like an unknown id: the specification lists no other
 * refusal for these endpoints (4.3 to 4.5, 4.8 and 4.10), and clients rely on how "unknown" looks. Cancelling a workflow (4.7) is
 * the exception: there a wrong form is `Invalid`, as `parseWorkflowId` has it.
 */
import {
  type AgentId,
  isUuid,
  parseAgentId,
  parseSubscriptionId,
  parseWorkflowId,
  type SubscriptionId,
  type WorkflowId,
} from './ids.ts';
import { agentNotKnown, subscriptionNotKnown, workflowNotFound } from './messages.ts';

/** Throws `NotFound`. */
export function workflowIdInPath(text: string): WorkflowId {
  if (!isUuid(text)) throw workflowNotFound(text);
  return parseWorkflowId(text);
}

/** Throws `NotFound`. */
export function agentIdInPath(text: string): AgentId {
  if (!isUuid(text)) throw agentNotKnown(text);
  return parseAgentId(text);
}

/** Throws `NotFound`. */
export function subscriptionIdInPath(text: string): SubscriptionId {
  if (!isUuid(text)) throw subscriptionNotKnown(text);
  return parseSubscriptionId(text);
}
