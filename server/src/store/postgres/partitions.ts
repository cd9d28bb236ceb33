/** Partitions of the large tables: one for each day, and one for all other ids. Ids of runs begin with the time. */
import type { Client } from 'pg';
import { query } from './connection.ts';
import { codeOf, isLost } from './database-failure.ts';
import { PARTITIONED } from './migrations.ts';

const DAY_MS = 24 * 60 * 60_000;

/** The first id of a run that begins at that time or later. */
export function firstIdOf(ms: number): string {
  const hex = ms.toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}

/** The number of a day, from 1970. */
export const dayOf = (ms: number): number => Math.floor(ms / DAY_MS);

const nameOf = (table: string, day: number): string =>
  `${table}_${new Date(day * DAY_MS).toISOString().slice(0, 10).replaceAll('-', '')}`;

/** For all ids that no day has. */
export async function makeDefaultPartitions(client: Client): Promise<void> {
  for (const table of PARTITIONED) {
    await query(client, `CREATE TABLE IF NOT EXISTS ${table}_rest PARTITION OF ${table} DEFAULT`);
  }
}

/**
 * Makes what is missing of these days. A day whose first runs came before it stays without a partition of its own. False if a table was in
 * use, as it is during a dump.
 */
export async function makePartitions(client: Client, days: readonly number[]): Promise<boolean> {
  const names = days.flatMap((day) => PARTITIONED.map((table) => nameOf(table, day)));
  const found = await query<{ readonly name: string }>(
    client,
    'SELECT relname AS name FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relname = ANY ($1)',
    [names],
  );
  const known = new Set(found.map(({ name }) => name));
  let isWhole = true;
  for (const day of days) {
    const bounds = [day, day + 1].map((each) => `'${firstIdOf(each * DAY_MS)}'`);
    for (const table of PARTITIONED) {
      const name = nameOf(table, day);
      if (known.has(name)) continue;
      const text = `CREATE TABLE ${name} PARTITION OF ${table} FOR VALUES FROM (${bounds[0]}) TO (${bounds[1]})`;
      const isMade = await withLock(client, () => query(client, text), PASSED_OVER);
      isWhole &&= isMade;
    }
  }
  return isWhole;
}

/** Time to wait for readers of a table, in milliseconds. All others wait behind it. */
const LOCK_WAIT_MS = 200;
const LOCK_NOT_AVAILABLE = '55P03';

/** Removes partitions of days that are over and have no run any more. One that is in use stays until the next call. */
export async function dropEmptyDays(client: Client, today: number): Promise<void> {
  for (const { table, name, day } of await daysBefore(client, today)) {
    if (!(await hasRuns(client, table, day))) await dropPartition(client, { table, name, day });
  }
}

interface Day {
  readonly table: string;
  readonly name: string;
  readonly day: number;
}

async function daysBefore(client: Client, today: number): Promise<readonly Day[]> {
  const found = await query<{ readonly name: string; readonly table: string }>(
    client,
    `SELECT c.relname AS name, p.relname AS table FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
       JOIN pg_class p ON p.oid = i.inhparent
     WHERE p.relnamespace = current_schema()::regnamespace AND p.relname = ANY ($1) ORDER BY c.relname`,
    [PARTITIONED],
  );
  return found.flatMap(({ name, table }) => {
    const [, year, month, date] = /_(\d{4})(\d\d)(\d\d)$/.exec(name) ?? [];
    const day = dayOf(Date.parse(`${year}-${month}-${date}T00:00:00Z`));
    return day < today ? [{ table, name, day }] : [];
  });
}

/** Executions of test cases are kept longer than their runs. */
async function hasRuns(client: Client, table: string, day: number): Promise<boolean> {
  const ofDay = (runs: string) =>
    `EXISTS (SELECT FROM ${runs} WHERE workflow_id >= $1 AND workflow_id < $2)`;
  const kept = table === 'test_executions' ? ` OR ${ofDay('test_runs')}` : '';
  const [found] = await query<{ readonly some: boolean }>(
    client,
    `SELECT ${ofDay('runs')}${kept} AS some`,
    [firstIdOf(day * DAY_MS), firstIdOf((day + 1) * DAY_MS)],
  );
  return found?.some !== false;
}

/** The whole table is locked first, as writers do: a run that began meanwhile is seen. */
function dropPartition(client: Client, { table, name, day }: Day): Promise<boolean> {
  return withLock(client, async () => {
    await query(client, `LOCK TABLE ONLY ${table} IN ACCESS EXCLUSIVE MODE`);
    if (!(await hasRuns(client, table, day))) await query(client, `DROP TABLE ${name}`);
  });
}

/** Another server may have made it, and rows of the day may be in the partition for all other ids. */
const PASSED_OVER: readonly string[] = ['42P07', '23514', '42P17'];

/** A transaction that gives up where others use a table for long. False then; errors that are passed over count as success. */
async function withLock(
  client: Client,
  work: () => Promise<unknown>,
  passedOver: readonly string[] = [],
): Promise<boolean> {
  await query(client, 'BEGIN');
  try {
    await query(client, `SET LOCAL lock_timeout = '${LOCK_WAIT_MS}ms'`);
    await work();
    await query(client, 'COMMIT');
    return true;
  } catch (error) {
    if (!isLost(error)) await query(client, 'ROLLBACK');
    if (passedOver.includes(codeOf(error))) return true;
    if (codeOf(error) === LOCK_NOT_AVAILABLE) return false;
    throw error;
  }
}
