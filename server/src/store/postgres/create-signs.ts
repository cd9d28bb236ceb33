/** The signs of the database, and the count of servers that lost it, which outlives them. */
import { setTimeout as delay } from 'node:timers/promises';
import type { LostWriter } from '../../runtime/meters.ts';
import type { DatabaseFigures, DatabaseSigns } from '../database-signs.ts';
import type { WriteQueue } from '../writes/write-queue.ts';
import { query, type ReadConnections } from './connection.ts';
import { connectProblem } from './database-failure.ts';
import type { DatabasePlace } from './database-place.ts';
import type { Read } from './read.ts';
import type { WriterConnection } from './writer-connection.ts';

export interface SignsDeps {
  readonly place: Pick<DatabasePlace, 'address'>;
  readonly queue: Pick<WriteQueue, 'oldestMs'>;
  readonly connection: Pick<WriterConnection, 'awayMs' | 'problem'>;
  readonly read: Read;
}

/** A server that ends waits for so long, in milliseconds. */
const NOTE_MS = 2_000;

const COUNTER_OF: Readonly<Record<LostWriter, string>> = {
  taken: 'writers taken',
  'went-back': 'writers went back',
};

/** Counts it in the database: the server itself ends. */
export async function noteLostWriter(reads: ReadConnections, reason: LostWriter): Promise<void> {
  const noted = reads.use((client) =>
    query(
      client,
      'INSERT INTO counters AS c (what, n) VALUES ($1, 1) ON CONFLICT (what) DO UPDATE SET n = c.n + 1',
      [COUNTER_OF[reason]],
    ),
  );
  await Promise.race([noted.catch(() => undefined), delay(NOTE_MS)]);
}

export function createSigns({ place, queue, connection, read }: SignsDeps): DatabaseSigns {
  return {
    waitingMs: () => queue.oldestMs,
    awayMs: () => connection.awayMs,
    async look() {
      const { problem } = connection;
      if (problem !== null) return connectProblem(problem, place.address);
      await read('SELECT 1');
      return null;
    },
    async figures(): Promise<DatabaseFigures> {
      const [size] = await read<{ readonly bytes: number }>(
        'SELECT pg_database_size(current_database()) AS bytes',
      );
      const counters = await read<{ readonly what: string; readonly n: number }>(
        'SELECT what, n FROM counters WHERE what = ANY ($1)',
        [Object.values(COUNTER_OF)],
      );
      const countOf = (reason: LostWriter) =>
        counters.find(({ what }) => what === COUNTER_OF[reason])?.n ?? 0;
      const lostWriters = { taken: countOf('taken'), 'went-back': countOf('went-back') };
      return { bytes: size?.bytes ?? 0, lostWriters };
    },
  };
}
