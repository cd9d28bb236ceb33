/** Reads of private documents, of the outbox, and of figures. */
import type { SubscriptionId } from '@tutti/manifests';
import type { OutboxBody, OutboxBounds, OutboxEntry, OutboxSize, StoreFigures } from '../store.ts';
import { keyHashOf } from './key-hash.ts';
import { fromPlain, toPlain } from './plain-text.ts';
import type { Read } from './read.ts';

const ANY = Number.MAX_SAFE_INTEGER;
const WITH_BODIES = 'outbox o LEFT JOIN shared_bodies b ON b.id = o.shared_body';

/** Steps from one subscription to the next by the index; DISTINCT would read every entry. */
const SELECT_SUBSCRIPTIONS = `
  WITH RECURSIVE subscriptions (id) AS (
    SELECT min(subscription_id) FROM outbox
    UNION ALL
    SELECT (SELECT min(subscription_id) FROM outbox WHERE subscription_id > subscriptions.id)
    FROM subscriptions WHERE subscriptions.id IS NOT NULL
  )
  SELECT id FROM subscriptions WHERE id IS NOT NULL`;

export function createRecordReader(read: Read) {
  return {
    ...createEntryReader(read),
    ...createBacklogReader(read),
    async documents(collection: string) {
      const rows = await read<{ readonly key: string; readonly json: string }>(
        'SELECT key, json FROM documents WHERE collection = $1 ORDER BY key',
        [toPlain(collection)],
      );
      return rows.map(({ key, json }) => ({ key: fromPlain(key), json }));
    },
    async document(collection: string, key: string): Promise<string | null> {
      const [row] = await read<{ readonly json: string }>(
        'SELECT json FROM documents WHERE collection = $1 AND key_hash = $2',
        [toPlain(collection), keyHashOf(key)],
      );
      return row?.json ?? null;
    },
  };
}

function createEntryReader(read: Read) {
  return {
    outbox: (
      subscriptionId: SubscriptionId,
      limit: number,
      { except = [], bodyBytesMax = ANY, bytesMax = ANY }: OutboxBounds = {},
    ): Promise<readonly OutboxEntry[]> =>
      read(
        `SELECT o.position, o.subscription_id AS "subscriptionId", o.publication_id AS "publicationId", o.bytes,
           CASE WHEN o.bytes > $4::bigint THEN '' ELSE coalesce(b.body, o.body) END AS body
         FROM (SELECT *, sum(bytes) OVER (ORDER BY position ROWS UNBOUNDED PRECEDING) - bytes AS before FROM (
             SELECT * FROM outbox WHERE subscription_id = $1 AND position <> ALL ($2) ORDER BY position LIMIT $3) e) o
           LEFT JOIN shared_bodies b ON b.id = o.shared_body
         WHERE o.before < $5::bigint ORDER BY o.position`,
        [subscriptionId, except, Math.max(0, limit), bodyBytesMax, bytesMax],
      ),
    async outboxBody(position: number): Promise<OutboxBody | null> {
      const [row] = await read<{ readonly shared: number | null; readonly bytes: number }>(
        'SELECT shared_body AS shared, bytes FROM outbox WHERE position = $1',
        [position],
      );
      if (row === undefined) return null;
      const { shared, bytes } = row;
      return { key: shared === null ? `entry ${position}` : `body ${shared}`, bytes };
    },
    async outboxBytes(position: number): Promise<Uint8Array | null> {
      const [row] = await read<{ readonly body: string }>(
        `SELECT coalesce(b.body, o.body) AS body FROM ${WITH_BODIES} WHERE o.position = $1`,
        [position],
      );
      return row === undefined ? null : Buffer.from(row.body);
    },
  };
}

function createBacklogReader(read: Read) {
  return {
    async outboxSurplus(subscriptionId: SubscriptionId, kept: number, limit: number) {
      const rows = await read<{ readonly position: number }>(
        `SELECT position FROM outbox WHERE subscription_id = $1 AND position <= (
           SELECT position FROM outbox WHERE subscription_id = $1 ORDER BY position DESC LIMIT 1 OFFSET $2
         ) ORDER BY position LIMIT $3`,
        [subscriptionId, kept, limit],
      );
      return rows.map(({ position }) => position);
    },
    async outboxSubscriptions() {
      const rows = await read<{ readonly id: SubscriptionId }>(SELECT_SUBSCRIPTIONS);
      return rows.map(({ id }) => id);
    },
    async outboxSizes(): Promise<ReadonlyMap<SubscriptionId, OutboxSize>> {
      const rows = await read<OutboxSize & { readonly id: SubscriptionId }>(
        `SELECT subscription_id AS id, count(*) AS entries, sum(bytes) AS bytes FROM outbox GROUP BY subscription_id`,
      );
      return new Map(rows.map(({ id, entries, bytes }) => [id, { entries, bytes }]));
    },
    async storedFigures(): Promise<Omit<StoreFigures, 'waitingOperations'>> {
      const [runs] = await read<Pick<StoreFigures, 'runs' | 'events'>>(
        'SELECT count(*) AS runs, coalesce(sum(events), 0)::bigint AS events FROM runs',
      );
      const entries = await read<{ readonly id: SubscriptionId; readonly count: number }>(
        'SELECT subscription_id AS id, count(*) AS count FROM outbox GROUP BY subscription_id',
      );
      const outbox = new Map(entries.map(({ id, count }) => [id, count]));
      return { ...(runs ?? { runs: 0, events: 0 }), outbox };
    },
  };
}
