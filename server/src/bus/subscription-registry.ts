/** All subscriptions of the bus, in memory: the readers of each event, and the listings. */
import {
  type LoggedEvent,
  REASON_CODES,
  type RunEvent,
  type SubscriptionId,
  versionFor,
} from '@tutti/manifests';
import { labelsAskedFor } from '@tutti/selectors';
import { ByteShares } from '../runtime/byte-shares.ts';
import { MatchIndex } from './match-index.ts';
import type { SubscriptionHolder } from './subscription-holder.ts';
import {
  countAnswer,
  mayCarryOut,
  type SubscriptionRecord,
  subscriptionKey,
} from './subscription-record.ts';

type Texts = Readonly<Record<string, string>>;

const TAKEN = String(REASON_CODES.OK);

/** Subscriptions that get an event in one version. */
export interface Readers {
  readonly apiVersion: string | undefined;
  readonly records: readonly SubscriptionRecord[];
}

export class SubscriptionRegistry {
  readonly #apiGroup: string;
  readonly #records = new Map<SubscriptionId, SubscriptionRecord>();
  readonly #byHolder = new Map<SubscriptionId, SubscriptionRecord>();
  readonly #byKey = new Map<string, SubscriptionRecord>();
  readonly #inboxes = new MatchIndex<SubscriptionRecord>();
  readonly #builtIns = new MatchIndex<SubscriptionRecord>();
  readonly #memory: ByteShares;
  #inboxCount = 0;

