/** Opens the foundations of the arranger and the event bus. They are the valid tokens, the dispatcher of commits, then the bus itself. */
import type { Authenticator, TokenAuthority } from './auth/authenticator.ts';
import { HeldTokens } from './auth/held-tokens.ts';
import { openServerAuthenticator } from './auth/server-authenticator.ts';
import type { NamespaceSet } from './auth/token-claims.ts';
import { CommitDispatcher, type DispatcherDeps } from './bus/commit-dispatcher.ts';
import { createEventBus, type EventBusDeps, type ServerEventBus } from './bus/event-bus.ts';
import { BUS_LIMITS } from './bus/limits.ts';
import type { Clock } from './runtime/clock.ts';
import type { ServerConfig } from './runtime/config.ts';
import type { Logger } from './runtime/logger.ts';
import type { MemoryBounds } from './runtime/memory-bounds.ts';
import { ALL_NETWORKS, OutgoingPolicy } from './runtime/outgoing-policy.ts';
import { subscriptionTokens } from './services/eventbus/subscription-tokens.ts';

interface AccessParts {
  readonly config: ServerConfig;
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface Access {
  /** Networks to which the server may send requests. */
  readonly outgoing: OutgoingPolicy;
  readonly authority: TokenAuthority;
  readonly heldTokens: HeldTokens;
}

export async function openAccess({ config, clock, logger }: AccessParts): Promise<Access> {
  const outgoing = outgoingPolicyOf(config);
  const authority = await openServerAuthenticator({ config, clock, logger, outgoing });
  return { outgoing, authority, heldTokens: new HeldTokens({ authority, clock, logger }) };
}

interface DispatcherParts extends Omit<DispatcherDeps, 'apiGroup' | 'limits'> {
  readonly config: ServerConfig;
  readonly bounds: Pick<MemoryBounds, 'subscriptions' | 'inboxes'>;
}

export function openDispatcher({ config, bounds, ...parts }: DispatcherParts): CommitDispatcher {
  const { subscriptions, undelivered, undeliveredBytes, undeliveredNamespaceBytes } = config.limits;
  const { subjectShare, namespaceShare } = config.limits;
  return new CommitDispatcher({
    ...parts,
    apiGroup: config.apiGroup,
    limits: {
      ...{ subscriptions, undelivered, undeliveredBytes, undeliveredNamespaceBytes },
      ...{ subjectShare, namespaceShare },
      subscriptionsBytes: Math.min(BUS_LIMITS.subscriptionsBytes, bounds.subscriptions),
      heldBodyBytes: Math.min(
        BUS_LIMITS.heldBodyBytes,
        Math.floor(bounds.inboxes / (BUS_LIMITS.inboxWindow * subscriptions)),
      ),
      longBodiesBytes: Math.min(BUS_LIMITS.longBodiesBytes, bounds.inboxes),
    },
  });
}

interface BusParts extends Access, Pick<EventBusDeps, 'dispatcher' | 'gate'> {
  readonly config: ServerConfig;
}

export function openBus(parts: BusParts): ServerEventBus {
  const { config, dispatcher, gate, outgoing, authority, heldTokens } = parts;
  const bus = createEventBus({
    ...{ dispatcher, gate, outgoing },
    tokens: subscriptionTokens({ authority, insecureLogin: config.auth.insecureLogin }),
    commandsOf: commandsByToken(authority),
  });
  heldTokens.whenTrustChanged(() => bus.checkSubscriptions());
  return bus;
}

/** `resources.privateAddresses` is the older name of the setting, from when it was only about files; it allows all networks. */
function outgoingPolicyOf({ outgoing, resources, port }: ServerConfig): OutgoingPolicy {
  const { privateNetworks } = outgoing;
  const all = resources.privateAddresses ? [...privateNetworks, ...ALL_NETWORKS] : privateNetworks;
  const policy = new OutgoingPolicy({ privateNetworks: all });
  // The first requests to inboxes go out before the server listens.
  if (port !== 0) policy.listensOn([port]);
  return policy;
}

/** Namespaces in which the bearer of a token may carry out commands. None if the server does not accept the token (any more). */
const commandsByToken =
  (authenticator: Authenticator) =>
  async (token: string): Promise<NamespaceSet> => {
    try {
      const access = await authenticator.authenticate(`Bearer ${token}`);
      return access.namespaces('results', 'create');
    } catch {
      return new Set();
    }
  };
