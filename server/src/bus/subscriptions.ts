/** Making, ending, listing and loading of subscriptions; each is durable before it counts. */
import {
  OrchestratorError,
  type Subscription,
  type SubscriptionId,
  subscriptionNotKnown,
} from '@tutti/manifests';
import type { SubscriptionSelector } from '@tutti/selectors';
import type { Clock, Ids } from '../runtime/clock.ts';
import type { Logger } from '../runtime/logger.ts';
import { isLoopback } from '../runtime/loopback.ts';
import type { Meters } from '../runtime/meters.ts';
import { type Asker, HOW_TO_ALLOW, type OutgoingPolicy } from '../runtime/outgoing-policy.ts';
import { type Holder, Shares } from '../runtime/shares.ts';
import type { Store } from '../store/store.ts';
import { subscriptionIdOf } from './durable-subscribers.ts';
import type { BusLimits } from './limits.ts';
import type { OutboxDelivery } from './outbox-delivery.ts';
import {
  countAnswer,
  createBuiltInRecord,
  createInboxRecord,
  invalidSubscription,
  isWithin,
  type ListedSubscription,
  listedSubscription,
  type NamespaceScope,
  namesOf,
  type StoredSubscription,
  type SubscriptionMaker,
  type SubscriptionRecord,
  storedSubscription,
} from './subscription-record.ts';
import type { SubscriptionRegistry } from './subscription-registry.ts';
import type { Timers } from './timers.ts';

const COLLECTION = 'subscriptions';
/** What became of publications, beside the answers of an inbox. */
const GIVEN_UP = 'given up';

export interface SubscriptionsDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  readonly apiGroup: string;
  readonly limits: BusLimits;
  readonly meters: Pick<Meters, 'droppedDeliveries'>;
  readonly registry: SubscriptionRegistry;
  readonly delivery: OutboxDelivery;
  /** Where the bearer of a token may carry out commands; nowhere if the token does not count any more. */
  readonly commandsOf: (token: string) => Promise<NamespaceScope>;
  readonly outgoing: OutgoingPolicy;
  readonly timers: Timers;
}

export class Subscriptions {
  readonly #deps: SubscriptionsDeps;

  constructor(deps: SubscriptionsDeps) {
    this.#deps = deps;
  }

  /** A record that cannot be read (of a newer version, say) is left alone and logged: it must not keep the server from starting. */
  async load(): Promise<void> {
    const { store, registry, logger } = this.#deps;
    for (const { key, json } of await store.documents(COLLECTION)) {
      try {
        const stored = await this.#withCommands(parseStored(json));
        registry.add(createInboxRecord(key as SubscriptionId, stored));
      } catch (error) {
        logger.error({ err: error, subscriptionId: key }, 'A stored subscription cannot be used.');
      }
    }
  }

  /** Earlier versions did not keep who may carry out commands: the token of the subscription says so. */
  async #withCommands(stored: StoredSubscription): Promise<StoredSubscription> {
    if (stored.commands !== undefined) return stored;
    const { token, scope } = stored;
    const commands = token === undefined ? scope : namesOf(await this.#deps.commandsOf(token));
    return { ...stored, commands };
  }

  addBuiltIn(name: string, selector: SubscriptionSelector): void {
    const { registry, clock } = this.#deps;
    const id = subscriptionIdOf(name);
    if (registry.get(id) !== null) return;
    registry.add(createBuiltInRecord(id, name, clock.timestamp(), selector));
  }

  /**
   * Throws `Invalid` for a selector or an endpoint that cannot be used, `TooManyRequests` when there are too many. A plugin that was
   * killed could not cancel its subscription: when it subscribes anew, that one goes on, with what waits in it.
   */
  async create(
    manifest: Subscription,
    scope: NamespaceScope,
    maker: SubscriptionMaker,
  ): Promise<SubscriptionId> {
    const { ids, clock, limits, registry } = this.#deps;
    const stored = storedSubscription(manifest, clock.timestamp(), scope, maker);
    const record = createInboxRecord(ids.random<SubscriptionId>(), stored);
    await this.#checkEndpoint(record);
    const earlier = registry.sameSubscriber(record);
    if (earlier !== null) return await this.#renew(earlier, stored);
    if (registry.inboxCount >= limits.subscriptions) throw tooMany(limits.subscriptions);
    registry.requireRoom(record);
    this.#checkShare({ subject: record.subject, namespaces: scope });
    await this.#write(record.id, stored);
    registry.add(record);
    return record.id;
  }

