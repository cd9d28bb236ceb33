/**
 * A holder of a subscription: whoever made it, by one POST. A second POST of the same subscription makes another holder of it. It may be
 * the same plugin, started again or a second time. All of them have one queue; the subscription ends with its last holder.
 */
import type { Subscription, SubscriptionId, Timestamp } from '@tutti/manifests';
import { heapBytes } from '../runtime/heap-bytes.ts';
import type { InboxAsker } from '../runtime/outgoing-policy.ts';
import { invalidSubscription } from './invalid-subscription.ts';

type Texts = Readonly<Record<string, string>>;

/** An inbox, and whose it is. */
export interface Inbox {
  readonly endpoint: URL;
  /** The party that named the address. */
  readonly asker: InboxAsker;
  readonly insecureSkipTlsVerify: boolean;
  /** Token of the subscriber. The holder counts as long as the token does. Inboxes that ask for a token get it. */
  readonly token: string | null;
}

export interface SubscriptionHolder {
  /** The id in the answer to its POST; a DELETE names it. */
  readonly id: SubscriptionId;
  readonly createdAt: Timestamp;
  /** Subject of its token. */
  readonly subject: string;
  readonly labels: Texts;
  readonly annotations: Texts;
  /** The inbox takes several publications in one request. */
  readonly takesLists: boolean;
  /** Null for a built-in service, which is called in this process. */
  readonly inbox: Inbox | null;
  /** Memory of the holder, in bytes. */
  readonly bytes: number;
}

/** A holder as it is stored: the content of a document whose key is the id of the holder. */
export interface StoredSubscription {
  readonly subscription: Subscription;
  readonly createdAt: Timestamp;
  readonly scope: readonly string[] | '*';
  /** As `commands` of a record; absent in those of earlier versions. */
  readonly commands?: readonly string[] | '*';
  readonly token?: string;
  /** A program of the server's machine made it. If absent, anybody may have. */
  readonly ofMachine?: true;
  /** Earlier versions did not store it. */
  readonly subject?: string;
  /** The record that it is a holder of; its own id if absent, as in those of earlier versions. */
  readonly queue?: SubscriptionId;
}

/** Annotation of a subscription whose inbox takes lists of publications. The published schema has no field for it. */
const TAKES_LISTS = 'tutti/publication-lists';

const INBOX_PROTOCOLS = ['http:', 'https:'];

/** A holder of a stored subscription. Throws `Invalid` for an unusable endpoint. */
export function holderOf(id: SubscriptionId, stored: StoredSubscription): SubscriptionHolder {
  const { metadata, spec } = stored.subscription;
  const annotations = textsOf(metadata, 'annotations');
  return {
    id,
    createdAt: stored.createdAt,
    subject: stored.subject ?? '',
    labels: textsOf(metadata, 'labels'),
    annotations,
    takesLists: annotations[TAKES_LISTS] === 'true',
    inbox: {
      endpoint: parseEndpoint(spec.subscriber.endpoint),
      asker: stored.ofMachine === true ? 'machine' : 'anybody',
      insecureSkipTlsVerify: spec.subscriber['insecure-skip-tls-verify'] ?? false,
      token: stored.token ?? null,
    },
    bytes: heapBytes(stored),
  };
}

export function builtInHolder(id: SubscriptionId, createdAt: Timestamp): SubscriptionHolder {
  const none = { subject: '', labels: {}, annotations: {}, takesLists: false, inbox: null };
  return { id, createdAt, ...none, bytes: 0 };
}

function parseEndpoint(text: string): URL {
  const endpoint = URL.canParse(text) ? new URL(text) : null;
  if (endpoint !== null && INBOX_PROTOCOLS.includes(endpoint.protocol)) return endpoint;
  throw invalidSubscription(
    `spec.subscriber.endpoint: ${JSON.stringify(text)} is not an http or https address.`,
  );
}

/** The schema allows any value. Values other than texts cannot be selected and must not be listed, so they are left out. */
function textsOf(metadata: object, name: 'labels' | 'annotations'): Texts {
  const entries: unknown = Object.entries(metadata).find(([key]) => key === name)?.[1];
  if (typeof entries !== 'object' || entries === null) return {};
  const texts = Object.entries(entries).filter(([, value]) => typeof value === 'string');
  return Object.fromEntries(texts);
}
