/**
 * Brings publications to inboxes: one sender per subscription, in order, until the inbox has each. An inbox that takes lists gets
 * several in one request. After a list that it does not take, it gets one at a time. An inbox that refuses a single publication has
 * it. One that does not answer, or answers that it cannot now, gets it again, later and later. After enough failures in a row the
 * subscription is in quarantine. It is tried now and then until the inbox answers.
 */
import type { SubscriptionId } from '@tutti/manifests';
import type { OutboxEntry } from '../store/store.ts';
import { settleAnswer } from './inbox-answers.ts';
import type { InboxAnswer, InboxClient } from './inbox-client.ts';
import type { BusLimits } from './limits.ts';
import { LongBodies } from './long-bodies.ts';
import {
  type Attempt,
  type AttemptOutcome,
  type ConsumerDeps,
  OutboxConsumer,
  type Some,
} from './outbox-consumer.ts';
import { createSlots } from './slots.ts';
import type { Inbox, SubscriptionHolder } from './subscription-holder.ts';
import { newestHolder, type SubscriptionRecord } from './subscription-record.ts';

/** A publication in the outbox; a long body is empty here. */
interface Waiting {
  readonly lane: string;
  readonly entry: OutboxEntry;
}

type Sender = OutboxConsumer<Waiting>;

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
  const senders = new Map<SubscriptionId, Sender>();
  const { limits } = deps;
  const post = createPost(deps);

  const createSender = (record: SubscriptionRecord): Sender =>
    new OutboxConsumer(deps, {
      subscriptionId: record.id,
      concurrency: 1,
      window: limits.inboxWindow,
      unremoved: limits.unremoved,
      retryDelayMs: limits.retryDelayMs,
      bodyBytesMax: limits.heldBodyBytes,
      together: (waiting) => listLengthOf(record, waiting),
      prepare: (entry) => {
        const held = entry.bytes > limits.heldBodyBytes ? { ...entry, body: '' } : entry;
        return { lane: record.id, entry: held };
      },
      attempt: (deliveries, attempt) => post(record, deliveries, attempt),
    });

  const senderOf = (record: SubscriptionRecord): Sender => {
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

/** Attempts to bring one publication to its inbox, or a list of them. */
function createPost(deps: OutboxDeliveryDeps) {
  const { limits } = deps;
  const slots = createSlots(limits.inboxRequests);
  const longBodies = new LongBodies(deps.store, limits.longBodiesBytes);

  const post = async (
    record: SubscriptionRecord,
    deliveries: Some<Waiting>,
    { signal, number }: Attempt,
  ): Promise<AttemptOutcome> => {
    const message = await messageOf(deliveries, longBodies, signal);
    // Given up meanwhile.
    if (message === null) return { outcome: 'done' };
    try {
      for (const body of message.bodies) await deps.prepare(record, body);
      const answer = await postMessage(record, message, signal);
      if (answer === 'suspended') return KEPT;
      if (answer === 'no inbox') return { outcome: 'done' };
      return settleAnswer(deps, record, answer, { attempt: number, count: deliveries.length });
    } finally {
      message.release();
    }
  };

  const postMessage = async (
    record: SubscriptionRecord,
    message: Message,
    signal: AbortSignal,
  ): Promise<InboxAnswer | 'suspended' | 'no inbox'> => {
    const { activity } = record;
    const giveBack = await slots.take(signal);
    try {
      if (!(await deps.mayReceive(record))) return 'suspended';
      const { id, inbox } = receiverOf(record);
      if (inbox === null) return 'no inbox';
      const send = () => deps.client.post(requestFor(record, { id, inbox }, message), signal);
      const answer = await send();
      if (!asksForToken(answer) || inbox.token === null || activity.needsToken) return answer;
      activity.needsToken = true;
      return await send();
    } finally {
      giveBack();
    }
  };

  return post;
}

/** Outcome for a suspended subscription: its sender is stopped, so nothing is retried before the subscription is resumed. */
const KEPT: AttemptOutcome = { outcome: 'retry', afterMs: 60_000 };

const receiverOf = (record: SubscriptionRecord): SubscriptionHolder =>
  record.activity.receiver ?? newestHolder(record);

/** A long body goes alone, as it is read when it is sent. */
function listLengthOf(record: SubscriptionRecord, waiting: Some<Waiting>): number {
  if (!receiverOf(record).takesLists) return 1;
  const long = waiting.findIndex(({ entry }) => entry.body === '');
  const short = long === -1 ? waiting.length : long;
  return Math.max(1, Math.min(short, record.activity.listLength));
}

/** The content of one request. */
interface Message {
  readonly headers: Readonly<Record<string, string>>;
  readonly content: string | Uint8Array;
  readonly bytes: number;
  /** Bodies of the publications in it. */
  readonly bodies: readonly (string | Uint8Array)[];
  readonly release: () => void;
}

const keep = (): void => undefined;

async function messageOf(
  deliveries: Some<Waiting>,
  longBodies: LongBodies,
  signal: AbortSignal,
): Promise<Message | null> {
  const [{ entry }] = deliveries;
  if (deliveries.length > 1) return listOf(deliveries.map((delivery) => delivery.entry));
  const body =
    entry.body === ''
      ? await longBodies.take(entry.position, signal)
      : { content: entry.body, release: keep };
  if (body === null) return null;
  const headers = { 'X-Publication-ID': entry.publicationId };
  return { headers, bytes: entry.bytes, bodies: [body.content], ...body };
}

function listOf(entries: readonly OutboxEntry[]): Message {
  const items = entries.map(
    ({ publicationId, body }) => `{"id":"${publicationId}","publication":${body}}`,
  );
  const content = `[${items.join(',')}]`;
  const bodies = entries.map(({ body }) => body);
  return { headers: {}, content, bytes: Buffer.byteLength(content), bodies, release: keep };
}

const UNAUTHORIZED = 401;

const asksForToken = (answer: InboxAnswer): boolean =>
  answer.outcome === 'answered' && answer.code === UNAUTHORIZED;

/** The token goes only to an inbox that asks for it: the address may be somebody else's. */
function requestFor(
  { activity }: SubscriptionRecord,
  { id, inbox }: { readonly id: SubscriptionId; readonly inbox: Inbox },
  { headers: ids, content, bytes }: Message,
) {
  const { endpoint, asker, insecureSkipTlsVerify, token } = inbox;
  const headers = {
    'Content-Type': 'application/json',
    'Content-Length': String(bytes),
    'X-Subscription-ID': id,
    ...ids,
    ...(activity.needsToken && token !== null ? { Authorization: `Bearer ${token}` } : {}),
  };
  return { endpoint, asker, insecureSkipTlsVerify, headers, body: content };
}
