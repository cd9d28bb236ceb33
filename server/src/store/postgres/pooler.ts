/** Poolers between the server and its database. */
import type { Client } from 'pg';
import { end, query } from './connection.ts';

async function sessionOf(client: Client): Promise<number> {
  const [session] = await query<{ readonly pid: number }>(client, 'SELECT pg_backend_pid() AS pid');
  return session?.pid ?? 0;
}

/** The number that the client was given at its connection, by a pooler that of its own. The driver does not declare it. */
const numberAtConnection = (client: Client): unknown =>
  'processID' in client ? client.processID : null;

/**
 * Whether a pooler gives each transaction any session. Locks, settings and prepared statements of the server would then be those of
 * others. A session that two connections share tells it: the second takes that of the first, or leaves it another one.
 */
export async function sharesSessions(
  client: Client,
  connectOther: () => Promise<Client>,
): Promise<boolean> {
  const first = await sessionOf(client);
  if (first === numberAtConnection(client)) return false;
  const other = await connectOther();
  try {
    await query(other, 'BEGIN');
    const second = await sessionOf(other);
    const isShared = second === first || (await sessionOf(client)) !== first;
    await query(other, 'ROLLBACK');
    return isShared;
  } finally {
    end(other);
  }
}
