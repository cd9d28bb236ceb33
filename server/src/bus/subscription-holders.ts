/**
 * Holders that come and go. One that leaves cancels by its own id; the subscription ends with the last one. A plugin that was killed
 * cancels nothing. Its holder stays with its queue until nobody listens at the inbox. Toolkits subscribe before they listen, so this says
 * nothing of a holder that may still be starting.
 */
import { parseTimestamp, type SubscriptionId } from '@tutti/manifests';
import type { Clock } from '../runtime/clock.ts';
import type { Logger } from '../runtime/logger.ts';
import type { OutgoingPolicy } from '../runtime/outgoing-policy.ts';
import type { DocumentWrite, Store } from '../store/store.ts';
import { checkEndpoint } from './endpoint-check.ts';
import { createListensAt, type ListensAt } from './inbox-listener.ts';
import type { BusLimits } from './limits.ts';
import type { OutboxDelivery } from './outbox-delivery.ts';
import { discardOutbox } from './outbox-removal.ts';
import type { StoredSubscription, SubscriptionHolder } from './subscription-holder.ts';
import {
  forgetFailures,
  newestHolder,
  type SubscriptionRecord,
  subscriptionKey,
} from './subscription-record.ts';
import type { SubscriptionRegistry } from './subscription-registry.ts';
import type { Timers } from './timers.ts';

export interface SubscriptionHoldersDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly limits: BusLimits;
  readonly registry: SubscriptionRegistry;
  readonly delivery: OutboxDelivery;
  readonly timers: Timers;
  readonly outgoing: OutgoingPolicy;
}

