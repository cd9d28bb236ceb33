/**
 * Ids in paths. A malformed id is refused like an unknown id. The specification lists no other refusal for these endpoints (4.3 to 4.5, 4.8
 * and 4.10). Clients recognize the refusal "unknown". Cancelling a workflow (4.7) is the exception: there a wrong form is `Invalid`, as
 * `parseWorkflowId` has it.
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

/** The id of a run in a path. Throws `NotFound` for a malformed one. */
export function workflowIdInPath(text: string): WorkflowId {
  if (!isUuid(text)) throw workflowNotFound(text);
  return parseWorkflowId(text);
}

/** The id of an agent in a path. It throws `NotFound` for a malformed one. */
export function agentIdInPath(text: string): AgentId {
  if (!isUuid(text)) throw agentNotKnown(text);
  return parseAgentId(text);
}

/** The id of a subscription in a path. Throws `NotFound` for a malformed one. */
export function subscriptionIdInPath(text: string): SubscriptionId {
  if (!isUuid(text)) throw subscriptionNotKnown(text);
  return parseSubscriptionId(text);
}
