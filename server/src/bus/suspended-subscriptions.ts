/**
 * Subscriptions of which no token counts any more, as they were revoked, have expired or reach less: they are suspended. Nothing is sent to
 * them. Their publications wait, within the bounds of every inbox that does not answer. They are sent if the token counts again, as when a
 * key comes back. The same subscription, made again, gets them too.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { SubscriptionId } from '@tutti/manifests';
import type { Logger } from '../runtime/logger.ts';
import type { OutboxDelivery } from './outbox-delivery.ts';
import type { SubscriptionHolder } from './subscription-holder.ts';
import type { SubscriptionRecord } from './subscription-record.ts';
import type { SubscriptionRegistry } from './subscription-registry.ts';

export interface SubscriptionTokens {
  /** Why a subscription with this token and these namespaces gets nothing now; null while the token counts. */
  refusal(
    token: string | null,
    reach: Pick<SubscriptionRecord, 'scope' | 'commands'>,
  ): Promise<string | null>;
}

export interface SuspendedSubscriptionsDeps {
  /** Null where all subscriptions count. */
  readonly tokens: SubscriptionTokens | null;
  readonly registry: SubscriptionRegistry;
  readonly delivery: Pick<OutboxDelivery, 'wake' | 'remove'>;
  readonly logger: Logger;
}

/** Subscriptions looked at in one turn of the event loop. */
const CHECKED_AT_ONCE = 16;

export class SuspendedSubscriptions {
  readonly #deps: SuspendedSubscriptionsDeps;

  constructor(deps: SuspendedSubscriptionsDeps) {
    this.#deps = deps;
  }

  /** Suspends those whose tokens have expired, which is known without verifying anything. */
  suspendExpired(): Promise<void> {
    const { registry } = this.#deps;
    return this.#check(
      [...registry.all()].filter(({ activity }) => activity.suspended === null),
      false,
    );
  }

  /** `isDelivering`: whether waiting publications of resumed subscriptions are sent at once. */
  checkAll(isDelivering: boolean): Promise<void> {
    return this.#check([...this.#deps.registry.all()], isDelivering);
  }

  async #check(records: readonly SubscriptionRecord[], isDelivering: boolean): Promise<void> {
    const { tokens, registry, delivery, logger } = this.#deps;
    if (tokens === null) return;
    for (const [index, record] of records.entries()) {
      // Tokens that are refused are verified each time, which takes as long as a request.
      if (index % CHECKED_AT_ONCE === CHECKED_AT_ONCE - 1) await nextTurn();
      try {
        const wasSuspended = record.activity.suspended !== null;
        const counts = await this.mayReceive(record);
        const isThere = registry.get(record.id) === record;
        if (wasSuspended && counts && isThere && isDelivering) delivery.wake(record);
      } catch (error) {
        logger.error({ err: error, subscriptionId: record.id }, 'A token could not be verified.');
      }
    }
  }

  /** Suspends or resumes it by the tokens of its holders: one that counts is enough. The newest of them receives. */
  async mayReceive(record: SubscriptionRecord): Promise<boolean> {
    const { tokens } = this.#deps;
    if (tokens === null || record.isBuiltIn) return true;
    const refusals = new Map<string | null, string>();
    for (const holder of [...record.holders.values()].reverse()) {
      const token = holder.inbox?.token ?? null;
      // An installation may have one token for all.
      if (refusals.has(token)) continue;
      const why = await tokens.refusal(token, record);
      if (why === null) {
        this.#receive(record, holder);
        return true;
      }
      refusals.set(token, why);
    }
    const [why] = refusals.values();
    if (why !== undefined) this.#suspend(record, why);
    return false;
  }

  #receive(record: SubscriptionRecord, holder: SubscriptionHolder): void {
    // The holder may have left meanwhile.
    if (record.holders.has(holder.id)) record.activity.receiver = holder;
    if (record.activity.suspended !== null) this.#resume(record);
  }

  #suspend(record: SubscriptionRecord, why: string): void {
    const { delivery, logger } = this.#deps;
    const isNew = record.activity.suspended === null;
    record.activity.suspended = why;
    if (!isNew) return;
    logger.warn(aboutOf(record, why), 'A subscription is suspended: its token does not count.');
    // Not awaited: it waits for deliveries under way, and the caller may be one of them.
    delivery.remove(record.id).catch((error: unknown) => {
      logger.error({ err: error, ...aboutOf(record, why) }, 'A delivery could not be stopped.');
    });
  }

  #resume(record: SubscriptionRecord): void {
    record.activity.suspended = null;
    const about = aboutOf(record, null);
    this.#deps.logger.info(about, 'A subscription is resumed: its token counts again.');
  }
}

function aboutOf(
  { id, name }: SubscriptionRecord,
  why: string | null,
): { readonly subscriptionId: SubscriptionId; readonly name: string; readonly why?: string } {
  return { subscriptionId: id, name, ...(why === null ? {} : { why }) };
}
