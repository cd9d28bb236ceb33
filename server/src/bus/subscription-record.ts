/** A subscription as the bus keeps it, as it is stored and as it is listed (specification 2.4). */
import {
  formatTimestamp,
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
import type { InboxAsker } from '../runtime/outgoing-policy.ts';
import { invalidSubscription } from './invalid-subscription.ts';
import {
  builtInHolder,
  holderOf,
  type StoredSubscription,
  type SubscriptionHolder,
} from './subscription-holder.ts';

/** Namespaces that something reaches; `*` means all. */
export type NamespaceScope = ReadonlySet<string> | '*';

export interface SubscriptionRecord {
  /** Id of its queue in the outbox: that of its first holder, which may have left. */
  readonly id: SubscriptionId;
  readonly name: string;
  /** Namespaces whose events it gets: those that its maker could reach when making it. */
  readonly scope: NamespaceScope;
  /** In which namespaces its maker may carry out commands: those come with their secrets. */
  readonly commands: NamespaceScope;
  readonly spec: Subscription['spec'];
  readonly isBuiltIn: boolean;
  readonly selector: CompiledSubscriptionSelector;
  /** The oldest first; the registry changes them. */
  readonly holders: Map<SubscriptionId, SubscriptionHolder>;
  readonly activity: SubscriptionActivity;
}

/** Deliveries of a subscription as listings show them; counted from the start of the process. */
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
  /** Publications that an inbox which takes lists gets in one request. It doubles with each that it takes, and is 1 after a failure. */
  listLength: number;
  /** The inbox refused the last publication that it answered. */
  refuses: boolean;
  /** The inbox missed a publication, as its backlog was full, and got none since. */
  isFull: boolean;
  /** The inbox asked for a token once, and gets it from then on. */
  needsToken: boolean;
  /** Why it gets nothing: no token of its holders counts now. Null while one does. */
  suspended: string | null;
  /** The newest holder whose token counted when it was looked at; null before. */
  receiver: SubscriptionHolder | null;
}

/** The maker of a subscription. */
export interface SubscriptionMaker {
  /** The subscription counts as long as the token does; an inbox that asks for a token gets it. */
  readonly token?: string | null;
  /** Subject of the token. */
  readonly subject?: string;
  /** Namespaces in which the subscription may carry out commands; all of its own if absent. */
  readonly commands?: NamespaceScope;
  readonly asker?: InboxAsker;
}

/** Makes a record of a subscription with one holder. Throws `Invalid` for an unusable selector or endpoint. */
export function createInboxRecord(
  id: SubscriptionId,
  stored: StoredSubscription,
): SubscriptionRecord {
  const { metadata, spec } = stored.subscription;
  return {
    id: stored.queue ?? id,
    name: metadata.name,
    scope: scopeOf(stored.scope),
    commands: scopeOf(stored.commands ?? []),
    spec,
    isBuiltIn: false,
    selector: compileSelector(spec.selector),
    holders: new Map([[id, holderOf(id, stored)]]),
    activity: noActivity(),
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
    scope: '*',
    commands: '*',
    spec: { ...(hasSelector ? { selector } : {}), subscriber: { endpoint: `internal:${name}` } },
    isBuiltIn: true,
    selector: compileSubscriptionSelector(selector),
    holders: new Map([[id, builtInHolder(id, createdAt)]]),
    activity: noActivity(),
  };
}

export function newestHolder({ holders }: SubscriptionRecord): SubscriptionHolder {
  const newest = [...holders.values()].at(-1);
  if (newest === undefined) throw new Error('A subscription without a holder is none.');
  return newest;
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

/** Subscriptions with equal keys have the same events, address and rights: they are one, with several holders. */
export function subscriptionKey({ name, spec, scope, commands }: SubscriptionRecord): string {
  return JSON.stringify([name, spec, namesOf(scope), namesOf(commands)]);
}

/** The Subscription manifest of a listing, for one of its holders. */
export function listedSubscription(
  { name, spec, activity }: SubscriptionRecord,
  { id, createdAt, labels, annotations }: SubscriptionHolder,
  apiGroup: string,
) {
  return {
    apiVersion: `${apiGroup}/v1alpha1`,
    kind: 'Subscription',
    metadata: {
      name,
      ...(Object.keys(labels).length === 0 ? {} : { labels }),
      annotations: {
        ...annotations,
        [`${apiGroup}/fieldselector`]: describeFieldSelector(spec.selector),
        [`${apiGroup}/labelselector`]: describeLabelSelector(spec.selector),
      },
      creationTimestamp: createdAt,
      subscription_id: id,
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
  // Every reader sees the built-in services: their subscriptions are no secret, and clients wait for their names.
  if (scope === '*' || record.isBuiltIn) return true;
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
    listLength: 1,
    refuses: false,
    isFull: false,
    needsToken: false,
    suspended: null,
    receiver: null,
  };
}

/** A new holder is tried at once, whatever came of those before. */
export function forgetFailures(activity: SubscriptionActivity): void {
  activity.failures = 0;
  activity.internalErrors = 0;
  activity.inQuarantine = false;
  activity.refuses = false;
  activity.suspended = null;
}

function compileSelector(selector: Subscription['spec']['selector']): CompiledSubscriptionSelector {
  try {
    return compileSubscriptionSelector(selector);
  } catch (cause) {
    throw invalidSubscription(cause instanceof Error ? cause.message : String(cause), cause);
  }
}
