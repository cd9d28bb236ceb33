/** The outbox rows of a publication: one body for all inboxes that have room for it. */
import {
  eventInVersion,
  type LoggedEvent,
  type PublicationId,
  type SubscriptionId,
} from '@tutti/manifests';
import type { Logger } from '../runtime/logger.ts';
import type { Meters } from '../runtime/meters.ts';
import type { OutboxEntry, OutboxSize, OutboxWrite } from '../store/store.ts';
import { Backlogs, type Full } from './backlogs.ts';
import type { BusLimits } from './limits.ts';
import { countAnswer, type SubscriptionRecord } from './subscription-record.ts';
import type { Readers } from './subscription-registry.ts';

export interface OutboxRowsDeps {
  readonly logger: Logger;
  readonly limits: BusLimits;
  readonly meters: Pick<Meters, 'droppedDeliveries'>;
}

export class OutboxRows {
  readonly #deps: OutboxRowsDeps;
  readonly #backlogs: Backlogs;

  constructor(deps: OutboxRowsDeps) {
    this.#deps = deps;
    this.#backlogs = new Backlogs(deps.limits);
  }

  /** For inboxes that get the event in one version. The event is counted as missed where that version cannot have it. */
  inVersion(
    { apiVersion, records }: Readers,
    { event, json }: { readonly event: LoggedEvent; readonly json: string },
    publicationId: PublicationId,
  ): readonly OutboxWrite[] {
    if (records.length === 0) return [];
    const given = eventInVersion(event, apiVersion);
    if (given === null) {
      for (const { activity } of records) countAnswer(activity, noTagFor(apiVersion));
      return [];
    }
    const body = () => (given === event ? json : JSON.stringify(given));
    return this.forInboxes(records, body, publicationId);
  }

  /** For inboxes. One whose backlog is full does not get the publication; that is counted, and logged once. */
  forInboxes(
    records: readonly SubscriptionRecord[],
    makeBody: () => string,
    publicationId: PublicationId,
  ): readonly OutboxWrite[] {
    if (records.length === 0) return [];
    const body = makeBody();
    const bytes = Buffer.byteLength(body);
    const subscriptionIds: SubscriptionId[] = [];
    for (const record of records) {
      const full = this.#backlogs.fullFor(record, bytes);
      if (full === null) subscriptionIds.push(record.id);
      else this.#drop(record, full);
    }
    return subscriptionIds.length === 0 ? [] : [{ subscriptionIds, publicationId, body }];
  }

  /** Rows that an earlier process stored. */
  load(record: SubscriptionRecord, size: OutboxSize): void {
    this.#backlogs.added(record, size);
  }

  stored(record: SubscriptionRecord, { bytes }: OutboxEntry): void {
    record.activity.isFull = false;
    this.#backlogs.added(record, { entries: 1, bytes });
  }

  removed(id: SubscriptionId, size: OutboxSize): void {
    this.#backlogs.removed(id, size);
  }

  /** The backlog of the inbox. */
  bytesOf(id: SubscriptionId): number {
    return this.#backlogs.bytesOf(id);
  }

  #drop({ id, name, activity }: SubscriptionRecord, full: Full): void {
    const { logger, limits, meters } = this.#deps;
    countAnswer(activity, full);
    meters.droppedDeliveries.add(full === 'inbox full' ? 'inbox-full' : 'namespace-full');
    if (activity.isFull) return;
    activity.isFull = true;
    const waiting = this.#backlogs.bytesOf(id);
    const about = { subscriptionId: id, name, waiting, ...boundsOf(limits) };
    logger.warn(
      about,
      full === 'inbox full'
        ? 'Too many bytes wait for an inbox: it misses publications until it takes some (limits.undeliveredBytes).'
        : 'Too many bytes wait for the inboxes of a namespace: they miss publications until they take some (limits.undeliveredNamespaceBytes).',
    );
  }
}

const noTagFor = (apiVersion = ''): string => `no tag for ${apiVersion.split('/').at(-1)}`;

const boundsOf = ({ undeliveredBytes, undeliveredNamespaceBytes }: BusLimits) => ({
  undeliveredBytes,
  undeliveredNamespaceBytes,
});
