/** A subscription as the bus keeps it, as it is stored and as it is listed (specification 2.4). */
import {
  formatTimestamp,
  messages,
  OrchestratorError,
  type Subscription,
  type SubscriptionId,
  type Timestamp,
} from '@tutti/manifests';
import {
  type CompiledSubscriptionSelector,
  compileSubscriptionSelector,
  describeFieldSelector,
  describeLabelSelector,
  type SubscriptionSelector,
} from '@tutti/selectors';
import { heapBytes } from '../runtime/heap-bytes.ts';
import type { InboxAsker } from '../runtime/outgoing-policy.ts';

/** Namespaces that something reaches; `*` means all. */
export type NamespaceScope = ReadonlySet<string> | '*';

type Texts = Readonly<Record<string, string>>;

/** Where publications go. Built-in services are called in this process. */
export type Subscriber =
  | {
      readonly type: 'inbox';
      readonly endpoint: URL;
      /** The party that named the address. */
      readonly asker: InboxAsker;
      readonly insecureSkipTlsVerify: boolean;
      /** That of whoever subscribed: the subscription counts as long as it does, and inboxes that ask for a token get it. */
      readonly token: string | null;
    }
  | { readonly type: 'built-in' };

export interface SubscriptionRecord {
  readonly id: SubscriptionId;
  readonly name: string;
  readonly createdAt: Timestamp;
  /** Whose events it gets: what its maker could reach when making it. */
  readonly scope: NamespaceScope;
  /** In which namespaces its maker may carry out commands: those come with their secrets. */
  readonly commands: NamespaceScope;
  /** Whose token made it. */
  readonly subject: string;
  readonly spec: Subscription['spec'];
  readonly labels: Texts;
  readonly annotations: Texts;
  readonly subscriber: Subscriber;
  readonly selector: CompiledSubscriptionSelector;
  readonly activity: SubscriptionActivity;
  /** Its memory, in bytes. */
  readonly bytes: number;
}

/** What a listing tells about deliveries; begins anew with the process. */
export interface SubscriptionActivity {
  publicationCount: number;
  /** Milliseconds since 1970. */
  lastPublicationMs: number | null;
  /** Number of answers by their HTTP code, or by what happened instead. */
  readonly answers: Map<string, number>;
  /** Failed attempts since the inbox last answered. */
  failures: number;
  /** Answers of 500 to the publication that is being delivered. */
  internalErrors: number;
  inQuarantine: boolean;
  /** It refused the last publication that it answered. */
  refuses: boolean;
  /** It missed a publication, as its backlog was full, and got none since. */
  isFull: boolean;
  /** It asked for a token once, and gets it from then on. */
  needsToken: boolean;
  /** Why it gets nothing: its token does not count now. Null while it does. */
  suspended: string | null;
}

/** What a record is made of again after a restart; the content of a document. */
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
}

/** The maker of a subscription. */
export interface SubscriptionMaker {
  /** The subscription counts as long as the token does; an inbox that asks for a token gets it. */
  readonly token?: string | null;
  /** Whose token it is. */
  readonly subject?: string;
  /** Where the subscription may carry out commands; in all its namespaces if absent. */
  readonly commands?: NamespaceScope;
  readonly asker?: InboxAsker;
}

const INBOX_PROTOCOLS = ['http:', 'https:'];

/** Throws `Invalid` when the selector or the endpoint cannot be used. */
export function createInboxRecord(
  id: SubscriptionId,
  stored: StoredSubscription,
): SubscriptionRecord {
  const { metadata, spec } = stored.subscription;
  const skip = spec.subscriber['insecure-skip-tls-verify'] ?? false;
  const endpoint = parseEndpoint(spec.subscriber.endpoint);
  return {
    id,
    name: metadata.name,
    createdAt: stored.createdAt,
    scope: scopeOf(stored.scope),
    commands: scopeOf(stored.commands ?? []),
    subject: stored.subject ?? '',
    spec,
    labels: textsOf(metadata, 'labels'),
    annotations: textsOf(metadata, 'annotations'),
    subscriber: {
      type: 'inbox',
      endpoint,
      asker: stored.ofMachine === true ? 'machine' : 'anybody',
      insecureSkipTlsVerify: skip,
      token: stored.token ?? null,
    },
    selector: compileSelector(spec.selector),
    activity: noActivity(),
    bytes: heapBytes(stored),
  };
}

const scopeOf = (names: readonly string[] | '*'): NamespaceScope =>
  names === '*' ? '*' : new Set(names);

export function createBuiltInRecord(
  id: SubscriptionId,
  name: string,
  createdAt: Timestamp,
  selector: SubscriptionSelector,
): SubscriptionRecord {
  const hasSelector = Object.keys(selector).length > 0;
  return {
    id,
    name,
    createdAt,
    scope: '*',
    commands: '*',
    subject: '',
    spec: { ...(hasSelector ? { selector } : {}), subscriber: { endpoint: `internal:${name}` } },
    labels: {},
    annotations: {},
    subscriber: { type: 'built-in' },
    selector: compileSubscriptionSelector(selector),
    activity: noActivity(),
    bytes: 0,
  };
}

