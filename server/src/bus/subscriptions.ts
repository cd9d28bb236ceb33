/** Making, ending, listing and loading of subscriptions; each is durable before it counts. */
import {
  OrchestratorError,
  type Subscription,
  type SubscriptionId,
  subscriptionNotKnown,
} from '@tutti/manifests';
import type { SubscriptionSelector } from '@tutti/selectors';
import type { Ids } from '../runtime/clock.ts';
import { loadedOnce } from '../runtime/loaded-once.ts';
import { type Holder, Shares } from '../runtime/shares.ts';
import { subscriptionIdOf } from './durable-subscribers.ts';
import type { StoredSubscription } from './subscription-holder.ts';
import type { SubscriptionHolders, SubscriptionHoldersDeps } from './subscription-holders.ts';
import {
  createBuiltInRecord,
  createInboxRecord,
  isWithin,
  type ListedSubscription,
  listedSubscription,
  type NamespaceScope,
  namesOf,
  newestHolder,
  type SubscriptionMaker,
  type SubscriptionRecord,
  storedSubscription,
  subscriptionKey,
} from './subscription-record.ts';

export interface SubscriptionsDeps extends SubscriptionHoldersDeps {
  readonly ids: Ids;
  readonly apiGroup: string;
  /** Namespaces in which the bearer of a token may carry out commands. None if the token does not count any more. */
  readonly commandsOf: (token: string) => Promise<NamespaceScope>;
}

export class Subscriptions {
  readonly #deps: SubscriptionsDeps;
  /** Loaded with the first subscription that is made or ends. */
  readonly #loadHolders = loadedOnce(async () => {
    const { SubscriptionHolders } = await import('./subscription-holders.ts');
    this.#holders = new SubscriptionHolders(this.#deps);
    return this.#holders;
  });
  #holders: SubscriptionHolders | null = null;

  constructor(deps: SubscriptionsDeps) {
    this.#deps = deps;
  }

  async stop(): Promise<void> {
    await this.#holders?.stop();
  }

  /** An unreadable record, such as one of a newer version, is left alone and logged. It must not stop the start. */
  async load(): Promise<void> {
    const { store, registry, logger } = this.#deps;
    const records: SubscriptionRecord[] = [];
    for (const { key, json } of await store.documents('subscriptions')) {
      try {
        const stored = await this.#withCommands(parseStored(json));
        records.push(createInboxRecord(key as SubscriptionId, stored));
      } catch (error) {
        logger.error({ err: error, subscriptionId: key }, 'A stored subscription cannot be used.');
      }
    }
    for (const record of records.toSorted(byAge)) {
      const known = registry.get(record.id);
      if (known === null) registry.add(record);
      else registry.addHolder(known, newestHolder(record));
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
   * Resolves with the id of a new holder. Throws `Invalid` for a selector or an endpoint that cannot be used, `TooManyRequests` when there
   * are too many.
   */
  async create(
    manifest: Subscription,
    scope: NamespaceScope,
    maker: SubscriptionMaker,
  ): Promise<SubscriptionId> {
    const { ids, clock, registry } = this.#deps;
    const stored = storedSubscription(manifest, clock.timestamp(), scope, maker);
    const record = createInboxRecord(ids.random<SubscriptionId>(), stored);
    const holder = newestHolder(record);
    const holders = await this.#loadHolders();
    await holders.checkEndpoint(record);
    const key = subscriptionKey(record);
    const isDeserted = registry.withKey(key) !== null && (await holders.isDeserted(record));
    await holders.inTurn(record, async () => {
      const earlier = registry.withKey(key);
      if (earlier !== null) return holders.join(earlier, holder, stored, isDeserted);
      this.#requireRoom(record);
      return holders.add(record, stored);
    });
    return holder.id;
  }

  #requireRoom(record: SubscriptionRecord): void {
    const { limits, registry } = this.#deps;
    if (registry.inboxCount >= limits.subscriptions) throw tooMany(limits.subscriptions);
    const { bytes, subject } = newestHolder(record);
    registry.requireRoom(record, bytes);
    this.#checkShare({ subject, namespaces: record.scope });
  }

  /** There are some hundred, and few are made: counting them each time is simpler than to keep count. */
  #checkShare(holder: Holder): void {
    const { limits, registry } = this.#deps;
    const things = 'subscriptions (limits.subscriptions)';
    const shares = new Shares({ ...limits, total: limits.subscriptions, things });
    for (const record of registry.all()) {
      const { subject } = newestHolder(record);
      if (!record.isBuiltIn) shares.add({ subject, namespaces: record.scope });
    }
    const refusal = shares.refusal(holder);
    if (refusal !== null) throw refusal;
  }

  /**
   * A holder leaves. Resolves with the name of a built-in service, which keeps its subscription, and else with null. Throws `NotFound` when
   * the scope does not see such a subscription.
   */
  async cancel(id: SubscriptionId, scope: NamespaceScope): Promise<string | null> {
    const { registry } = this.#deps;
    const record = registry.heldBy(id);
    if (record === null || !isWithin(record, scope)) throw subscriptionNotKnown(id);
    if (record.isBuiltIn) return record.name;
    const holders = await this.#loadHolders();
    await holders.inTurn(record, async () => {
      const holder = record.holders.get(id);
      if (holder === undefined || registry.heldBy(id) !== record) throw subscriptionNotKnown(id);
      await holders.leave(record, holder);
    });
    return null;
  }

  /** By the ids of their holders: each of these made a subscription. */
  list(scope: NamespaceScope): ReadonlyMap<SubscriptionId, ListedSubscription> {
    const { registry, apiGroup } = this.#deps;
    const listed = new Map<SubscriptionId, ListedSubscription>();
    for (const record of registry.all()) {
      if (!isWithin(record, scope)) continue;
      for (const holder of record.holders.values()) {
        listed.set(holder.id, listedSubscription(record, holder, apiGroup));
      }
    }
    return listed;
  }
}

function byAge(one: SubscriptionRecord, other: SubscriptionRecord): number {
  const [before, after] = [newestHolder(one).createdAt, newestHolder(other).createdAt];
  if (before === after) return 0;
  return before < after ? -1 : 1;
}

/** Only this file writes documents of this collection; their content is checked again when the record is made. */
function parseStored(json: string): StoredSubscription {
  return JSON.parse(json) as StoredSubscription;
}

function tooMany(limit: number): OrchestratorError {
  return new OrchestratorError(
    'TooManyRequests',
    `There are ${limit} subscriptions, which is the limit. Cancel one that is not needed.`,
  );
}