export class SubscriptionHolders {
  readonly #deps: SubscriptionHoldersDeps;
  readonly #listensAt: ListensAt;
  readonly #turns = new InTurn();
  /** Subscriptions that a holder has left while others stayed: each entry cancels the wait before these are looked at. */
  readonly #waits = new Map<SubscriptionId, () => void>();
  #looking: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(deps: SubscriptionHoldersDeps) {
    this.#deps = deps;
    this.#listensAt = createListensAt(deps.outgoing, deps.timers, deps.limits);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    for (const cancel of this.#waits.values()) cancel();
    await this.#looking;
  }

  /** Throws `Invalid` for an inbox that would not be asked. */
  async checkEndpoint(record: SubscriptionRecord): Promise<void> {
    const { inbox } = newestHolder(record);
    if (inbox !== null) await checkEndpoint(this.#deps, inbox, record.spec.subscriber.endpoint);
  }

  /** True when nobody listens at the inbox. */
  async isDeserted(record: SubscriptionRecord): Promise<boolean> {
    const { inbox } = newestHolder(record);
    return inbox !== null && !(await this.#listensAt(inbox));
  }

  /** Changes of a subscription come one after the other: one that is made twice at a time has two holders. */
  inTurn<Result>(record: SubscriptionRecord, change: () => Promise<Result>): Promise<Result> {
    return this.#turns.run(subscriptionKey(record), change);
  }

  /** The first one. */
  async add(record: SubscriptionRecord, stored: StoredSubscription): Promise<void> {
    await this.#write([documentOf(newestHolder(record).id, stored)]);
    this.#deps.registry.add(record);
  }

  /** Adds a holder. It replaces holders that are gone. If there are too many, it replaces the oldest. */
  async join(
    record: SubscriptionRecord,
    holder: SubscriptionHolder,
    stored: StoredSubscription,
    isDeserted: boolean,
  ): Promise<void> {
    const { registry, limits, delivery } = this.#deps;
    const earlier = [...record.holders.values()];
    const gone = isDeserted ? earlier.filter((each) => this.#hasStarted(each)) : [];
    const others = earlier.filter((each) => !gone.includes(each));
    const left = [...gone, ...others.slice(0, Math.max(0, others.length + 1 - limits.holders))];
    const bytes = left.reduce((sum, each) => sum - each.bytes, holder.bytes);
    if (bytes > 0) registry.requireRoom(record, bytes);
    await this.#write([
      documentOf(holder.id, { ...stored, queue: record.id }),
      ...left.map(({ id }) => documentOf(id, null)),
    ]);
    registry.addHolder(record, holder);
    for (const each of left) registry.removeHolder(record, each);
    const { failures, suspended } = record.activity;
    // Sends at once, without the pause after earlier failures.
    if (failures > 0 || suspended !== null) await delivery.remove(record.id);
    forgetFailures(record.activity);
    delivery.wake(record);
  }

  #hasStarted({ createdAt }: SubscriptionHolder): boolean {
    const { clock, limits } = this.#deps;
    return (parseTimestamp(createdAt) ?? 0) < clock.now() - limits.startMs;
  }

  /** Removes one holder that leaves by itself. The others may have been killed. */
  async leave(record: SubscriptionRecord, holder: SubscriptionHolder): Promise<void> {
    await this.#remove(record, [holder]);
    this.#waits.get(record.id)?.();
    this.#waits.delete(record.id);
    const hasOthers = this.#deps.registry.get(record.id) === record;
    if (hasOthers && !this.#stopped) this.#lookLater(record);
  }

  async #remove(record: SubscriptionRecord, holders: readonly SubscriptionHolder[]): Promise<void> {
    const { registry, delivery } = this.#deps;
    const removal = holders.map(({ id }) => documentOf(id, null));
    if (holders.length < record.holders.size) {
      await this.#write(removal);
      for (const each of holders) registry.removeHolder(record, each);
      return;
    }
    registry.removeInbox(record);
    try {
      await this.#write(removal);
    } catch (error) {
      registry.add(record);
      throw error;
    }
    await delivery.remove(record.id);
    await discardOutbox(this.#deps, record.id);
  }

  /** Once those that stay have had the time to start. */
  #lookLater(record: SubscriptionRecord): void {
    const { timers, limits } = this.#deps;
    const stayed = [...record.holders.values()];
    const cancel = timers.after(limits.startMs, () => {
      this.#waits.delete(record.id);
      this.#looking = this.#looking.then(() => this.#removeDead(record, stayed));
    });
    this.#waits.set(record.id, cancel);
  }

  async #removeDead(
    record: SubscriptionRecord,
    stayed: readonly SubscriptionHolder[],
  ): Promise<void> {
    const { registry, logger } = this.#deps;
    const about = { subscriptionId: record.id, name: record.name };
    try {
      if (this.#stopped || !(await this.isDeserted(record))) return;
      await this.inTurn(record, async () => {
        const dead = stayed.filter(({ id }) => registry.heldBy(id) === record);
        if (dead.length === 0) return;
        await this.#remove(record, dead);
        logger.info({ ...about, count: dead.length }, 'Holders of a subscription are gone.');
      });
    } catch (error) {
      logger.error({ err: error, ...about }, 'The holders of a subscription could not be checked.');
    }
  }

  async #write(documents: readonly DocumentWrite[]): Promise<void> {
    await this.#deps.store.write({ documents });
  }
}

const documentOf = (key: SubscriptionId, stored: StoredSubscription | null): DocumentWrite => ({
  collection: 'subscriptions',
  key,
  json: stored === null ? null : JSON.stringify(stored),
});
/** Runs tasks with the same key one after the other, those with others side by side. */
class InTurn {
  readonly #last = new Map<string, Promise<void>>();

  async run<Result>(key: string, task: () => Promise<Result>): Promise<Result> {
    const before = this.#last.get(key);
    const result = before === undefined ? task() : before.then(task);
    const ended = result.then(
      () => undefined,
      () => undefined,
    );
    this.#last.set(key, ended);
    try {
      return await result;
    } finally {
      if (this.#last.get(key) === ended) this.#last.delete(key);
    }
  }
}