  /** Throws `Invalid` for an inbox that would not be asked. Each delivery checks it again. */
  async #checkEndpoint({ spec, subscriber }: SubscriptionRecord): Promise<void> {
    if (subscriber.type !== 'inbox') return;
    const { outgoing, timers, limits } = this.#deps;
    const { endpoint, asker } = subscriber;
    const why = await withinTime(outgoing.refusalOf(endpoint, asker), timers, limits.resolveMs);
    const problem = why ?? disguise(spec.subscriber.endpoint, endpoint, asker);
    if (problem !== null) {
      throw invalidSubscription(`spec.subscriber.endpoint: ${problem}. ${HOW_TO_ALLOW}.`);
    }
  }

  /** There are some hundred, and few are made: counting them each time is simpler than to keep count. */
  #checkShare(holder: Holder): void {
    const { limits, registry } = this.#deps;
    const things = 'subscriptions (limits.subscriptions)';
    const shares = new Shares({ ...limits, total: limits.subscriptions, things });
    for (const { subject, scope, subscriber } of registry.all()) {
      if (subscriber.type === 'inbox') shares.add({ subject, namespaces: scope });
    }
    const refusal = shares.refusal(holder);
    if (refusal !== null) throw refusal;
  }

  async #renew(earlier: SubscriptionRecord, stored: StoredSubscription): Promise<SubscriptionId> {
    const { registry, delivery } = this.#deps;
    const { id } = earlier;
    await this.#write(id, stored);
    // Cancelled meanwhile: then what was written last holds.
    if (registry.get(id) === earlier) registry.removeInbox(earlier);
    const record = createInboxRecord(id, stored);
    registry.add(record);
    await delivery.remove(id);
    // Not after the pause that the inbox had earned before.
    delivery.wake(record);
    return id;
  }

  async #write(id: SubscriptionId, stored: StoredSubscription): Promise<void> {
    const json = JSON.stringify(stored);
    await this.#deps.store.write({ documents: [{ collection: COLLECTION, key: id, json }] });
  }

  /** Throws `NotFound` when the scope does not see such a subscription, `Forbidden` for a built-in one. */
  async cancel(id: SubscriptionId, scope: NamespaceScope): Promise<void> {
    const { registry, store, delivery } = this.#deps;
    const record = registry.get(id);
    if (record === null || !isWithin(record, scope)) throw subscriptionNotKnown(id);
    if (record.subscriber.type === 'built-in') throw notCancelable(record);
    registry.removeInbox(record);
    try {
      await store.write({ documents: [{ collection: COLLECTION, key: id, json: null }] });
    } catch (error) {
      registry.add(record);
      throw error;
    }
    await delivery.remove(id);
    await this.discardOutbox(id);
  }

  list(scope: NamespaceScope): ReadonlyMap<SubscriptionId, ListedSubscription> {
    const { registry, apiGroup } = this.#deps;
    const listed = new Map<SubscriptionId, ListedSubscription>();
    for (const record of registry.all()) {
      if (isWithin(record, scope)) listed.set(record.id, listedSubscription(record, apiGroup));
    }
    return listed;
  }

  /** Gives up the oldest of what waits for an inbox, where that is too much; it is logged and counted. */
  async giveUpSurplus({ id, name, activity }: SubscriptionRecord): Promise<void> {
    const { store, limits, logger, meters } = this.#deps;
    let given = 0;
    for (;;) {
      const outboxDone = await store.outboxSurplus(id, limits.undelivered, limits.acknowledgements);
      if (outboxDone.length === 0) break;
      await store.write({ outboxDone });
      given += outboxDone.length;
    }
    if (given === 0) return;
    countAnswer(activity, GIVEN_UP, given);
    meters.droppedDeliveries.add('too-many', given);
    const about = { subscriptionId: id, name, count: given, kept: limits.undelivered };
    logger.warn(about, 'Too many publications wait for an inbox: the oldest are given up.');
  }

  /** Removes what nobody will be sent any more. */
  async discardOutbox(id: SubscriptionId): Promise<void> {
    const { store, limits } = this.#deps;
    for (;;) {
      const outboxDone = await store.outboxSurplus(id, 0, limits.discardedEntries);
      if (outboxDone.length === 0) return;
      await store.write({ outboxDone });
    }
  }
}

/** Documents of this collection are written here alone; what they are made of is checked again when the record is made. */
function parseStored(json: string): StoredSubscription {
  return JSON.parse(json) as StoredSubscription;
}

/** Null when a name is not resolved in time. */
function withinTime(
  refusal: Promise<string | null>,
  timers: Timers,
  timeoutMs: number,
): Promise<string | null> {
  return new Promise((resolve) => {
    const cancel = timers.after(timeoutMs, () => resolve(null));
    void refusal.then((why) => {
      cancel();
      resolve(why);
    });
  });
}

/** A program names its own machine as it is: other forms (`2130706433`, `0177.1`) are for hiding where a request leads. */
function disguise(written: string, { hostname }: URL, asker: Asker): string | null {
  const isOfMachine = isLoopback(hostname) || ['0.0.0.0', '[::]'].includes(hostname);
  if (asker !== 'machine' || !isOfMachine) return null;
  const isAsWritten = hostOfText(written) === hostname;
  return isAsWritten ? null : `${JSON.stringify(written)} is another form of ${hostname}`;
}

/** The host as it is written, which `URL` brings into one form. */
function hostOfText(written: string): string | undefined {
  const [, host] = /^\s*https?:\/\/(?:[^/?#@]*@)?(\[[^\]]*\]|[^/:?#]*)/i.exec(written) ?? [];
  return host?.toLowerCase();
}

function tooMany(limit: number): OrchestratorError {
  return new OrchestratorError(
    'TooManyRequests',
    `There are ${limit} subscriptions, which is the limit. Cancel one that is not needed.`,
  );
}

/** Nobody has the right to end what the server is made of. */
function notCancelable(record: SubscriptionRecord): OrchestratorError {
  return new OrchestratorError(
    'Forbidden',
    `Subscription ${record.id} belongs to the built-in service ${record.name} and cannot be canceled.`,
  );
}
