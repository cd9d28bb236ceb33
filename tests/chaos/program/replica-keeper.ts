/**
 * Keeps several replicas running, each as `ServerKeeper` does, with a database and a bucket, behind a balancer. Faults of the disk are faults
 * of the database here: it is silent for one replica, restarted, or killed.
 */
import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Api, createApi } from '../../support/api.ts';
import { Balancer } from '../../support/balancer.ts';
import { DatabaseProxy } from '../../support/database-proxy.ts';
import { freePort } from '../../support/free-port.ts';
import { databaseIn, installPostgres, PostgresServer } from '../../support/postgres-server.ts';
import { installS3Server, S3_ENVIRONMENT, S3Server } from '../../support/s3-server.ts';
import type { Disk } from './disk.ts';
import type { Happenings } from './happenings.ts';
import { ServerKeeper } from './server-keeper.ts';

/** A bucket refuses requests whose time is wrong by a quarter of an hour. */
const CLOCK_SHARE = 0.5;
/** Between two looks for the active replica. */
const LOOK_MS = 200;
/** Why a replica ends itself: it stood still for too long, or its machine did. */
const COUNTED_AS_DEAD = /count this one as dead|Another server has taken/;

export interface ReplicaPlace {
  readonly postgres: PostgresServer;
  readonly s3: S3Server;
  readonly store: string;
  readonly proxies: readonly DatabaseProxy[];
  readonly disk: Disk;
}

/** Starts what the replicas share. Throws where it cannot be had. */
export async function openReplicaPlace(folder: string, replicas: number): Promise<ReplicaPlace> {
  const [programs, s3Program] = [installPostgres(), await installS3Server()];
  if ('missing' in programs) throw new Error(programs.missing);
  if ('missing' in s3Program) throw new Error(s3Program.missing);
  const postgres = await PostgresServer.start(programs.tool);
  await postgres.stop();
  await postgres.start(SETTINGS);
  const s3 = await S3Server.start(s3Program.tool);
  await s3.createBucket('files');
  const store = await postgres.createDatabase();
  const proxies: DatabaseProxy[] = [];
  for (let index = 0; index < replicas; index += 1) {
    proxies.push(await DatabaseProxy.open(postgres.port));
  }
  return { postgres, s3, store, proxies, disk: databaseFaults(folder, postgres, proxies) };
}

const SETTINGS = ['track_commit_timestamp=on', 'max_connections=200'];

function databaseFaults(
  folder: string,
  postgres: PostgresServer,
  proxies: readonly DatabaseProxy[],
): Disk {
  let turn = 0;
  const met = { delayed: 0, failed: 0 };
  let again: Promise<void> = Promise.resolve();
  const restart = (end: () => Promise<void>) => {
    met.failed += 1;
    again = again.then(end).then(() => postgres.start(SETTINGS));
    return again;
  };
  return {
    folder,
    environment: {},
    slow: (syncMs) => {
      if (syncMs === 0) for (const proxy of proxies) proxy.resume();
      else proxies[turn++ % proxies.length]?.stall();
      met.delayed += 1;
    },
    fill: () => restart(() => postgres.stop()),
    clear: async () => undefined,
    fail: (syncs) => {
      if (syncs > 0) void restart(() => postgres.kill());
    },
    met: () => met,
    missing: [],
    close: async () => again,
  };
}

export interface ReplicaKeeperOptions {
  readonly place: ReplicaPlace;
  readonly folder: string;
  readonly happenings: Happenings;
  readonly readToken: (dataDir: string) => Promise<string>;
}

export class ReplicaKeeper {
  readonly #options: ReplicaKeeperOptions;
  readonly #keepers: readonly ServerKeeper[];
  readonly #dataDirs: readonly string[];
  readonly #ports: readonly number[];
  #balancer: Balancer | null = null;
  #api: Api | null = null;
  #active = 0;
  #turn = 0;
  #looking: NodeJS.Timeout | null = null;

  private constructor(
    options: ReplicaKeeperOptions,
    keepers: readonly ServerKeeper[],
    dataDirs: readonly string[],
    ports: readonly number[],
  ) {
    this.#options = options;
    this.#keepers = keepers;
    this.#dataDirs = dataDirs;
    this.#ports = ports;
  }

  static async open(options: ReplicaKeeperOptions): Promise<ReplicaKeeper> {
    const { place, folder, happenings, readToken } = options;
    const { proxies, s3, store, disk } = place;
    const keepers: ServerKeeper[] = [];
    const dataDirs: string[] = [];
    const ports: number[] = [];
    for (const [index, proxy] of proxies.entries()) {
      const dataDir = join(folder, `replica-${index}`);
      const port = await freePort();
      const config = {
        store: proxy.urlOf(store),
        blobs: s3.urlOf('files'),
        cluster: { address: `127.0.0.1:${await freePort()}` },
        // Requests of this machine may come through another replica.
        outgoing: { privateNetworks: ['127.0.0.0/8'] },
      };
      dataDirs.push(dataDir);
      ports.push(port);
      keepers.push(
        new ServerKeeper({
          ...{ port, dataDir, disk, happenings, config, environment: S3_ENVIRONMENT },
          clockFile: join(folder, `clock-${index}`),
          readToken: () => readToken(dataDir),
          mayEnd: (stderr) => COUNTED_AS_DEAD.test(stderr),
        }),
      );
    }
    return new ReplicaKeeper(options, keepers, dataDirs, ports);
  }

  get dataDir(): string {
    return this.#dataDirs[0] ?? '';
  }

