/** What the tokens of subscriptions still allow. */
import { isOrchestratorError, type OrchestratorError } from '@tutti/manifests';
import type { Authenticator } from '../../auth/authenticator.ts';
import type { NamespaceScope } from '../../bus/subscription-record.ts';
import type { SubscriptionTokens } from '../../bus/suspended-subscriptions.ts';

export interface SubscriptionTokensDeps {
  readonly authority: Authenticator;
  /** Whether programs of this machine need no token. */
  readonly insecureLogin: boolean;
}

export function subscriptionTokens(deps: SubscriptionTokensDeps): SubscriptionTokens {
  return {
    refusal: async (token, scope) => {
      if (token === null) return deps.insecureLogin ? null : 'It was made without a token.';
      try {
        const access = await deps.authority.authenticate(`Bearer ${token}`);
        const allowed = access.namespaces('subscriptions', 'create');
        return covers(allowed, scope) ? null : 'Its token reaches less than when it was made.';
      } catch (error) {
        if (isOrchestratorError(error)) return reasonIn(error);
        throw error;
      }
    },
  };
}

const covers = (allowed: NamespaceScope, scope: NamespaceScope): boolean =>
  allowed === '*' || (scope !== '*' && [...scope].every((name) => allowed.has(name)));

const reasonIn = ({ message, details }: OrchestratorError): string =>
  details !== null && 'error' in details ? String(details.error) : message;
