/** The PostgreSQL store as the conformance suite opens it. The place is the address of a database. */
import {
  databaseIn,
  installPostgres,
  PostgresServer,
  queryAt,
} from '../../../../tests/support/postgres-server.ts';
import type { StoreTarget } from '../store-conformance.ts';
import { openPostgresStore } from './postgres-store.ts';

let started: Promise<PostgresServer> | null = null;

/** Databases without tables, and those with the schema alone. A new one takes eight times the processor time of an emptied one. */
const emptied: string[] = [];
const cleared: string[] = [];

/** One server for all tests of a file. */
export function postgresServer(): Promise<PostgresServer> {
  const programs = installPostgres();
  if ('missing' in programs) throw new Error(programs.missing);
  started ??= PostgresServer.start(programs.tool);
  return started;
}

/** Ends it. A file of the same process may start another one. */
export async function removePostgres(): Promise<void> {
  const server = await started;
  started = null;
  emptied.length = 0;
  cleared.length = 0;
  await server?.remove();
}

/** Runs whose rows are not those that their heads tell. */
const DAMAGED = `SELECT r.workflow_id FROM runs r WHERE
  r.events <> (SELECT count(*) FROM events e WHERE e.workflow_id = r.workflow_id)
  OR r.events <> (SELECT coalesce(max(seq), 0) FROM events e WHERE e.workflow_id = r.workflow_id)
  OR r.log_bytes <> (SELECT coalesce(sum(bytes), 0) FROM log_parts l WHERE l.workflow_id = r.workflow_id)`;

/** Ends sessions, which may be of processes that were killed. */
const END_SESSIONS = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE datname = current_database() AND pid <> pg_backend_pid()`;

const createDatabase = async () => await (await postgresServer()).createDatabase();

/** A database without tables, for tests that change those or settings. */
export const emptyDatabase = async (): Promise<string> => emptied.pop() ?? (await createDatabase());

/** Takes all that it has. Its next store makes the schema again. */
export async function giveBack(url: string): Promise<void> {
  await queryAt(
    url,
    `${END_SESSIONS};
     ALTER DATABASE ${databaseIn(url)} RESET ALL;
     DROP SCHEMA public CASCADE;
     CREATE SCHEMA public`,
  );
  emptied.push(url);
}

/** Takes all rows but those of the schema itself. Sequences begin anew. */
const CLEAR = `DO $$
  DECLARE name text;
  BEGIN
    FOR name IN SELECT oid::regclass FROM pg_class
      WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
        AND relname NOT IN ('schema_version', 'slots', 'counters')
    LOOP EXECUTE 'DELETE FROM ' || name; END LOOP;
    DELETE FROM counters WHERE what <> 'outbox';
    UPDATE counters SET n = 1;
    PERFORM setval(oid, 1, false) FROM pg_class
      WHERE relnamespace = 'public'::regnamespace AND relkind = 'S';
  END $$`;

export const storeTarget: StoreTarget = {
  createPlace: async () => cleared.pop() ?? (await createDatabase()),
  async removePlace(place) {
    await queryAt(place, `${END_SESSIONS}; ${CLEAR}`);
    cleared.push(place);
  },
  // Runs of the suite are older than any partition of a day.
  open: (url) => openPostgresStore({ url, limits: { partitionDays: 0 } }),
  async check(place) {
    const damaged = await queryAt(place, DAMAGED);
    if (damaged.length > 0) throw new Error(`Runs are damaged: ${JSON.stringify(damaged)}`);
  },
  moduleUrl: import.meta.url,
};
