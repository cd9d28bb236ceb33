/**
 * Brings publications to inboxes: one sender per subscription, in order, until the inbox has each. An inbox that refuses a
 * publication has it; one that does not answer, or answers that it cannot now, gets it again, later and later. After enough
 * failures in a row the subscription is in quarantine: it is tried now and then until the inbox answers.
 */
import type { SubscriptionId } from '@tutti/manifests';
import type { OutboxEntry } from '../store/store.ts';
import { backoffDelayMs } from './backoff.ts';
import type { InboxAnswer, InboxClient } from './inbox-client.ts';
import type { BusLimits } from './limits.ts';
import {
  type AttemptOutcome,
  type ConsumerDeps,
  type Delivery,
  OutboxConsumer,
} from './outbox-consumer.ts';
import { createSlots } from './slots.ts';
import {
  countAnswer,
  type SubscriptionActivity,
  type SubscriptionRecord,
} from './subscription-record.ts';

export interface OutboxDelivery {
  /** Says that the outbox of this subscription has entries. Must not be called any more once it was removed. */
  wake(record: SubscriptionRecord): void;
  /** Cuts off what is under way. */
  remove(id: SubscriptionId): Promise<void>;
  stop(): Promise<void>;
}

export interface OutboxDeliveryDeps extends ConsumerDeps {
  readonly client: InboxClient;
  /** At least 0, below 1. */
  readonly random: () => number;
  readonly limits: BusLimits;
}

export function createOutboxDelivery(deps: OutboxDeliveryDeps): OutboxDelivery {
  const senders = new Map<SubscriptionId, OutboxConsumer>();
  const slots = createSlots(deps.limits.inboxRequests);

  const post = async (
    record: SubscriptionRecord,
    entry: OutboxEntry,
    signal: AbortSignal,
  ): Promise<AttemptOutcome> => {
    const request = requestFor(record, entry);
    if (request === null) return { outcome: 'done' };
    const giveBack = await slots.take(signal);
    try {
      return settle(record, await deps.client.post(request, signal));
    } finally {
      giveBack();
    }
  };

  const settle = (record: SubscriptionRecord, answer: InboxAnswer): AttemptOutcome => {
    const { activity } = record;
    const failed = noteAnswer(activity, answer);
    if (!failed) return { outcome: 'done' };
    const { failuresBeforeQuarantine, quarantineProbeMs, retryDelayMs, retryDelayMaxMs } =
      deps.limits;
    if (activity.failures < failuresBeforeQuarantine) {
      const bounds = { firstMs: retryDelayMs, maxMs: retryDelayMaxMs };
      const afterMs = backoffDelayMs(activity.failures, deps.random(), bounds);
      return { outcome: 'retry', afterMs };
    }
    if (!activity.inQuarantine) {
      const { id, name } = record;
      deps.logger.warn({ subscriptionId: id, name }, 'An inbox does not answer: quarantine.');
    }
    activity.inQuarantine = true;
    return { outcome: 'retry', afterMs: quarantineProbeMs };
  };

  const createSender = (record: SubscriptionRecord): OutboxConsumer =>
    new OutboxConsumer(deps, {
      subscriptionId: record.id,
      concurrency: 1,
      window: deps.limits.inboxWindow,
      retryDelayMs: deps.limits.retryDelayMs,
      prepare: (entry): Delivery => ({
        lane: record.id,
        attempt: (signal) => post(record, entry, signal),
      }),
    });

  return {
    wake(record) {
      const sender = senders.get(record.id) ?? createSender(record);
      senders.set(record.id, sender);
      sender.wake();
    },
    async remove(id) {
      const sender = senders.get(id);
      senders.delete(id);
      await sender?.stop(0);
    },
    async stop() {
      await Promise.all(
        [...senders.values()].map((sender) => sender.stop(deps.limits.stopGraceMs)),
      );
      deps.client.close();
    },
  };
}

function requestFor(record: SubscriptionRecord, entry: OutboxEntry) {
  if (record.subscriber.type !== 'inbox') return null;
  const { endpoint, insecureSkipTlsVerify } = record.subscriber;
  const headers = {
    'Content-Type': 'application/json',
    'Content-Length': String(Buffer.byteLength(entry.body)),
    'X-Subscription-ID': entry.subscriptionId,
    'X-Publication-ID': entry.publicationId,
  };
  return { endpoint, insecureSkipTlsVerify, headers, body: entry.body };
}

/** True when the publication has to be sent again. */
function noteAnswer(activity: SubscriptionActivity, answer: InboxAnswer): boolean {
  const name = answer.outcome === 'answered' ? String(answer.code) : answer.why;
  countAnswer(activity, name);
  if (answer.outcome === 'unanswered' || isTransient(answer.code)) {
    activity.failures += 1;
    return true;
  }
  activity.failures = 0;
  activity.inQuarantine = false;
  return false;
}

function isTransient(code: number): boolean {
  return code === 429 || code >= 500;
}
