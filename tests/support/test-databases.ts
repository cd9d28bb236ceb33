/**
 * Databases of servers of tests. With `TUTTI_TEST_STORE=postgres`, each data directory gets one of its own, which goes with the workbench.
 * Without it, and where a test names a store, nothing changes.
 */
import { hash } from 'node:crypto';

const CREATED_BEFORE = '42P04';

/** The address of the PostgreSQL server for all tests, which `postgres-for-all.ts` starts; null without one. */
export const testPostgres = (): string | null =>
  process.env.TUTTI_TEST_STORE === 'postgres' ? (process.env.TUTTI_TEST_POSTGRES ?? null) : null;

const nameOf = (dataDir: string): string => `d${hash('sha256', dataDir).slice(0, 24)}`;

/** The address of the database of a data directory, which is there afterwards. */
export async function databaseFor(postgres: string, dataDir: string): Promise<string> {
  const name = nameOf(dataDir);
  try {
    await run(postgres, `CREATE DATABASE ${name}`);
  } catch (error) {
    const isThere = error instanceof Error && 'code' in error && error.code === CREATED_BEFORE;
    if (!isThere) throw error;
  }
  return `${postgres}/${name}`;
}

export async function removeDatabases(postgres: string, dataDirs: Iterable<string>): Promise<void> {
  for (const dataDir of dataDirs) {
    await run(postgres, `DROP DATABASE IF EXISTS ${nameOf(dataDir)} WITH (FORCE)`);
  }
}

async function run(postgres: string, text: string): Promise<void> {
  // Most servers of tests do without it.
  const { Client } = await import('pg');
  const client = new Client({ connectionString: `${postgres}/postgres` });
  await client.connect();
  try {
    await client.query(text);
  } finally {
    await client.end();
  }
}
