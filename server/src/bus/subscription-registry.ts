/** All subscriptions of the bus, in memory: who gets what, and what listings tell about it. */
import { REASON_CODES, type RunEvent, type SubscriptionId } from '@tutti/manifests';
import { MatchIndex } from './match-index.ts';
import { countAnswer, type SubscriptionRecord } from './subscription-record.ts';

type Texts = Readonly<Record<string, string>>;

const TAKEN = String(REASON_CODES.OK);

export class SubscriptionRegistry {
  readonly #records = new Map<SubscriptionId, SubscriptionRecord>();
  readonly #inboxes = new MatchIndex<SubscriptionRecord>();
  readonly #builtIns = new MatchIndex<SubscriptionRecord>();
  #inboxCount = 0;

  get inboxCount(): number {
    return this.#inboxCount;
  }

  add(record: SubscriptionRecord): void {
    this.#records.set(record.id, record);
    if (record.subscriber.type === 'built-in') {
      this.#builtIns.add(record);
    } else {
      this.#inboxes.add(record);
      this.#inboxCount += 1;
    }
  }

  removeInbox(record: SubscriptionRecord): void {
    this.#records.delete(record.id);
    this.#inboxes.remove(record);
    this.#inboxCount -= 1;
  }

  get(id: SubscriptionId): SubscriptionRecord | null {
    return this.#records.get(id) ?? null;
  }

  all(): Iterable<SubscriptionRecord> {
    return this.#records.values();
  }

  /** Subscriptions with an inbox that get this event. */
  inboxesFor(event: object): SubscriptionRecord[] {
    const namespace = namespaceOf(event);
    return this.#inboxes.matching(event).filter((record) => reaches(record, namespace));
  }

  /** The labels that such an event would need for an inbox that asked for some; one for each inbox. */
  labelsWanted(event: RunEvent): Texts[] {
    const { labels = {}, namespace } = event.metadata;
    return [...this.#inboxes.ofKind(event.kind)].flatMap((record) => {
      const wanted = record.spec.selector?.matchLabels;
      if (wanted === undefined || !reaches(record, namespace)) return [];
      const metadata = { ...event.metadata, labels: { ...labels, ...wanted } };
      return record.selector.matches({ ...event, metadata }) ? [metadata.labels] : [];
    });
  }

  /** Counts an event of a run for the built-in services, which take it by the call itself: it counts as answered with 200. */
  countForBuiltIns(event: object, nowMs: number): void {
    const records = this.#builtIns.matching(event);
    count(records, nowMs);
    for (const { activity } of records) countAnswer(activity, TAKEN);
  }
}

export function count(records: readonly SubscriptionRecord[], nowMs: number): void {
  for (const { activity } of records) {
    activity.publicationCount += 1;
    activity.lastPublicationMs = nowMs;
  }
}

function reaches({ scope }: SubscriptionRecord, namespace: string | null): boolean {
  return scope === '*' || (namespace !== null && scope.has(namespace));
}

/** Null for a publication that says nothing of a namespace: only those who reach all may have it. */
function namespaceOf(event: object): string | null {
  const metadata: unknown = 'metadata' in event ? event.metadata : null;
  if (typeof metadata !== 'object' || metadata === null || !('namespace' in metadata)) return null;
  return typeof metadata.namespace === 'string' ? metadata.namespace : null;
}
