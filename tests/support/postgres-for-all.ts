/** Starts one PostgreSQL server for a suite whose servers keep their runs there. */
import { installPostgres, PostgresServer } from './postgres-server.ts';

/** Resolves with what stops it. */
export async function setup(): Promise<() => Promise<void>> {
  const programs = installPostgres();
  if ('missing' in programs) throw new Error(programs.missing);
  const server = await PostgresServer.start(programs.tool);
  await server.stop();
  // Each server of a test takes up to nine connections.
  await server.start(['max_connections=400']);
  process.env.TUTTI_TEST_POSTGRES = server.urlOf('').replace(/\/$/, '');
  return () => server.remove();
}