  /** The port of the balancer. */
  get port(): number {
    return Number(new URL(this.api.url).port);
  }

  get api(): Api {
    if (this.#api === null) throw new Error('The replicas were not started.');
    return this.#api;
  }

  async start(): Promise<void> {
    const [first, ...others] = this.#keepers;
    await first?.start();
    await this.#sql(AUDIT);
    for (const dataDir of this.#dataDirs.slice(1)) {
      mkdirSync(dataDir);
      for (const name of ['keys', 'admin.token']) {
        cpSync(join(this.dataDir, name), join(dataDir, name), { recursive: true });
      }
    }
    await Promise.all(others.map((keeper) => keeper.start()));
    const token = await this.#options.readToken(this.dataDir);
    this.#balancer = await Balancer.start(this.#ports, `Bearer ${token}`);
    this.#api = createApi(this.#balancer.url, token);
    this.#lookLater();
  }

  /** By turns the active replica and another one. */
  get pid(): number | null {
    return this.#victim().pid;
  }

  get isUp(): boolean {
    return this.#keepers.some(({ isUp }) => isUp);
  }

  async whenUp(): Promise<true> {
    for (const keeper of this.#keepers) await keeper.whenUp();
    return true;
  }

  kill(backMs?: number): Promise<void> {
    return this.#victim().kill(backMs);
  }

  stop(): Promise<void> {
    return this.#victim().stop();
  }

  /** The clocks of all machines are set by the same, but one after the other. */
  setClock(offsetMs: number): void {
    for (const keeper of this.#keepers) keeper.setClock(Math.round(offsetMs * CLOCK_SHARE));
  }

  get clockJumpsSeen(): number {
    return this.#keepers.reduce((sum, { clockJumpsSeen }) => sum + clockJumpsSeen, 0);
  }

  /** No replica ends because its database is away. */
  expectDiskTrouble(): void {}

  async close(): Promise<void> {
    if (this.#looking !== null) clearTimeout(this.#looking);
    for (const keeper of this.#keepers) await keeper.close();
    await this.#balancer?.close();
  }

  async destroy(): Promise<void> {
    const { place } = this.#options;
    if (this.#looking !== null) clearTimeout(this.#looking);
    await Promise.all(this.#keepers.map((keeper) => keeper.destroy()));
    await this.#balancer?.close().catch(() => undefined);
    for (const proxy of place.proxies) proxy.close();
    await place.s3.remove();
    await place.postgres.remove();
  }

  /** Logs have no gaps, and by the commit times of the database one replica after the other wrote. */
  async checkIntegrity(): Promise<void> {
    const { happenings } = this.#options;
    for (const [what, text] of Object.entries(CHECKS)) {
      const found = await this.#sql(text);
      if (found.length > 0) happenings.violation(`${what}: ${JSON.stringify(found.slice(0, 5))}`);
    }
    const [writers] = await this.#sql('SELECT count(DISTINCT writer) AS n FROM chaos_batches');
    happenings.count('replicas that wrote', Number(writers?.n));
  }

  #sql(text: string) {
    const { postgres, store } = this.#options.place;
    return postgres.query(databaseIn(store), text);
  }

  #victim(): ServerKeeper {
    this.#turn += 1;
    const index = this.#turn % 2 === 0 ? this.#active : this.#turn % this.#keepers.length;
    const keeper = this.#keepers[index];
    if (keeper === undefined) throw new Error('There are no replicas.');
    return keeper;
  }

  #lookLater(): void {
    this.#looking = setTimeout(() => {
      void this.#look().then(() => this.#lookLater());
    }, LOOK_MS);
  }

  async #look(): Promise<void> {
    for (const [index, { api }] of this.#keepers.entries()) {
      const signal = AbortSignal.timeout(LOOK_MS);
      const { text } = await api.call('GET', '/metrics', { signal }).catch(() => ({ text: '' }));
      if (/^tutti_replica_active 1$/m.test(text)) this.#active = index;
    }
  }
}

/** Each change of a writer, with the transaction that made it. */
const AUDIT = `
  CREATE TABLE chaos_batches (xid xid DEFAULT pg_current_xact_id()::xid, writer bigint, batch bigint, alive boolean);
  CREATE FUNCTION chaos_note() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN INSERT INTO chaos_batches (writer, batch, alive) VALUES (NEW.writer, NEW.batch, NEW.alive); RETURN NULL; END $$;
  CREATE TRIGGER chaos_audit AFTER UPDATE ON writers FOR EACH ROW EXECUTE FUNCTION chaos_note()`;

/** Each finds nothing. */
const CHECKS = {
  'The log of a run has gaps': `SELECT workflow_id FROM runs r WHERE
    r.events <> (SELECT count(*) FROM events e WHERE e.workflow_id = r.workflow_id)
    OR r.events <> (SELECT coalesce(max(seq), 0) FROM events e WHERE e.workflow_id = r.workflow_id)`,
  'An event was stored by no writer that was alive': `SELECT workflow_id, seq FROM events e
    WHERE NOT EXISTS (SELECT FROM chaos_batches b WHERE b.xid = e.xmin AND b.alive)`,
  'Two replicas wrote by turns': `WITH batches AS (
      SELECT writer, pg_xact_commit_timestamp(xid) AS at FROM chaos_batches WHERE alive AND batch > 0
    ), spans AS (SELECT writer, min(at) AS first, max(at) AS last FROM batches GROUP BY writer)
    SELECT a.writer, b.writer AS other FROM spans a JOIN spans b ON a.writer < b.writer
    WHERE a.first <= b.last AND b.first <= a.last`,
} as const;
