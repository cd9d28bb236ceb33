/** Connections to the database: to the host that takes writes. */
import { setTimeout as delay } from 'node:timers/promises';
import { Client, types } from 'pg';
import { isLost, NO_CONNECTION, NO_WRITES, unavailable } from './database-failure.ts';
import type { DatabaseHost, DatabasePlace } from './database-place.ts';
import type { PostgresLimits } from './limits.ts';

export type ConnectLimits = Pick<PostgresLimits, 'connectMs' | 'turnMs' | 'retryMs' | 'patienceMs'>;

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

/**
 * Connects to the first host that takes writes. A host that is silent holds up the next one for a moment only. Rejects with the error of
 * the last one.
 */
export async function connect(
  place: DatabasePlace,
  limits: Pick<ConnectLimits, 'connectMs' | 'turnMs'>,
  queryMs?: number,
): Promise<Client> {
  const tries: Promise<Client>[] = [];
  for (const host of place.hosts) {
    const next = connectTo(place, host, { connectMs: limits.connectMs, queryMs });
    tries.push(next);
    if (await isDoneWithin(next, tries.length === place.hosts.length ? 0 : limits.turnMs)) break;
  }
  const chosen = await Promise.any(tries).catch(({ errors }: AggregateError) => {
    throw errors.at(-1);
  });
  for (const each of tries) {
    each.then((client) => client !== chosen && end(client)).catch(() => undefined);
  }
  return chosen;
}

async function isDoneWithin(connecting: Promise<Client>, ms: number): Promise<boolean> {
  const patience = new AbortController();
  const { signal } = patience;
  const isDone = await Promise.race([
    connecting.then(
      () => true,
      () => false,
    ),
    delay(ms, false, { signal }),
  ]);
  patience.abort();
  return isDone;
}

async function connectTo(
  place: DatabasePlace,
  host: DatabaseHost,
  times: Parameters<typeof clientOf>[2],
): Promise<Client> {
  const client = clientOf(place, host, times);
  try {
    await client.connect();
    if (place.hosts.length > 1 && !(await takesWrites(client))) throw new Error(NO_WRITES);
    return client;
  } catch (error) {
    end(client);
    throw error;
  }
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

/** Ends the connection when the work takes longer. The work then fails as on a connection that breaks. */
export async function within<Result>(
  client: Client,
  ms: number,
  work: () => Promise<Result>,
): Promise<Result> {
  const timer = setTimeout(() => end(client), Math.max(0, ms));
  try {
    return await work();
  } finally {
    clearTimeout(timer);
  }
}

/** Reads that wait longer than requests do are ended by the database as well, some time later. */
const END_AFTER = 2;

interface Waiter {
  begin(): void;
}

/** Connections for reads. A read on a connection that breaks is done again on another one. */
export class ReadConnections {
  readonly #place: DatabasePlace;
  readonly #limits: ConnectLimits & Pick<PostgresLimits, 'readConnectionsMax'>;
  readonly #idle: Client[] = [];
  readonly #used = new Set<Client>();
  /** In the order in which they came. */
  readonly #waiting = new Set<Waiter>();
  #count = 0;
  #isClosed = false;
  /** Whether reads wait for a database that is away, however long that takes. */
  isPatient = false;

  constructor(
    place: DatabasePlace,
    limits: ConnectLimits & Pick<PostgresLimits, 'readConnectionsMax'>,
  ) {
    this.#place = place;
    this.#limits = limits;
  }

  /** Rejects with `ServiceUnavailable` where the database is away, or takes longer than requests wait. */
  async use<Result>(work: (client: Client) => Promise<Result>): Promise<Result> {
    const { patienceMs, retryMs } = this.#limits;
    for (let untilMs = performance.now() + patienceMs; ; ) {
      try {
        return await this.#useOnce(work, untilMs);
      } catch (error) {
        if (!isLost(error)) throw error;
        const isOver = performance.now() >= untilMs;
        if (this.#isClosed || (isOver && !this.isPatient)) throw unavailable(error);
        if (isOver) untilMs = performance.now() + patienceMs;
        await delay(retryMs);
      }
    }
  }

  /** Connections in use end with their reads. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all(this.#idle.splice(0).map((client) => client.end().catch(() => undefined)));
  }

  /** Ends connections in use, too: their reads are refused. */
  async giveUp(): Promise<void> {
    await this.close();
    for (const client of this.#used) end(client);
  }

  async #useOnce<Result>(
    work: (client: Client) => Promise<Result>,
    untilMs: number,
  ): Promise<Result> {
    while (this.#count >= this.#limits.readConnectionsMax) await this.#turn(untilMs);
    this.#count += 1;
    let client: Client | null = null;
    try {
      const [idle] = this.#idle.splice(-1);
      const used = idle ?? (await connect(this.#place, this.#limits));
      client = used;
      this.#used.add(used);
      const result = await within(used, untilMs - performance.now(), async () => {
        if (idle === undefined) await this.#setUp(used);
        return await work(used);
      });
      this.#giveBack(used);
      return result;
    } catch (error) {
      if (client !== null && isLost(error)) {
        end(client);
        // The others broke with it.
        for (const other of this.#idle.splice(0)) end(other);
      } else if (client !== null) this.#giveBack(client);
      throw error;
    } finally {
      if (client !== null) this.#used.delete(client);
      this.#count -= 1;
      const [next] = this.#waiting;
      next?.begin();
    }
  }

  async #setUp(client: Client): Promise<void> {
    await client.query(`SET statement_timeout = ${END_AFTER * this.#limits.patienceMs}`);
  }

  /** Resolves when a connection is free. */
  #turn(untilMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        clearTimeout(timer);
        this.#waiting.delete(waiter);
      };
      const begin = () => {
        leave();
        resolve();
      };
      const giveUp = () => {
        leave();
        reject(new Error(NO_CONNECTION));
      };
      const waiter = { begin };
      const timer = setTimeout(giveUp, Math.max(0, untilMs - performance.now()));
      this.#waiting.add(waiter);
    });
  }

  #giveBack(client: Client): void {
    if (this.#isClosed) end(client);
    else this.#idle.push(client);
  }
}
