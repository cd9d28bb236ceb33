/**
 * The one connection of the writer. It is made anew when it is lost. A network that fails tells nobody. So while an answer is due,
 * another connection looks whether the database still works on what was sent.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from 'pg';
import type { DatabaseMeters } from '../../runtime/meters.ts';
import { connect, end, query, within } from './connection.ts';
import { isLost, unavailable } from './database-failure.ts';
import type { DatabasePlace } from './database-place.ts';
import type { PostgresLimits } from './limits.ts';

export interface WriterConnectionOptions {
  /** Whether other servers may have the database, too. */
  readonly isShared: boolean;
  readonly place: DatabasePlace;
  readonly limits: PostgresLimits;
  readonly meters?: DatabaseMeters | undefined;
  /** The database is away for longer than requests wait. Called again and again. */
  readonly onAway: (refusal: Error, isFirst: boolean) => void;
}

/** Held by the server that owns the database, or shared by replicas, against accidents. */
const OWNER_LOCK = 0x54755374;

/** A session of the database, also if its process gets the number of an older one. */
interface Session {
  readonly pid: number;
  readonly began: string;
}

export class WriterConnection {
  readonly #options: WriterConnectionOptions;
  #client: Client | null = null;
  #session: Session | null = null;
  #trying: Promise<void> | null = null;
  /** Statements that were answered. */
  #answers = 0;
  #answersAtLook = 0;
  #isLooking = false;
  #awaySinceMs: number | null = null;
  #problem: unknown = null;
  /** Told of the time away. */
  #isAway = false;
  #isClosing = false;

  constructor(options: WriterConnectionOptions) {
    this.#options = options;
  }

