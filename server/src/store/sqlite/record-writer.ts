/** Writes private documents, and the outbox: publications that wait for inboxes. */
import type { DatabaseSync } from 'node:sqlite';
import type { SubscriptionId } from '@tutti/manifests';
import type { DocumentWrite, OutboxSize, OutboxWrite, Write } from '../store.ts';
import type { OutboxChange } from '../writes/operations.ts';
import { prepareQuery } from './query.ts';

interface OutboxWriter {
  add(writes: readonly OutboxWrite[]): OutboxChange['outboxFrom'];
  remove(positions: readonly number[]): NonNullable<OutboxChange['outboxRemoved']>;
}

function createOutboxWriter(db: DatabaseSync): OutboxWriter {
  const addEntry = db.prepare(
    'INSERT INTO outbox (subscription_id, publication_id, body, shared_body) VALUES (?, ?, ?, ?)',
  );
  const addBody = db.prepare(
    'INSERT INTO shared_bodies (bytes, body) VALUES (octet_length(?1), ?1)',
  );
  const removeEntry = createEntryRemover(db);

  /** Most publications have one inbox: their body stands in the entry itself, which takes one insert. */
  const place = ({ subscriptionIds, body }: OutboxWrite): readonly [string, number | null] =>
    subscriptionIds.length === 1 ? [body, null] : ['', Number(addBody.run(body).lastInsertRowid)];

  return {
    add(writes) {
      let first: number | null = null;
      for (const write of writes) {
        if (write.subscriptionIds.length === 0) continue;
        const [body, shared] = place(write);
        for (const id of write.subscriptionIds) {
          const { lastInsertRowid } = addEntry.run(id, write.publicationId, body, shared);
          first ??= Number(lastInsertRowid);
        }
      }
      return first;
    },
    remove(positions) {
      const sizes = new Map<SubscriptionId, OutboxSize>();
      for (const position of positions) {
        const removed = removeEntry(position);
        if (removed === null) continue;
        const { entries, bytes } = sizes.get(removed.id) ?? { entries: 0, bytes: 0 };
        sizes.set(removed.id, { entries: entries + 1, bytes: bytes + removed.bytes });
      }
      return [...sizes];
    },
  };
}

interface RemovedEntry {
  readonly id: SubscriptionId;
  readonly bytes: number;
}

/** A shared body goes with the last of its entries. Null for an entry that was removed before. */
function createEntryRemover(db: DatabaseSync): (position: number) => RemovedEntry | null {
  const remove = prepareQuery<RemovedEntry & { readonly shared: number | null }>(
    db,
    `DELETE FROM outbox WHERE position = ?
     RETURNING subscription_id AS id, octet_length(body) AS bytes, shared_body AS shared`,
  );
  const sizeOf = prepareQuery<{ readonly bytes: number; readonly isWanted: number }>(
    db,
    `SELECT bytes, EXISTS (SELECT 1 FROM outbox WHERE shared_body = ?1) AS isWanted
     FROM shared_bodies WHERE id = ?1`,
  );
  const removeBody = db.prepare('DELETE FROM shared_bodies WHERE id = ?');
  return (position) => {
    const removed = remove.get(position) ?? null;
    if (removed === null || removed.shared === null) return removed;
    const { bytes = 0, isWanted = 0 } = sizeOf.get(removed.shared) ?? {};
    if (isWanted === 0) removeBody.run(removed.shared);
    return { ...removed, bytes };
  };
}

interface RecordWriter {
  write(write: Write): OutboxChange;
}

export function createRecordWriter(db: DatabaseSync): RecordWriter {
  const putDocument = db.prepare(
    `INSERT INTO documents (collection, key, json) VALUES (?, ?, ?)
     ON CONFLICT DO UPDATE SET json = excluded.json`,
  );
  const deleteDocument = db.prepare('DELETE FROM documents WHERE collection = ? AND key = ?');
  const outboxWriter = createOutboxWriter(db);

  const writeDocument = ({ collection, key, json }: DocumentWrite): void => {
    if (json === null) deleteDocument.run(collection, key);
    else putDocument.run(collection, key, json);
  };
  return {
    write({ documents = [], outbox = [], outboxDone = [] }) {
      for (const document of documents) writeDocument(document);
      const outboxFrom = outboxWriter.add(outbox);
      if (outboxDone.length === 0) return { outboxFrom };
      return { outboxFrom, outboxRemoved: outboxWriter.remove(outboxDone) };
    },
  };
}
