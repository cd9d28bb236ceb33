/** The rows of replicas in the database: heartbeats on a connection of their own, takeovers and hand-overs as transactions. */

import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { isOrchestratorError, OrchestratorError } from '@tutti/manifests';
import type { Client } from 'pg';
import { connect, end, query } from '../store/postgres/connection.ts';
import { connectProblem } from '../store/postgres/database-failure.ts';
import { type DatabasePlace, parseDatabasePlace } from '../store/postgres/database-place.ts';
import { POSTGRES_LIMITS } from '../store/postgres/limits.ts';
import { ownDatabase } from '../store/postgres/postgres-store.ts';
import { CLUSTER_LIMITS } from './limits.ts';
import type { Member } from './roll-call.ts';

/** The number of the formats that this version writes: kinds of events, and columns. A newer one is written once all replicas know it. */
export const LEVEL = 1;

export interface Introduction {
  readonly replica: string;
  readonly address: string;
  readonly version: string;
  readonly configuration: string;
}

/** The answer to a heartbeat. */
export interface Found {
  /** Whether this replica still counts. */
  readonly isThere: boolean;
  /** The replica that owns the runs, dead ones included; null if none does. */
  readonly owner: string | null;
  readonly members: readonly Member[];
}

type Row = Member & Pick<Found, 'isThere' | 'owner'>;

const BEAT = `WITH own AS (UPDATE replicas SET beat = beat + 1 WHERE replica = $1 RETURNING replica)
  SELECT r.replica, r.address, r.version, r.level, r.configuration, r.state, r.beat, s.owner,
    EXISTS (SELECT FROM own) AS "isThere"
  FROM slots s LEFT JOIN replicas r ON true WHERE s.slot = 0 ORDER BY r.replica`;

/** Takeovers, hand-overs and joins come one after the other. */
const LOCK_SLOTS = 'SELECT slot FROM slots ORDER BY slot FOR UPDATE';

const SECRET_BYTES = 32;
/** Dead writers that are kept, so that they find out why they may not write. */
const WRITERS_KEPT = 100;

export class ReplicaTable {
  readonly #place: DatabasePlace;
  readonly #me: Introduction;
  #client: Client | null = null;

  constructor(url: string, me: Introduction) {
    this.#place = parseDatabasePlace(url);
    this.#me = me;
  }

  /** The key of connections between replicas. Throws `Conflict` where their formats are too new for this one. */
  async secret(): Promise<Uint8Array> {
    return await this.#atStart(() => this.#readSecret());
  }