export function storedSubscription(
  subscription: Subscription,
  createdAt: Timestamp,
  scope: NamespaceScope,
  { token = null, subject = '', asker = 'anybody', commands = scope }: SubscriptionMaker,
): StoredSubscription {
  return {
    subscription,
    createdAt,
    scope: namesOf(scope),
    commands: namesOf(commands),
    ...(token === null ? {} : { token }),
    ...(subject === '' ? {} : { subject }),
    ...(asker === 'machine' ? { ofMachine: true } : {}),
  };
}

export const namesOf = (scope: NamespaceScope): readonly string[] | '*' =>
  scope === '*' ? scope : [...scope].sort();

/**
 * True when one would get what the other gets, at the same address and for those who reach the same: it is that of a plugin that was
 * started again.
 */
export function isSameSubscriber(one: SubscriptionRecord, other: SubscriptionRecord): boolean {
  return keyOf(one) === keyOf(other);
}

function keyOf({ name, spec, scope, commands }: SubscriptionRecord): string {
  return JSON.stringify([name, spec, namesOf(scope), namesOf(commands)]);
}

/** The Subscription manifest of a listing. It has no list of scalars anywhere: existing clients that wait for a service stumble. */
export function listedSubscription(record: SubscriptionRecord, apiGroup: string) {
  const { activity, spec, labels, annotations } = record;
  return {
    apiVersion: `${apiGroup}/v1alpha1`,
    kind: 'Subscription',
    metadata: {
      name: record.name,
      ...(Object.keys(labels).length === 0 ? {} : { labels }),
      annotations: {
        ...annotations,
        [`${apiGroup}/fieldselector`]: describeFieldSelector(spec.selector),
        [`${apiGroup}/labelselector`]: describeLabelSelector(spec.selector),
      },
      creationTimestamp: record.createdAt,
      subscription_id: record.id,
    },
    spec,
    status: {
      lastPublicationTimestamp:
        activity.lastPublicationMs === null ? null : formatTimestamp(activity.lastPublicationMs),
      publicationCount: activity.publicationCount,
      publicationStatusSummary: Object.fromEntries(activity.answers),
      ...(activity.inQuarantine ? { quarantine: activity.failures } : {}),
      ...(activity.suspended === null ? {} : { suspended: activity.suspended }),
    },
  };
}

export type ListedSubscription = ReturnType<typeof listedSubscription>;

/** True when it may carry out commands of that namespace. */
export const mayCarryOut = ({ commands }: SubscriptionRecord, namespace: string): boolean =>
  commands === '*' || commands.has(namespace);

/** True when everything that the record reaches is within the scope. */
export function isWithin(record: SubscriptionRecord, scope: NamespaceScope): boolean {
  // What the built-in services listen to is no secret, and clients wait for their names.
  if (scope === '*' || record.subscriber.type === 'built-in') return true;
  return record.scope !== '*' && [...record.scope].every((namespace) => scope.has(namespace));
}

/** `answer` is an HTTP code, or what happened instead. */
export function countAnswer({ answers }: SubscriptionActivity, answer: string, count = 1): void {
  answers.set(answer, (answers.get(answer) ?? 0) + count);
}

function noActivity(): SubscriptionActivity {
  return {
    publicationCount: 0,
    lastPublicationMs: null,
    answers: new Map(),
    failures: 0,
    internalErrors: 0,
    inQuarantine: false,
    refuses: false,
    isFull: false,
    needsToken: false,
    suspended: null,
  };
}

function compileSelector(selector: Subscription['spec']['selector']): CompiledSubscriptionSelector {
  try {
    return compileSubscriptionSelector(selector);
  } catch (cause) {
    throw invalidSubscription(cause instanceof Error ? cause.message : String(cause), cause);
  }
}

function parseEndpoint(text: string): URL {
  const endpoint = URL.canParse(text) ? new URL(text) : null;
  if (endpoint !== null && INBOX_PROTOCOLS.includes(endpoint.protocol)) return endpoint;
  throw invalidSubscription(
    `spec.subscriber.endpoint: ${JSON.stringify(text)} is not an http or https address.`,
  );
}

export function invalidSubscription(error: string, cause?: unknown): OrchestratorError {
  return new OrchestratorError('Invalid', messages.subscriptionInvalid(), {
    details: { error },
    cause,
  });
}

/** Both are loose in the schema; what is no text cannot be selected, and lists of scalars must not be listed: it is left out. */
function textsOf(metadata: object, name: 'labels' | 'annotations'): Texts {
  const entries: unknown = Object.entries(metadata).find(([key]) => key === name)?.[1];
  if (typeof entries !== 'object' || entries === null) return {};
  const texts = Object.entries(entries).filter(([, value]) => typeof value === 'string');
  return Object.fromEntries(texts);
}
