/** Lists the replicas of a database for `tutti doctor`: which of them live, and which this machine reaches. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from 'pg';
import { connect, end, query } from '../store/postgres/connection.ts';
import { parseDatabasePlace } from '../store/postgres/database-place.ts';
import { POSTGRES_LIMITS } from '../store/postgres/limits.ts';
import { CLUSTER_LIMITS } from './limits.ts';
import { ReplicaClient } from './replica-client.ts';

export interface ReplicaReport {
  /** `HOST:PORT`, where others reach it. */
  readonly address: string;
  readonly version: string;
  readonly isActive: boolean;
  /** Whether it sent a heartbeat while it was looked at. */
  readonly isAlive: boolean;
  /** Whether its listener answered this machine. */
  readonly isReached: boolean;
  /** Digests of the key and of the settings: the same for replicas that have the same. */
  readonly key: string;
  readonly settings: string;
}

interface Row {
  readonly replica: string;
  readonly address: string;
  readonly version: string;
  readonly configuration: string;
  readonly beat: number;
  readonly isActive: boolean;
}

const ROWS = `SELECT r.replica, r.address, r.version, r.configuration, r.beat,
    r.replica IS NOT DISTINCT FROM (SELECT owner FROM slots WHERE slot = 0) AS "isActive"
  FROM replicas r ORDER BY r.address`;

/** Call it with a database that can be used. There are none where one server is alone, or where the schema is older. */
export async function lookAtReplicas(url: string): Promise<readonly ReplicaReport[]> {
  const client = await connectForLook(url);
  try {
    const before = await rowsOf(client);
    if (before.length === 0) return [];
    // Others count a replica as dead after as long a silence.
    await pause(CLUSTER_LIMITS.silentBeats * CLUSTER_LIMITS.beatMs);
    const beats = new Map(before.map(({ replica, beat }) => [replica, beat]));
    const rows = await rowsOf(client);
    const reached = await reachedAmong(rows, await secretOf(client));
    return rows.map(({ replica, address, version, configuration, beat, isActive }) => {
      const [key = '', settings = ''] = configuration.split(' ');
      const isAlive = beats.get(replica) !== beat;
      const isReached = reached.has(address);
      return { address, version, isActive, isAlive, isReached, key, settings };
    });
  } finally {
    end(client);
  }
}

function connectForLook(url: string): Promise<Client> {
  const { firstConnectMs: connectMs, turnMs, batchMs } = POSTGRES_LIMITS;
  return connect(parseDatabasePlace(url), { connectMs, turnMs }, batchMs);
}

async function rowsOf(client: Client): Promise<readonly Row[]> {
  const [found] = await query<{ readonly isThere: boolean }>(
    client,
    `SELECT to_regclass('replicas') IS NOT NULL AS "isThere"`,
  );
  return found?.isThere === true ? await query<Row>(client, ROWS) : [];
}

async function secretOf(client: Client): Promise<Uint8Array> {
  const [cluster] = await query<{ readonly secret: Buffer }>(client, 'SELECT secret FROM cluster');
  return cluster?.secret ?? new Uint8Array();
}

/** The addresses that answered. The message only has a replica look at the database, as it does by itself. */
async function reachedAmong(
  rows: readonly Row[],
  secret: Uint8Array,
): Promise<ReadonlySet<string>> {
  const replicas = new ReplicaClient(secret);
  try {
    const sent = rows.map(async ({ address }) =>
      (await replicas.send(address, 'look')) ? [address] : [],
    );
    return new Set((await Promise.all(sent)).flat());
  } finally {
    replicas.close();
  }
}