  constructor(apiGroup: string, bytesMax: number = Number.POSITIVE_INFINITY) {
    this.#apiGroup = apiGroup;
    this.#memory = new ByteShares({
      bytesMax,
      what: 'subscriptions',
      remedy: 'Cancel one that is not needed, or say less in each.',
    });
  }

  /** Throws `TooManyRequests` where the memory for subscriptions is used up. */
  requireRoom({ scope }: SubscriptionRecord, bytes: number): void {
    this.#memory.requireRoom(scope, bytes);
  }

  get inboxCount(): number {
    return this.#inboxCount;
  }

  /** Adds a subscription with its holders. */
  add(record: SubscriptionRecord): void {
    this.#records.set(record.id, record);
    if (record.isBuiltIn) {
      this.#builtIns.add(record);
    } else {
      this.#inboxes.add(record);
      this.#byKey.set(subscriptionKey(record), record);
      this.#inboxCount += 1;
    }
    for (const holder of record.holders.values()) this.addHolder(record, holder);
  }

  /** The record keeps its holders, for deliveries under way. */
  removeInbox(record: SubscriptionRecord): void {
    this.#records.delete(record.id);
    this.#inboxes.remove(record);
    this.#byKey.delete(subscriptionKey(record));
    this.#inboxCount -= 1;
    for (const holder of record.holders.values()) this.#forget(record, holder);
  }

  addHolder(record: SubscriptionRecord, holder: SubscriptionHolder): void {
    record.holders.set(holder.id, holder);
    this.#byHolder.set(holder.id, record);
    this.#memory.add(record.scope, holder.bytes);
  }

  removeHolder(record: SubscriptionRecord, holder: SubscriptionHolder): void {
    record.holders.delete(holder.id);
    if (record.activity.receiver === holder) record.activity.receiver = null;
    this.#forget(record, holder);
  }

  #forget({ scope }: SubscriptionRecord, holder: SubscriptionHolder): void {
    this.#byHolder.delete(holder.id);
    this.#memory.add(scope, -holder.bytes);
  }

  get(id: SubscriptionId): SubscriptionRecord | null {
    return this.#records.get(id) ?? null;
  }

  /** The subscription that has this holder. */
  heldBy(id: SubscriptionId): SubscriptionRecord | null {
    return this.#byHolder.get(id) ?? null;
  }

  /** The subscription with this key. */
  withKey(key: string): SubscriptionRecord | null {
    return this.#byKey.get(key) ?? null;
  }

  all(): Iterable<SubscriptionRecord> {
    return this.#records.values();
  }

  hasInboxOfKind(kind: string): boolean {
    return !this.#inboxes.ofKind(kind)[Symbol.iterator]().next().done;
  }

  /** Subscriptions with an inbox that get this publication as it is. */
  inboxesFor(publication: object): SubscriptionRecord[] {
    const namespace = namespaceOf(publication);
    return this.#inboxes.matching(publication).filter((record) => reaches(record, namespace));
  }

  /** Subscriptions with an inbox that get this event, each in the version that it asked for. */
  readersOf(event: LoggedEvent): readonly Readers[] {
    if (this.#inboxCount === 0) return [];
    const named = this.#versionsOf(event);
    const found = new Map<string | undefined, SubscriptionRecord[]>();
    for (const record of this.#inboxes.candidates(event)) {
      if (!reaches(record, event.metadata.namespace)) continue;
      const { apiVersion, event: given } = named(record);
      if (!record.selector.matches(given)) continue;
      const records = found.get(apiVersion) ?? [];
      records.push(record);
      found.set(apiVersion, records);
    }
    return [...found].map(([apiVersion, records]) => ({ apiVersion, records }));
  }

  /** The event under the version that a subscription gets; made once for each version. */
  #versionsOf(event: LoggedEvent) {
    const made = new Map<string | undefined, object>([[event.apiVersion, event]]);
    return ({ selector }: SubscriptionRecord) => {
      const apiVersion = this.#versionFor(event, selector.versions);
      const given = made.get(apiVersion) ?? { ...event, apiVersion };
      made.set(apiVersion, given);
      return { apiVersion, event: given };
    };
  }

  /** The version in which a subscription gets an event. It is the usual one if the subscription takes that, else the first of the kind. */
  #versionFor(event: LoggedEvent, asked: readonly string[]): string | undefined {
    if (asked.length < 2) return versionFor(this.#apiGroup, event, asked[0] ?? null);
    const usual = versionFor(this.#apiGroup, event, null);
    if (usual !== undefined && asked.includes(usual)) return usual;
    return asked.find((version) => versionFor(this.#apiGroup, event, version) === version) ?? usual;
  }

  /** The labels that such an event would need for an inbox that asked for some, for each inbox and combination. */
  labelsWanted(event: RunEvent): Texts[] {
    const { labels = {}, namespace } = event.metadata;
    return [...this.#inboxes.ofKind(event.kind)].flatMap((record) => {
      if (!reaches(record, namespace) || !mayCarryOut(record, namespace)) return [];
      return labelsAskedFor(record.spec.selector ?? {}).flatMap((asked) => {
        const metadata = { ...event.metadata, labels: { ...labels, ...asked } };
        const { event: given } = this.#versionsOf({ ...event, metadata })(record);
        return record.selector.matches(given) ? [metadata.labels] : [];
      });
    });
  }

  /** Counts an event of a run for the built-in services. They take it by the call, so it counts as answered with 200. */
  countForBuiltIns(event: object, nowMs: number): void {
    const records = this.#builtIns.matching(event);
    for (const record of records) {
      count(record, nowMs);
      countAnswer(record.activity, TAKEN);
    }
  }
}

export function count({ activity }: SubscriptionRecord, nowMs: number): void {
  activity.publicationCount += 1;
  activity.lastPublicationMs = nowMs;
}

function reaches({ scope }: SubscriptionRecord, namespace: string | null): boolean {
  return scope === '*' || (namespace !== null && scope.has(namespace));
}

/** Null for a publication without a namespace: only subscribers to all namespaces may have it. */
export function namespaceOf(event: object): string | null {
  const metadata: unknown = 'metadata' in event ? event.metadata : null;
  if (typeof metadata !== 'object' || metadata === null || !('namespace' in metadata)) return null;
  return typeof metadata.namespace === 'string' ? metadata.namespace : null;
}
