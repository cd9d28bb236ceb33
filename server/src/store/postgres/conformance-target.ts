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

/** Databases that were emptied. To make one takes eight times the processor time of that. */
const emptied: string[] = [];

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
  await server?.remove();
}

/** Runs whose rows are not those that their heads tell. */
const DAMAGED = `SELECT r.workflow_id FROM runs r WHERE
  r.events <> (SELECT count(*) FROM events e WHERE e.workflow_id = r.workflow_id)
  OR r.events <> (SELECT coalesce(max(seq), 0) FROM events e WHERE e.workflow_id = r.workflow_id)
  OR r.log_bytes <> (SELECT coalesce(sum(bytes), 0) FROM log_parts l WHERE l.workflow_id = r.workflow_id)`;

/** Ends its sessions, which may be of processes that were killed, and takes all that it has. */
async function empty(url: string): Promise<void> {
  await queryAt(
    url,
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND pid <> pg_backend_pid();
     ALTER DATABASE ${databaseIn(url)} RESET ALL;
     DROP SCHEMA public CASCADE;
     CREATE SCHEMA public`,
  );
}

export const storeTarget: StoreTarget = {
  createPlace: async () => emptied.pop() ?? (await (await postgresServer()).createDatabase()),
  async removePlace(place) {
    await empty(place);
    emptied.push(place);
  },
  // Runs of the suite are older than any partition of a day.
  open: (url) => openPostgresStore({ url, limits: { partitionDays: 0 } }),
  async check(place) {
    const damaged = await queryAt(place, DAMAGED);
    if (damaged.length > 0) throw new Error(`Runs are damaged: ${JSON.stringify(damaged)}`);
  },
  moduleUrl: import.meta.url,
};
