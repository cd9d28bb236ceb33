import { messages, OrchestratorError } from '@tutti/manifests';

/** The refusal of a manifest, with its mistake. */
export function invalidSubscription(error: string, cause?: unknown): OrchestratorError {
  return new OrchestratorError('Invalid', messages.subscriptionInvalid(), {
    details: { error },
    cause,
  });
}
