import { messages, OrchestratorError } from '@tutti/manifests';

/** The refusal of a manifest, with what is wrong with it. */
export function invalidSubscription(error: string, cause?: unknown): OrchestratorError {
  return new OrchestratorError('Invalid', messages.subscriptionInvalid(), {
    details: { error },
    cause,
  });
}
