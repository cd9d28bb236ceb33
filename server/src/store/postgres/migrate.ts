/** Checks a database, and brings it to the newest schema. Throws `Conflict` with what is wrong, and what to do. */
import { OrchestratorError } from '@tutti/manifests';
import type { Client } from 'pg';
import { query } from './connection.ts';
import { MIGRATIONS } from './migrations.ts';
import { makeDefaultPartitions } from './partitions.ts';
import { sharesSessions } from './pooler.ts';

const VERSION_MIN = 150_000;
/** Names the lock of migrations; another one is held by the server that owns the database. */
const MIGRATION_LOCK = 0x54755370;

/** Throws `Conflict` where PostgreSQL lacks a setting or a right that the server needs, or a pooler is in between. */
export async function checkDatabase(
  client: Client,
  address: string,
  connectOther: () => Promise<Client>,
): Promise<void> {
  const isShared = await sharesSessions(client, connectOther);
  const problem = isShared ? TRANSACTION_POOLER : await problemOf(client);
  if (problem === null) return;
  throw new OrchestratorError('Conflict', `The database ${address} cannot be used: ${problem}`);
}

const TRANSACTION_POOLER =
  'a pooler in transaction mode is in between. Name PostgreSQL itself in the address, or set pool_mode = session for this database.';

interface Facts {
  readonly version: number;
  readonly shown: string;
  readonly fsync: string;
  readonly commit: string;
  readonly fullPages: string;
  readonly encoding: string;
  readonly isStandby: boolean;
  readonly schema: string | null;
  readonly mayCreate: boolean;
}

async function problemOf(client: Client): Promise<string | null> {
  const [facts] = await query<Facts>(
    client,
    `SELECT current_setting('server_version_num')::int AS version, current_setting('server_version') AS shown,
       current_setting('fsync') AS fsync, current_setting('synchronous_commit') AS commit,
       current_setting('full_page_writes') AS "fullPages", current_setting('server_encoding') AS encoding,
       pg_is_in_recovery() AS "isStandby", current_schema() AS schema,
       coalesce(has_schema_privilege(current_schema(), 'CREATE'), false) AS "mayCreate"`,
  );
  if (facts === undefined) return 'it does not answer.';
  const { version, shown, fsync, commit, fullPages, encoding, isStandby, schema, mayCreate } =
    facts;
  if (version < VERSION_MIN) return `it is PostgreSQL ${shown}. Use version 15 or later.`;
  if (isStandby) return 'it is a standby, which takes no writes. Name the primary in the address.';
  if (encoding !== 'UTF8') {
    return `its encoding is ${encoding}. Create it with: CREATE DATABASE name ENCODING 'UTF8' TEMPLATE template0.`;
  }
  if (fsync !== 'on') return 'fsync is off: a power cut loses data. Set fsync = on.';
  if (fullPages !== 'on') {
    return 'full_page_writes is off: a power cut damages pages. Set full_page_writes = on.';
  }
  if (commit === 'off' || commit === 'local') {
    return `synchronous_commit is ${commit}: confirmed data can be lost. Set synchronous_commit = on.`;
  }
  if (schema === null || !mayCreate) {
    return `its user may not create tables. Make it the owner: ALTER DATABASE name OWNER TO user; or GRANT CREATE ON SCHEMA public TO user.`;
  }
  return null;
}

/** The version of the schema; 0 of an empty database. Throws where the tables are of another application. */
async function schemaVersion(client: Client, address: string): Promise<number> {
  const [found] = await query<{ readonly ours: boolean; readonly others: boolean }>(
    client,
    `SELECT to_regclass('schema_version') IS NOT NULL AS ours,
       EXISTS (SELECT FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p')) AS others`,
  );
  if (found?.ours !== true) {
    if (found?.others !== true) return 0;
    throw new OrchestratorError(
      'Conflict',
      `The database ${address} has tables of another application. Give the server a database of its own.`,
    );
  }
  const [row] = await query<{ readonly version: number }>(
    client,
    'SELECT version FROM schema_version',
  );
  return row?.version ?? 0;
}

/** The same. Throws also where the schema is of a newer version, and this one cannot work with it. */
export async function usableSchema(client: Client, address: string): Promise<number> {
  const version = await schemaVersion(client, address);
  const needs = version > MIGRATIONS.length ? await neededSchema(client) : 0;
  if (needs <= MIGRATIONS.length) return version;
  throw new OrchestratorError(
    'Conflict',
    `The database ${address} has schema ${version}, of a newer version of Tutti; this one knows ${MIGRATIONS.length}. Install that version.`,
  );
}

/**
 * Brings the schema to the newest version, one server at a time, and then does `more`. Each step is one transaction with its number. A newer
 * schema is left as it is. Steps only add, so servers of two versions can share a database.
 */
export async function migrate(
  client: Client,
  address: string,
  more: () => Promise<void> = async () => {},
): Promise<void> {
  await query(client, 'SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
  const version = await usableSchema(client, address);
  const hasLz4 = version < MIGRATIONS.length && (await compressesWithLz4(client));
  for (const [index, step] of MIGRATIONS.entries()) {
    const text = hasLz4 ? step : step.replaceAll(' COMPRESSION lz4', '');
    if (index >= version) await applyStep(client, text, index + 1);
  }
  await makeDefaultPartitions(client);
  await more();
  // A connection that failed is closed, which ends its locks.
  await query(client, 'SELECT pg_advisory_unlock($1)', [MIGRATION_LOCK]);
}

/** Some packages are built without it. Their databases take their own method, which is slower. */
async function compressesWithLz4(client: Client): Promise<boolean> {
  const [found] = await query<{ readonly hasLz4: boolean }>(
    client,
    `SELECT 'lz4' = ANY (enumvals) AS "hasLz4" FROM pg_settings WHERE name = 'default_toast_compression'`,
  );
  return found?.hasLz4 === true;
}

/** The oldest schema whose servers can work with that of the database. */
async function neededSchema(client: Client): Promise<number> {
  const [row] = await query<{ readonly needs: number }>(client, 'SELECT needs FROM schema_version');
  return row?.needs ?? 0;
}

async function applyStep(client: Client, step: string, version: number): Promise<void> {
  // Several statements without parameters are one transaction.
  await client.query(`BEGIN;
    CREATE TABLE IF NOT EXISTS schema_version (version int NOT NULL);
    INSERT INTO schema_version (version) SELECT 0 WHERE NOT EXISTS (SELECT FROM schema_version);
    ${step};
    UPDATE schema_version SET version = ${version};
    COMMIT`);
}
