/** Connections to the database: to the host that takes writes. */
import { setTimeout as delay } from 'node:timers/promises';
import { Client, types } from 'pg';
import { isLost, unavailable } from './database-failure.ts';
import type { DatabaseHost, DatabasePlace } from './database-place.ts';
import type { PostgresLimits } from './limits.ts';

export type ConnectLimits = Pick<PostgresLimits, 'connectMs' | 'retryMs' | 'patienceMs'>;

export type Parameter = string | number | boolean | null | Uint8Array | readonly Parameter[];

/** The rows have the columns of the text; callers write both side by side. */
export async function query<Row extends object>(
  client: Client,
  text: string,
  parameters: readonly Parameter[] = [],
): Promise<readonly Row[]> {
  const { rows } = await client.query<Row>(text, [...parameters]);
  return rows;
}

const INT8 = 20;

/** Counts and places fit a number. */
const getTypeParser = ((oid: number, format?: 'text' | 'binary') =>
  oid === INT8 ? Number : types.getTypeParser(oid, format ?? 'text')) as typeof types.getTypeParser;

/** Connects to the first host that takes writes. Rejects with the error of the last one. */
export async function connect(
  place: DatabasePlace,
  limits: Pick<ConnectLimits, 'connectMs'>,
  queryMs?: number,
): Promise<Client> {
  let failure: unknown = null;
  for (const host of place.hosts) {
    const client = clientOf(place, host, { connectMs: limits.connectMs, queryMs });
    try {
      await client.connect();
      if (place.hosts.length === 1 || (await takesWrites(client))) return client;
      failure = new Error('Connection terminated: no host takes writes.');
      end(client);
    } catch (error) {
      failure = error;
      end(client);
    }
  }
  throw failure;
}

function clientOf(
  { user, database, isTls }: DatabasePlace,
  { host, port }: DatabaseHost,
  { connectMs, queryMs }: { readonly connectMs: number; readonly queryMs?: number | undefined },
): Client {
  const client = new Client({
    host,
    port,
    user,
    database,
    ssl: isTls,
    application_name: 'tutti',
    connectionTimeoutMillis: connectMs,
    keepAlive: true,
    types: { getTypeParser },
    ...(queryMs === undefined ? {} : { query_timeout: queryMs }),
  });
  // The next user of the connection gets the error.
  client.on('error', () => undefined);
  return client;
}

async function takesWrites(client: Client): Promise<boolean> {
  const [row] = await query<{ readonly isStandby: boolean }>(
    client,
    'SELECT pg_is_in_recovery() AS "isStandby"',
  );
  return row?.isStandby === false;
}

/** Ends a connection without waiting for the database. */
export function end(client: Client): void {
  client.end().catch(() => undefined);
}

/** Connections for reads. A read on a connection that breaks is done again on another one. */
export class ReadConnections {
  readonly #place: DatabasePlace;
  readonly #limits: ConnectLimits & Pick<PostgresLimits, 'readConnectionsMax'>;
  readonly #idle: Client[] = [];
  readonly #waiting: (() => void)[] = [];
  #count = 0;
  #isClosed = false;

  constructor(
    place: DatabasePlace,
    limits: ConnectLimits & Pick<PostgresLimits, 'readConnectionsMax'>,
  ) {
    this.#place = place;
    this.#limits = limits;
  }

  /** Rejects with `ServiceUnavailable` where the database is away for longer than requests wait. */
  async use<Result>(work: (client: Client) => Promise<Result>): Promise<Result> {
    const untilMs = performance.now() + this.#limits.patienceMs;
    for (;;) {
      try {
        return await this.#useOnce(work);
      } catch (error) {
        if (!isLost(error)) throw error;
        if (performance.now() >= untilMs) throw unavailable(error);
        await delay(this.#limits.retryMs);
      }
    }
  }

  /** Connections in use end with their reads. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all(this.#idle.splice(0).map((client) => client.end().catch(() => undefined)));
  }

  async #useOnce<Result>(work: (client: Client) => Promise<Result>): Promise<Result> {
    while (this.#count >= this.#limits.readConnectionsMax) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    this.#count += 1;
    let client: Client | null = null;
    try {
      client = this.#idle.pop() ?? (await connect(this.#place, this.#limits));
      const result = await work(client);
      this.#giveBack(client);
      return result;
    } catch (error) {
      if (client !== null && isLost(error)) {
        end(client);
        // The others broke with it.
        for (const other of this.#idle.splice(0)) end(other);
      } else if (client !== null) this.#giveBack(client);
      throw error;
    } finally {
      this.#count -= 1;
      this.#waiting.shift()?.();
    }
  }

  #giveBack(client: Client): void {
    if (this.#isClosed) end(client);
    else this.#idle.push(client);
  }
}
