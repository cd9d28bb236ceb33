/** Says whether the token of a subscription still allows it. */
import { isOrchestratorError, type OrchestratorError } from '@tutti/manifests';
import type { Authenticator } from '../../auth/authenticator.ts';
import type { NamespaceScope } from '../../bus/subscription-record.ts';
import type { SubscriptionTokens } from '../../bus/suspended-subscriptions.ts';

export interface SubscriptionTokensDeps {
  readonly authority: Authenticator;
  /** Whether local programs need no token. */
  readonly insecureLogin: boolean;
}

export function subscriptionTokens(deps: SubscriptionTokensDeps): SubscriptionTokens {
  return {
    refusal: async (token, { scope, commands }) => {
      if (token === null) return deps.insecureLogin ? null : 'It was made without a token.';
      try {
        const access = await deps.authority.authenticate(`Bearer ${token}`);
        if (!covers(access.namespaces('subscriptions', 'create'), scope)) return REACHES_LESS;
        const carriesOut = common(scope, commands);
        return covers(access.namespaces('results', 'create'), carriesOut) ? null : MAY_LESS;
      } catch (error) {
        if (isOrchestratorError(error)) return reasonIn(error);
        throw error;
      }
    },
  };
}

const REACHES_LESS = 'Its token reaches less than when it was made.';
const MAY_LESS = 'Its token may carry out fewer commands than when it was made.';

/** Commands that a subscription gets in clear text: those in namespaces where its token has both rights. */
function common(scope: NamespaceScope, commands: NamespaceScope): NamespaceScope {
  if (scope === '*') return commands;
  return commands === '*' ? scope : new Set([...scope].filter((name) => commands.has(name)));
}

const covers = (allowed: NamespaceScope, scope: NamespaceScope): boolean =>
  allowed === '*' || (scope !== '*' && [...scope].every((name) => allowed.has(name)));

const reasonIn = ({ message, details }: OrchestratorError): string =>
  details !== null && 'error' in details ? String(details.error) : message;