  /** Takes over a connection that may write. */
  async use(client: Client): Promise<void> {
    this.#session = await sessionOf(client);
    this.#client = client;
    client.on('drain', () => {
      this.#answers += 1;
      if (this.#client === client) this.#noteBack();
    });
    // A connection that ends while nothing is sent leaves nothing in doubt.
    client.on('end', () => {
      this.drop(client, new Error('Connection terminated.'));
    });
  }

  /** Time that the database has been away, in milliseconds; 0 while it answers. */
  get awayMs(): number {
    return this.#awaySinceMs === null ? 0 : performance.now() - this.#awaySinceMs;
  }

  /** Why it is away; null while it answers. */
  get problem(): unknown {
    return this.#problem;
  }

  /** Looks after the connection while the work waits for answers. */
  async watch<Result>(work: () => Promise<Result>): Promise<Result> {
    const looks = setInterval(() => void this.#look(), this.#options.limits.lookMs);
    try {
      return await work();
    } finally {
      clearInterval(looks);
    }
  }

  /** Work that stores nothing of a batch. It is done again where a connection breaks. */
  async patiently<Result>(work: (client: Client) => Promise<Result>): Promise<Result> {
    for (;;) {
      const client = await this.connected(false);
      try {
        return await work(client);
      } catch (error) {
        if (!isLost(error)) throw error;
        this.drop(client, error);
      }
    }
  }

  /** The connection, or a new one. A wait ends after a time, with a refusal, unless something is in doubt. */
  async connected(isInDoubt: boolean): Promise<Client> {
    while (this.#client === null) {
      if (this.#isClosing || (!isInDoubt && this.#isOverdue())) throw unavailable(this.#problem);
      await this.#tryOnce();
    }
    return this.#client;
  }

  /** Connects anew, unless that has begun. */
  drop(client: Client, why: unknown): void {
    if (this.#client !== client) return;
    const { meters } = this.#options;
    if (meters !== undefined) meters.lostConnections.count += 1;
    end(client);
    this.#client = null;
    this.#noteAway(why);
    void this.#keepTrying();
  }

  /** A wait for the database ends now, with a refusal. */
  giveUp(): void {
    this.#isClosing = true;
  }

  /** The database waits for nobody who is away: what is in doubt stays so. */
  async close(farewell: (client: Client) => Promise<unknown>): Promise<void> {
    this.#isClosing = true;
    const client = this.#client;
    this.#client = null;
    if (client === null) return;
    await farewell(client).catch(() => undefined);
    await client.end().catch(() => undefined);
  }

  async #keepTrying(): Promise<void> {
    while (this.#client === null && !this.#isClosing) await this.#tryOnce();
  }

  #tryOnce(): Promise<void> {
    this.#trying ??= this.#try().finally(() => {
      this.#trying = null;
    });
    return this.#trying;
  }

  async #try(): Promise<void> {
    const { place, limits, isShared } = this.#options;
    let client: Client | null = null;
    try {
      const next = await connect(place, limits, limits.batchMs);
      client = next;
      await within(next, limits.connectMs, async () => {
        await setUpWriter(next, limits);
        // Whether it is ours again or not: the row of the writer is what counts.
        await tryLock(next, isShared);
        await this.use(next);
      });
      this.#noteBack();
      if (this.#isClosing) await this.close(async () => undefined);
    } catch (error) {
      if (client !== null) end(client);
      this.#noteAway(error);
      await delay(limits.retryMs);
    }
  }

  /** Drops a connection whose statement the database does not have or has answered. */
  async #look(): Promise<void> {
    const { place, limits } = this.#options;
    const [client, answers] = [this.#client, this.#answers];
    const isMoving = answers !== this.#answersAtLook;
    this.#answersAtLook = answers;
    if (client === null || isMoving || this.#isLooking) return;
    this.#isLooking = true;
    try {
      const other = await connect(place, limits);
      const isWorking = await within(other, limits.connectMs, () => isAtWork(other, this.#session));
      if (!isWorking && this.#answers === answers)
        this.drop(client, new Error('Connection terminated: it is silent.'));
      else this.#noteBack();
    } catch (error) {
      this.#noteAway(error);
    } finally {
      this.#isLooking = false;
    }
  }

  #noteAway(why: unknown): void {
    this.#problem = why;
    this.#awaySinceMs ??= performance.now();
    if (!this.#isOverdue()) return;
    this.#options.onAway(unavailable(why), !this.#isAway);
    this.#isAway = true;
  }

  #noteBack(): void {
    if (this.#awaySinceMs === null) return;
    const { meters } = this.#options;
    if (meters !== undefined) meters.away.seconds += this.awayMs / 1000;
    this.#awaySinceMs = null;
    this.#problem = null;
    this.#isAway = false;
  }

  #isOverdue(): boolean {
    return this.awayMs > this.#options.limits.patienceMs;
  }
}

/**
 * The plan of a batch is kept while tables grow. So it has to use indexes, also where tables are small. A server that stands still within a
 * transaction keeps its row locked. The one that takes over would wait for it.
 */
export async function setUpWriter(
  client: Client,
  { idleTransactionMs }: Pick<PostgresLimits, 'idleTransactionMs'>,
): Promise<void> {
  await client.query(
    `SET enable_seqscan = off; SET random_page_cost = 0.1; SET idle_in_transaction_session_timeout = ${idleTransactionMs}`,
  );
}

/** Whether the database is ours, or ours and that of others who share it. */
export async function tryLock(client: Client, isShared: boolean): Promise<boolean> {
  const lock = isShared ? 'pg_try_advisory_lock_shared' : 'pg_try_advisory_lock';
  const [row] = await query<{ readonly isOurs: boolean }>(
    client,
    `SELECT ${lock}($1) AS "isOurs"`,
    [OWNER_LOCK],
  );
  return row?.isOurs === true;
}

async function sessionOf(client: Client): Promise<Session | null> {
  const [session] = await query<Session>(
    client,
    'SELECT pid, backend_start::text AS began FROM pg_stat_activity WHERE pid = pg_backend_pid()',
  );
  return session ?? null;
}

/** Whether that session works on a statement. One that waits for us has answered, and one that is not there has ended. */
async function isAtWork(client: Client, session: Session | null): Promise<boolean> {
  try {
    const [found] = await query<{ readonly isAtWork: boolean }>(
      client,
      `SELECT state = 'active' AND wait_event_type IS DISTINCT FROM 'Client' AS "isAtWork"
       FROM pg_stat_activity WHERE pid = $1 AND backend_start::text = $2`,
      [session?.pid ?? 0, session?.began ?? ''],
    );
    return found?.isAtWork === true;
  } finally {
    end(client);
  }
}
