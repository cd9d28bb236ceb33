/** Private documents and the outbox. */
import type { DatabaseSync } from 'node:sqlite';
import type { DocumentWrite, OutboxWrite, Write } from '../store.ts';

export interface RecordWriter {
  /** Answers the position of the first entry of the outbox; the others follow it without gaps. Null when there is none. */
  write(write: Write): number | null;
}

export function createRecordWriter(db: DatabaseSync): RecordWriter {
  const putDocument = db.prepare(
    `INSERT INTO documents (collection, key, json) VALUES (?, ?, ?)
     ON CONFLICT DO UPDATE SET json = excluded.json`,
  );
  const deleteDocument = db.prepare('DELETE FROM documents WHERE collection = ? AND key = ?');
  const addToOutbox = db.prepare(
    'INSERT INTO outbox (subscription_id, publication_id, body) VALUES (?, ?, ?)',
  );
  const removeFromOutbox = db.prepare('DELETE FROM outbox WHERE position = ?');

  const writeDocument = ({ collection, key, json }: DocumentWrite): void => {
    if (json === null) deleteDocument.run(collection, key);
    else putDocument.run(collection, key, json);
  };
  const post = ({ subscriptionId, publicationId, body }: OutboxWrite): number =>
    Number(addToOutbox.run(subscriptionId, publicationId, body).lastInsertRowid);
  return {
    write({ documents = [], outbox = [], outboxDone = [] }) {
      for (const document of documents) writeDocument(document);
      let first: number | null = null;
      for (const entry of outbox) {
        const position = post(entry);
        first ??= position;
      }
      for (const position of outboxDone) removeFromOutbox.run(position);
      return first;
    },
  };
}
