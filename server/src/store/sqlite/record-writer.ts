/** Private documents and the outbox. */
import type { DatabaseSync } from 'node:sqlite';
import type { DocumentWrite, Write } from '../store.ts';
import { createOutboxWriter } from './outbox-writer.ts';
import type { OutboxChange } from './writer-protocol.ts';

export interface RecordWriter {
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
