/** Reads of private documents and of the outbox. */
import type { DatabaseSync } from 'node:sqlite';
import type { SubscriptionId } from '@tutti/manifests';
import type { OutboxEntry, OutboxSize, StoreFigures } from '../store.ts';
import { prepareQuery, type Reads } from './query.ts';

interface StoredDocument {
  readonly key: string;
  readonly json: string;
}

/** Numbers of a portion of all runs. */
interface RunFigures extends Pick<StoreFigures, 'runs' | 'events'> {
  /** The number of its last run; null where it has none. */
  readonly last: number | null;
}

export interface RecordReader extends OutboxReader, Reads<'documents' | 'document'> {
  /** Figures of `limit` runs after the one with this number. */
  runFigures(after: number, limit: number): RunFigures;
  outboxCounts(): StoreFigures['outbox'];
}

export function createRecordReader(db: DatabaseSync): RecordReader {
  const documents = prepareQuery<StoredDocument>(
    db,
    'SELECT key, json FROM documents WHERE collection = ? ORDER BY key',
  );
  const document = prepareQuery<{ readonly json: string }>(
    db,
    'SELECT json FROM documents WHERE collection = ? AND key = ?',
  );
  const runs = prepareQuery<RunFigures>(
    db,
    `SELECT count(*) AS runs, coalesce(sum(events), 0) AS events, max(id) AS last
     FROM (SELECT id, events FROM workflows WHERE id > ? ORDER BY id LIMIT ?)`,
  );
  const entries = prepareQuery<{ readonly id: SubscriptionId; readonly count: number }>(
    db,
    'SELECT subscription_id AS id, count(*) AS count FROM outbox GROUP BY subscription_id',
  );
  return {
    ...createOutboxReader(db),
    documents: (collection) => documents.all(collection),
    document: (collection, key) => document.get(collection, key)?.json ?? null,
    runFigures: (after, limit) => runs.get(after, limit) ?? { runs: 0, events: 0, last: null },
    outboxCounts: () => new Map(entries.all().map(({ id, count }) => [id, count])),
  };
}

type OutboxReader = Reads<
  'outbox' | 'outboxBody' | 'outboxBytes' | 'outboxSurplus' | 'outboxSubscriptions' | 'outboxSizes'
>;

/** Steps from one subscription to the next by the index; DISTINCT would read every entry. */
const SELECT_SUBSCRIPTIONS = `
  WITH RECURSIVE subscriptions (id) AS (
    SELECT min(subscription_id) FROM outbox
    UNION ALL
    SELECT (SELECT min(subscription_id) FROM outbox WHERE subscription_id > subscriptions.id)
    FROM subscriptions WHERE subscriptions.id IS NOT NULL
  )
  SELECT id FROM subscriptions WHERE id IS NOT NULL`;

/** Sizes are read of the headers of rows: a body that is left out is not read. */
const BYTES = 'coalesce(shared_bodies.bytes, octet_length(outbox.body))';
const ANY = Number.MAX_SAFE_INTEGER;
const WITH_BODIES = 'outbox LEFT JOIN shared_bodies ON shared_bodies.id = outbox.shared_body';

function createOutboxReader(db: DatabaseSync): OutboxReader {
  return { ...createEntryReader(db), ...createBodyReader(db), ...createSizeReader(db) };
}

function createEntryReader(db: DatabaseSync): Pick<OutboxReader, 'outbox'> {
  const entries = prepareQuery<OutboxEntry>(
    db,
    `SELECT position, subscription_id AS subscriptionId, publication_id AS publicationId, ${BYTES} AS bytes,
       CASE WHEN ${BYTES} > ?4 THEN '' ELSE coalesce(shared_bodies.body, outbox.body) END AS body
     FROM ${WITH_BODIES} WHERE subscription_id = ?1 AND position > ?2 ORDER BY position LIMIT ?3`,
  );
  return {
    outbox(subscriptionId, limit, { except = [], bodyBytesMax = ANY, bytesMax = ANY } = {}) {
      // With one writer, positions become visible in order: what the reader does not have is behind all that it has.
      const after = Math.max(0, ...except);
      const rows = entries.iterate(subscriptionId, after, Math.max(0, limit), bodyBytesMax);
      const read: OutboxEntry[] = [];
      let bytes = 0;
      for (const row of rows) {
        read.push(row);
        bytes += row.bytes;
        if (bytes >= bytesMax) break;
      }
      return read;
    },
  };
}

function createBodyReader(db: DatabaseSync): Pick<OutboxReader, 'outboxBody' | 'outboxBytes'> {
  const about = prepareQuery<{ readonly shared: number | null; readonly bytes: number }>(
    db,
    `SELECT shared_body AS shared, ${BYTES} AS bytes FROM ${WITH_BODIES} WHERE position = ?`,
  );
  const content = prepareQuery<{ readonly body: Uint8Array }>(
    db,
    `SELECT CAST(coalesce(shared_bodies.body, outbox.body) AS BLOB) AS body
     FROM ${WITH_BODIES} WHERE position = ?`,
  );
  return {
    outboxBody(position) {
      const found = about.get(position);
      if (found === undefined) return null;
      const { shared, bytes } = found;
      return { key: shared === null ? `entry ${position}` : `body ${shared}`, bytes };
    },
    outboxBytes: (position) => content.get(position)?.body ?? null,
  };
}

function createSizeReader(
  db: DatabaseSync,
): Pick<OutboxReader, 'outboxSurplus' | 'outboxSubscriptions' | 'outboxSizes'> {
  // The index alone has the positions; the bodies are not read.
  const surplus = prepareQuery<{ readonly position: number }>(
    db,
    `SELECT position FROM outbox WHERE subscription_id = ?1 AND position <= (
       SELECT position FROM outbox WHERE subscription_id = ?1 ORDER BY position DESC LIMIT 1 OFFSET ?2
     ) ORDER BY position LIMIT ?3`,
  );
  const subscriptions = prepareQuery<{ readonly id: SubscriptionId }>(db, SELECT_SUBSCRIPTIONS);
  const sizes = prepareQuery<OutboxSize & { readonly id: SubscriptionId }>(
    db,
    `SELECT subscription_id AS id, count(*) AS entries, sum(${BYTES}) AS bytes
     FROM ${WITH_BODIES} GROUP BY subscription_id`,
  );
  return {
    outboxSurplus: (subscriptionId, kept, limit) =>
      surplus.all(subscriptionId, kept, limit).map(({ position }) => position),
    outboxSubscriptions: () => subscriptions.all().map((row) => row.id),
    outboxSizes: () =>
      new Map(sizes.all().map(({ id, entries, bytes }) => [id, { entries, bytes }])),
  };
}