  async #readSecret(): Promise<Uint8Array> {
    return await this.#patiently(async (client) => {
      await query(client, 'INSERT INTO cluster (secret) VALUES ($1) ON CONFLICT DO NOTHING', [
        randomBytes(SECRET_BYTES),
      ]);
      const [cluster] = await query<{ readonly secret: Buffer; readonly level: number }>(
        client,
        'SELECT secret, level FROM cluster',
      );
      if (cluster === undefined) throw new Error('The database has no row of the cluster.');
      if (cluster.level > LEVEL) throw tooOld(this.#place.address);
      return cluster.secret;
    });
  }

  /** Adds this replica. Resolves with the number of its writer, which may not write yet. */
  async join(): Promise<number> {
    return await this.#atStart(() => this.#addRow());
  }

  /** An earlier try may have added the row, and lost the answer. */
  async #addRow(): Promise<number> {
    return await this.#inTransaction(async (client) => {
      await query(client, LOCK_SLOTS);
      const [row] = await query<{ readonly writer: number }>(
        client,
        'INSERT INTO writers (alive) VALUES (false) RETURNING writer',
      );
      if (row === undefined) throw new Error('The database gave no writer.');
      const { replica, address, version, configuration } = this.#me;
      await query(
        client,
        `INSERT INTO replicas (replica, writer, address, version, level, configuration)
         VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (replica) DO UPDATE SET writer = excluded.writer`,
        [replica, row.writer, address, version, LEVEL, configuration],
      );
      await query(
        client,
        `DELETE FROM writers WHERE NOT alive AND writer < $1 AND writer NOT IN (SELECT writer FROM replicas)`,
        [row.writer - WRITERS_KEPT],
      );
      return row.writer;
    });
  }

  async beat(): Promise<Found> {
    const rows = await this.#patiently((client) => query<Row>(client, BEAT, [this.#me.replica]));
    const members = rows.filter(({ replica }) => replica !== null);
    const [{ isThere, owner } = { isThere: false, owner: null }] = rows;
    return { isThere, owner, members };
  }

  /** From now on no run is handed over to this replica. */
  async beginLeaving(): Promise<void> {
    await this.#patiently((client) =>
      query(client, `UPDATE replicas SET state = 'leaving' WHERE replica = $1`, [this.#me.replica]),
    );
  }

  /**
   * Removes a dead replica, unless it has shown a sign of life. Then takes over runs that no replica owns. A batch of their last writer that
   * is under way is waited for; none comes after it. Resolves with whether the dead one was still there.
   */
  async takeOver(dead: Pick<Member, 'replica' | 'beat'> | null): Promise<boolean> {
    return await this.#inTransaction(async (client) => {
      await query(client, LOCK_SLOTS);
      const removed = await query(
        client,
        'DELETE FROM replicas WHERE replica = $1 AND beat = $2 RETURNING replica',
        [dead?.replica ?? null, dead?.beat ?? 0],
      );
      await this.#claim(client);
      return removed.length > 0;
    });
  }

  async #claim(client: Client): Promise<void> {
    const gained = await query(
      client,
      `UPDATE slots SET owner = $1, epoch = epoch + 1
       WHERE (owner IS NULL OR owner NOT IN (SELECT replica FROM replicas))
         AND EXISTS (SELECT FROM replicas WHERE replica = $1 AND state = 'up')
       RETURNING slot`,
      [this.#me.replica],
    );
    if (gained.length === 0) return;
    await query(
      client,
      `UPDATE writers SET alive = false WHERE alive AND writer NOT IN (SELECT writer FROM replicas)`,
    );
    await query(
      client,
      'UPDATE writers SET alive = true WHERE writer = (SELECT writer FROM replicas WHERE replica = $1)',
      [this.#me.replica],
    );
    // All live replicas know the formats of the lowest level, and none that does not may come again.
    await query(
      client,
      'UPDATE cluster SET level = greatest(level, (SELECT min(level) FROM replicas))',
    );
  }

  /** Removes this replica. Its runs go to that one, or to whoever comes first if there is none. */
  async leave(next: string | null): Promise<void> {
    const { replica } = this.#me;
    await this.#inTransaction(async (client) => {
      await query(client, LOCK_SLOTS);
      const [row] = await query<{ readonly writer: number }>(
        client,
        'DELETE FROM replicas WHERE replica = $1 RETURNING writer',
        [replica],
      );
      // Behind all commits of this replica.
      await query(client, 'UPDATE writers SET alive = false WHERE writer = $1', [row?.writer ?? 0]);
      const moved = await query(
        client,
        `UPDATE slots SET owner = (SELECT replica FROM replicas WHERE replica = $2 AND state = 'up'), epoch = epoch + 1
         WHERE owner = $1 RETURNING owner`,
        [replica, next],
      );
      if (moved.length === 0) return;
      await query(
        client,
        'UPDATE writers SET alive = true WHERE writer = (SELECT writer FROM replicas WHERE replica = (SELECT owner FROM slots WHERE slot = 0))',
      );
    });
  }

  async close(): Promise<void> {
    const client = this.#client;
    this.#client = null;
    await client?.end().catch(() => undefined);
  }

  /** A database that is away or slow now was there a moment before. It is tried again for a while. */
  async #atStart<Result>(work: () => Promise<Result>): Promise<Result> {
    const endMs = performance.now() + CLUSTER_LIMITS.takeoverMs;
    for (;;) {
      try {
        return await work();
      } catch (error) {
        if (isOrchestratorError(error)) throw error;
        const { address } = this.#place;
        if (performance.now() > endMs) {
          throw new OrchestratorError('Invalid', connectProblem(error, address), { cause: error });
        }
        await pause(CLUSTER_LIMITS.beatMs);
      }
    }
  }

  /** A connection that fails is not used again. The caller tries again with its next heartbeat. */
  async #patiently<Result>(work: (client: Client) => Promise<Result>): Promise<Result> {
    try {
      this.#client ??= await this.#connected(CLUSTER_LIMITS.databaseMs);
      return await work(this.#client);
    } catch (error) {
      if (this.#client !== null) end(this.#client);
      this.#client = null;
      throw error;
    }
  }

  async #connected(statementMs: number): Promise<Client> {
    const client = await connect(
      this.#place,
      { ...POSTGRES_LIMITS, connectMs: CLUSTER_LIMITS.databaseMs },
      statementMs,
    );
    try {
      await ownDatabase(client, { isShared: true, address: this.#place.address, waitMs: 0 });
      return client;
    } catch (error) {
      end(client);
      throw error;
    }
  }

  /** On a connection of its own: heartbeats go on while it waits. */
  async #inTransaction<Result>(work: (client: Client) => Promise<Result>): Promise<Result> {
    const client = await this.#connected(CLUSTER_LIMITS.takeoverMs);
    try {
      await query(client, 'BEGIN');
      await query(client, `SET LOCAL statement_timeout = ${CLUSTER_LIMITS.takeoverMs}`);
      await query(client, 'SET LOCAL idle_in_transaction_session_timeout = 1000');
      const result = await work(client);
      await query(client, 'COMMIT');
      return result;
    } finally {
      // Without a commit, the end of the connection undoes it.
      end(client);
    }
  }
}

const tooOld = (address: string): OrchestratorError =>
  new OrchestratorError(
    'Conflict',
    `The replicas of the database ${address} are of a newer version of Tutti, and write what this one cannot read. Install that version.`,
  );
