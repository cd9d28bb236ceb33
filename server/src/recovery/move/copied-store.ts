/** Copies the tables of a store into a database, in one transaction, and compares both sides before its end. */
import type { Client } from 'pg';
import { connectChecked } from '../../store/postgres/checked-connection.ts';
import { query } from '../../store/postgres/connection.ts';
import {
  type CopiedTable,
  copyRows,
  storedSum,
  sumRows,
  type TableSum,
} from '../../store/postgres/copied-table.ts';
import { codeOf } from '../../store/postgres/database-failure.ts';
import type { DatabasePlace } from '../../store/postgres/database-place.ts';
import { POSTGRES_LIMITS } from '../../store/postgres/limits.ts';
import { migrate } from '../../store/postgres/migrate.ts';
import { dayOf, makePartitions } from '../../store/postgres/partitions.ts';
import { RecoveryRefusal } from '../refusal.ts';
import type { sourceNumbers } from './source-tables.ts';

export interface Source {
  readonly tables: readonly CopiedTable[];
  readonly numbers: ReturnType<typeof sourceNumbers>;
}

export interface CopyFacts {
  readonly place: Pick<DatabasePlace, 'address'>;
  readonly signal: AbortSignal;
  readonly onCopied: (kind: string, count: number) => void;
}

export interface CopiedStore {
  readonly runs: number;
  readonly wasThere: boolean;
}

/** Connects to a database with the newest schema. Throws with the problem and what to do. */
export async function openTarget(place: DatabasePlace): Promise<Client> {
  // Nothing bounds the time of a statement that copies.
  const client = await connectChecked(place, { ...POSTGRES_LIMITS, batchMs: 0 });
  try {
    await migrate(client, place.address);
    return client;
  } catch (error) {
    await client.end();
    throw error;
  }
}

/** Days before today that get partitions of their own. Older runs leave soon, or are few. */
const DAYS = 60;

/** Nothing of it stays where it throws. */
export async function copyIntoDatabase(
  client: Client,
  source: Source,
  facts: CopyFacts,
): Promise<CopiedStore> {
  const today = dayOf(Date.now());
  await makePartitions(
    client,
    Array.from({ length: DAYS }, (_, back) => today - back),
  );
  await query(client, 'BEGIN');
  try {
    await lock(client, facts.place);
    const copied = (await isEmpty(client, source))
      ? await copyTables(client, source, facts)
      : await sameTables(client, source, facts);
    await query(client, 'COMMIT');
    await query(client, 'ANALYZE');
    return copied;
  } catch (error) {
    // A connection that broke has no transaction any more.
    await query(client, 'ROLLBACK').catch(() => undefined);
    throw error;
  }
}

/** Servers that start wait for the end of the copy, and so does another copy. One that was killed leaves within seconds. */
async function lock(client: Client, { address }: CopyFacts['place']): Promise<void> {
  await query(client, `SET LOCAL lock_timeout = '${POSTGRES_LIMITS.ownerWaitMs}ms'`);
  try {
    await query(client, 'LOCK TABLE writers IN EXCLUSIVE MODE');
  } catch (error) {
    if (codeOf(error) !== LOCK_NOT_AVAILABLE) throw error;
    throw new RecoveryRefusal(
      `Another copy into ${address} is under way.`,
      'wait until it is over, or end it, and repeat the copy.',
    );
  }
  const [writer] = await query(client, 'SELECT writer FROM writers WHERE alive LIMIT 1');
  if (writer === undefined) return;
  throw new RecoveryRefusal(
    `A server uses ${address}, or was killed while it did.`,
    'name an empty database: CREATE DATABASE name OWNER user.',
  );
}

const LOCK_NOT_AVAILABLE = '55P03';

async function isEmpty(client: Client, { tables }: Source): Promise<boolean> {
  const some = tables.map(({ name }) => `EXISTS (SELECT FROM ${name})`);
  const [found] = await query<{ readonly some: boolean }>(
    client,
    `SELECT ${some.join(' OR ')} AS some`,
  );
  return found?.some === false;
}

async function copyTables(
  client: Client,
  { tables, numbers }: Source,
  { signal, onCopied }: CopyFacts,
): Promise<CopiedStore> {
  let runs = 0;
  for (const table of tables) {
    const sent = await copyRows(client, table, signal);
    const stored = await storedSum(client, table);
    if (!isSame(sent, stored)) throw isOther(table, sent, stored);
    if (table.name === 'runs') runs = sent.rows;
    onCopied(table.name, sent.rows);
  }
  await query(client, `SELECT setval(pg_get_serial_sequence('runs', 'place'), $1)`, [
    Math.max(1, numbers.runs),
  ]);
  for (const name of ['jobs', 'broken_reports']) {
    await query(
      client,
      `SELECT setval(pg_get_serial_sequence('${name}', 'place'), coalesce(max(place), 1)) FROM ${name}`,
    );
  }
  await query(client, `SELECT setval(pg_get_serial_sequence('tested_runs', 'run'), $1)`, [
    Math.max(1, numbers.testedRuns),
  ]);
  for (const name of ['tests', 'test_variants', 'test_journal', 'causes']) {
    await query(
      client,
      `SELECT setval(pg_get_serial_sequence('${name}', 'id'), coalesce(max(id), 1)) FROM ${name}`,
    );
  }
  await query(client, `UPDATE counters SET n = $1 WHERE what = 'outbox'`, [numbers.outbox + 1]);
  return { runs, wasThere: false };
}

const isSame = (one: TableSum, other: TableSum): boolean =>
  one.rows === other.rows && one.checksum === other.checksum;

const isOther = ({ name }: CopiedTable, sent: TableSum, stored: TableSum): RecoveryRefusal =>
  new RecoveryRefusal(
    `The database has other ${name} than it was sent: ${stored.rows} rows of ${sent.rows}. Nothing was copied.`,
    'repeat the copy, and look at the log of PostgreSQL if that does not help.',
  );

/** A copy of before that was ended at its last step. */
async function sameTables(
  client: Client,
  { tables }: Source,
  { place, signal }: CopyFacts,
): Promise<CopiedStore> {
  let runs = 0;
  for (const table of tables) {
    const stored = await storedSum(client, table);
    if (!isSame(sumRows(table, signal), stored)) {
      throw new RecoveryRefusal(
        `The database ${place.address} has data already, which is not that of this data directory.`,
        'name an empty database: CREATE DATABASE name OWNER user.',
      );
    }
    if (table.name === 'runs') runs = stored.rows;
  }
  return { runs, wasThere: true };
}
