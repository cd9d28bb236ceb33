/** Reads of private documents and of the outbox. */
import type { DatabaseSync } from 'node:sqlite';
import type { SubscriptionId } from '@tutti/manifests';
import type { OutboxEntry, StoreFigures } from '../store.ts';
import { prepareQuery } from './query.ts';

interface StoredDocument {
  readonly key: string;
  readonly json: string;
}

export interface RecordReader {
  documents(collection: string): readonly StoredDocument[];
  document(collection: string, key: string): string | null;
  outbox(subscriptionId: SubscriptionId, limit: number, after?: number): readonly OutboxEntry[];
  outboxSurplus(subscriptionId: SubscriptionId, kept: number, limit: number): readonly number[];
  outboxSubscriptions(): readonly SubscriptionId[];
  figures(): Omit<StoreFigures, 'waitingOperations'>;
}

/** Steps from one subscription to the next by the index; DISTINCT would read every entry. */
const SELECT_SUBSCRIPTIONS = `
  WITH RECURSIVE subscriptions (id) AS (
    SELECT min(subscription_id) FROM outbox
    UNION ALL
    SELECT (SELECT min(subscription_id) FROM outbox WHERE subscription_id > subscriptions.id)
    FROM subscriptions WHERE subscriptions.id IS NOT NULL
  )
  SELECT id FROM subscriptions WHERE id IS NOT NULL`;

export function createRecordReader(db: DatabaseSync): RecordReader {
  const documents = prepareQuery<StoredDocument>(
    db,
    'SELECT key, json FROM documents WHERE collection = ? ORDER BY key',
  );
  const document = prepareQuery<{ readonly json: string }>(
    db,
    'SELECT json FROM documents WHERE collection = ? AND key = ?',
  );
  const outbox = prepareQuery<OutboxEntry>(
    db,
    `SELECT position, subscription_id AS subscriptionId, publication_id AS publicationId, body
     FROM outbox WHERE subscription_id = ? AND position > ? ORDER BY position LIMIT ?`,
  );
  // The index alone has the positions; the bodies are not read.
  const surplus = prepareQuery<{ readonly position: number }>(
    db,
    `SELECT position FROM outbox WHERE subscription_id = ?1 AND position <= (
       SELECT position FROM outbox WHERE subscription_id = ?1 ORDER BY position DESC LIMIT 1 OFFSET ?2
     ) ORDER BY position LIMIT ?3`,
  );
  const subscriptions = prepareQuery<{ readonly id: SubscriptionId }>(db, SELECT_SUBSCRIPTIONS);
  const runs = prepareQuery<{ readonly runs: number; readonly events: number }>(
    db,
    'SELECT count(*) AS runs, coalesce(sum(events), 0) AS events FROM workflows',
  );
  const entries = prepareQuery<{ readonly id: SubscriptionId; readonly count: number }>(
    db,
    'SELECT subscription_id AS id, count(*) AS count FROM outbox GROUP BY subscription_id',
  );
  return {
    documents: (collection) => documents.all(collection),
    document: (collection, key) => document.get(collection, key)?.json ?? null,
    outbox: (subscriptionId, limit, after = 0) =>
      outbox.all(subscriptionId, after, Math.max(0, limit)),
    outboxSurplus: (subscriptionId, kept, limit) =>
      surplus.all(subscriptionId, kept, limit).map(({ position }) => position),
    outboxSubscriptions: () => subscriptions.all().map((row) => row.id),
    figures: () => ({
      ...(runs.get() ?? { runs: 0, events: 0 }),
      outbox: new Map(entries.all().map(({ id, count }) => [id, count])),
    }),
  };
}
