/**
 * Brings publications to inboxes: one sender per subscription, in order, until the inbox has each. An inbox that refuses a
 * publication has it; one that does not answer, or answers that it cannot now, gets it again, later and later. After enough
 * failures in a row the subscription is in quarantine: it is tried now and then until the inbox answers.
 */
import type { SubscriptionId } from '@tutti/manifests';
import type { OutboxEntry } from '../store/store.ts';
import { settleAnswer } from './inbox-answers.ts';
import type { InboxAnswer, InboxClient } from './inbox-client.ts';
import type { BusLimits } from './limits.ts';
import { type HeldBody, LongBodies } from './long-bodies.ts';
import {
  type AttemptOutcome,
  type ConsumerDeps,
  type Delivery,
  OutboxConsumer,
} from './outbox-consumer.ts';
import { createSlots } from './slots.ts';
import type { Inbox } from './subscription-holder.ts';
import { newestHolder, type SubscriptionRecord } from './subscription-record.ts';

export interface OutboxDelivery {
  /** Says that the outbox of this subscription has entries. Must not be called any more once it was removed. */
  wake(record: SubscriptionRecord): void;
  /** Hands over an entry that was stored just now. As above. */
  offer(record: SubscriptionRecord, entry: OutboxEntry): void;
  /** Aborts deliveries under way. */
  remove(id: SubscriptionId): Promise<void>;
  stop(): Promise<void>;
}

export interface OutboxDeliveryDeps extends ConsumerDeps {
  readonly client: InboxClient;
  /** Whether it may get anything now: asked before each request, also one that is repeated. */
  readonly mayReceive: (record: SubscriptionRecord) => Promise<boolean>;
  /** Prepares an inbox for a publication, such as the files of a command. */
  readonly prepare: (record: SubscriptionRecord, body: string | Uint8Array) => Promise<void>;
  /** At least 0, below 1. */
  readonly random: () => number;
  readonly limits: BusLimits;
}

export function createOutboxDelivery(deps: OutboxDeliveryDeps): OutboxDelivery {
  const senders = new Map<SubscriptionId, OutboxConsumer>();
  const { limits } = deps;
  const post = createPost(deps);

  const createSender = (record: SubscriptionRecord): OutboxConsumer =>
    new OutboxConsumer(deps, {
      subscriptionId: record.id,
      concurrency: 1,
      window: limits.inboxWindow,
      unremoved: limits.unremoved,
      retryDelayMs: limits.retryDelayMs,
      bodyBytesMax: limits.heldBodyBytes,
      prepare: (entry): Delivery => {
        const held = entry.bytes > limits.heldBodyBytes ? { ...entry, body: '' } : entry;
        return {
          lane: record.id,
          attempt: (signal, attempt) => post(record, held, signal, attempt),
        };
      },
    });

  const senderOf = (record: SubscriptionRecord): OutboxConsumer => {
    const known = senders.get(record.id);
    if (known !== undefined) return known;
    const sender = createSender(record);
    senders.set(record.id, sender);
    return sender;
  };

  return {
    wake: (record) => senderOf(record).wake(),
    offer: (record, entry) => senderOf(record).offer(entry),
    async remove(id) {
      const sender = senders.get(id);
      senders.delete(id);
      await sender?.stop(0);
    },
    async stop() {
      await Promise.all([...senders.values()].map((sender) => sender.stop(limits.stopGraceMs)));
      deps.client.close();
    },
  };
}

/** Attempts to bring one publication to its inbox. */
function createPost(deps: OutboxDeliveryDeps) {
  const { limits } = deps;
  const slots = createSlots(limits.inboxRequests);
  const longBodies = new LongBodies(deps.store, limits.longBodiesBytes);

  const post = async (
    record: SubscriptionRecord,
    entry: OutboxEntry,
    signal: AbortSignal,
    attempt: number,
  ): Promise<AttemptOutcome> => {
    const body = await bodyOf(entry, longBodies, signal);
    // Given up meanwhile.
    if (body === null) return { outcome: 'done' };
    try {
      await deps.prepare(record, body.content);
      return await postBody(record, { ...entry, body: body.content }, { signal, attempt });
    } finally {
      body.release();
    }
  };

  const postBody = async (
    record: SubscriptionRecord,
    publication: Publication,
    { signal, attempt }: { readonly signal: AbortSignal; readonly attempt: number },
  ): Promise<AttemptOutcome> => {
    const { activity } = record;
    const giveBack = await slots.take(signal);
    try {
      if (!(await deps.mayReceive(record))) return KEPT;
      const { id, inbox } = activity.receiver ?? newestHolder(record);
      if (inbox === null) return { outcome: 'done' };
      const about = { ...publication, subscriptionId: id };
      const send = () => deps.client.post(requestFor(record, inbox, about), signal);
      const answer = await send();
      if (!asksForToken(answer) || inbox.token === null || activity.needsToken) {
        return settleAnswer(deps, record, answer, attempt);
      }
      activity.needsToken = true;
      return settleAnswer(deps, record, await send(), attempt);
    } finally {
      giveBack();
    }
  };

  return post;
}
/** Outcome for a suspended subscription: its sender is stopped, so nothing is retried before the subscription is resumed. */
const KEPT: AttemptOutcome = { outcome: 'retry', afterMs: 60_000 };

interface Publication extends Omit<OutboxEntry, 'body'> {
  readonly body: string | Uint8Array;
}

const keep = (): void => undefined;

async function bodyOf(
  { position, body }: OutboxEntry,
  longBodies: LongBodies,
  signal: AbortSignal,
): Promise<HeldBody | { readonly content: string; readonly release: () => void } | null> {
  return body === '' ? await longBodies.take(position, signal) : { content: body, release: keep };
}

const UNAUTHORIZED = 401;

const asksForToken = (answer: InboxAnswer): boolean =>
  answer.outcome === 'answered' && answer.code === UNAUTHORIZED;

/** The token goes only to an inbox that asks for it: the address may be somebody else's. */
function requestFor(
  { activity }: SubscriptionRecord,
  { endpoint, asker, insecureSkipTlsVerify, token }: Inbox,
  publication: Publication,
) {
  const headers = {
    'Content-Type': 'application/json',
    'Content-Length': String(publication.bytes),
    'X-Subscription-ID': publication.subscriptionId,
    'X-Publication-ID': publication.publicationId,
    ...(activity.needsToken && token !== null ? { Authorization: `Bearer ${token}` } : {}),
  };
  return { endpoint, asker, insecureSkipTlsVerify, headers, body: publication.body };
}
