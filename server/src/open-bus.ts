/** Opens the event bus with what decides about it: the tokens that count, and where the server may send requests. */
import type { TokenAuthority } from './auth/authenticator.ts';
import { commandsByToken } from './auth/commands-by-token.ts';
import { HeldTokens } from './auth/held-tokens.ts';
import { openServerAuthenticator } from './auth/server-authenticator.ts';
import { createEventBus, type ServerEventBus } from './bus/event-bus.ts';
import { BUS_LIMITS } from './bus/limits.ts';
import type { Clock, Ids } from './runtime/clock.ts';
import type { ServerConfig } from './runtime/config.ts';
import type { Logger } from './runtime/logger.ts';
import type { MemoryBounds } from './runtime/memory-bounds.ts';
import type { Meters } from './runtime/meters.ts';
import { ALL_NETWORKS, OutgoingPolicy } from './runtime/outgoing-policy.ts';
import { subscriptionTokens } from './services/eventbus/subscription-tokens.ts';
import type { Store } from './store/store.ts';

export interface BusParts {
  readonly config: ServerConfig;
  readonly store: Store;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  readonly meters: Meters;
  readonly bounds: Pick<MemoryBounds, 'subscriptions' | 'inboxes'>;
}

export interface OpenedBus {
  readonly outgoing: OutgoingPolicy;
  readonly authority: TokenAuthority;
  readonly heldTokens: HeldTokens;
  readonly bus: ServerEventBus;
}

export async function openBus(parts: BusParts): Promise<OpenedBus> {
  const { config, store, clock, ids, logger, meters, bounds } = parts;
  const outgoing = outgoingPolicyOf(config);
  const authority = await openServerAuthenticator({ config, clock, logger, outgoing });
  const heldTokens = new HeldTokens({ authority, clock, logger });
  const { limits, apiGroup } = config;
  const { subscriptions, undelivered, undeliveredBytes, undeliveredNamespaceBytes } = limits;
  const { subjectShare, namespaceShare } = limits;
  const bus = createEventBus({
    ...{ store, clock, ids, logger, apiGroup, meters, outgoing },
    tokens: subscriptionTokens({ authority, insecureLogin: config.auth.insecureLogin }),
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
    commandsOf: commandsByToken(authority),
  });
  heldTokens.whenTrustChanged(() => bus.checkSubscriptions());
  return { outgoing, authority, heldTokens, bus };
}

/** `resources.privateAddresses` is the name that the setting had when it was for files alone; it allows all networks. */
function outgoingPolicyOf({ outgoing, resources, port }: ServerConfig): OutgoingPolicy {
  const { privateNetworks } = outgoing;
  const all = resources.privateAddresses ? [...privateNetworks, ...ALL_NETWORKS] : privateNetworks;
  const policy = new OutgoingPolicy({ privateNetworks: all });
  // Inboxes are asked before the server listens.
  if (port !== 0) policy.listensOn([port]);
  return policy;
}
