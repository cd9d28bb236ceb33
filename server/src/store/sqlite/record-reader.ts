/** Reads of private documents and of the outbox. */
import type { DatabaseSync } from 'node:sqlite';
import type { SubscriptionId } from '@tutti/manifests';
import type { StoreFigures } from '../store.ts';
import { createOutboxReader, type OutboxReader } from './outbox-reader.ts';
import { prepareQuery, type Reads } from './query.ts';

interface StoredDocument {
  readonly key: string;
  readonly json: string;
}

export interface RecordReader extends OutboxReader, Reads<'documents' | 'document'> {
  figures(): Omit<StoreFigures, 'waitingOperations'>;
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
  const runs = prepareQuery<{ readonly runs: number; readonly events: number }>(
    db,
    'SELECT count(*) AS runs, coalesce(sum(events), 0) AS events FROM workflows',
  );
  const entries = prepareQuery<{ readonly id: SubscriptionId; readonly count: number }>(
    db,
    'SELECT subscription_id AS id, count(*) AS count FROM outbox GROUP BY subscription_id',
  );
  return {
    ...createOutboxReader(db),
    documents: (collection) => documents.all(collection),
    document: (collection, key) => document.get(collection, key)?.json ?? null,
    figures: () => ({
      ...(runs.get() ?? { runs: 0, events: 0 }),
      outbox: new Map(entries.all().map(({ id, count }) => [id, count])),
    }),
  };
}
