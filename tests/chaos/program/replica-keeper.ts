/**
 * Keeps several replicas running, each as `ServerKeeper` does, with a database and a bucket, behind a balancer.
 */
import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type Api, createApi } from '../../support/api.ts';
import { Balancer } from '../../support/balancer.ts';
import { freePort } from '../../support/free-port.ts';
import { S3_ENVIRONMENT } from '../../support/s3-server.ts';
import type { ReplicaAction } from './fault-plan.ts';
import { createProxyCounts, FaultProxy } from './fault-proxy.ts';
import type { Happenings } from './happenings.ts';
import { AUDIT, CHECKS } from './replica-audit.ts';
import { ReplicaFaults } from './replica-faults.ts';
import { closeReplicaPlace, type ReplicaPlace } from './replica-place.ts';
import { ServerKeeper } from './server-keeper.ts';

/** The part of a jump by which the clocks of two replicas differ. No step of the storm needs its deadline to end. */
const CLOCK_SHARE = 0.5;
const ROUTES = new URL('./replica-routes.js', import.meta.url).href;
/** Between two looks for the active replica. */
const LOOK_MS = 200;
/** Tries of a request that only reads. */
const READS_MAX = 50;
/** Why a replica ends itself: it stood still for too long. Or its database is away while it starts or takes over, or its bucket while it starts. */
const COUNTED_AS_DEAD =
  /count this one as dead|Another server has taken|The (?:database|bucket of) \S+ cannot be used|at async #begin [^"]*caused by: /;

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
  readonly #clientCounts = createProxyCounts();
  #balancer: Balancer | null = null;
  /** Between the clients and the balancer. */
  #clients: FaultProxy | null = null;
  #faults: ReplicaFaults | null = null;
  #api: Api | null = null;
  #active = 0;
  #turn = 0;
  #looking: NodeJS.Timeout | null = null;
  #isOver = false;

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
    const { sites, blobs, disk } = place;
    const keepers: ServerKeeper[] = [];
    const dataDirs: string[] = [];
    const ports: number[] = [];
    for (const [index, site] of sites.entries()) {
      const dataDir = join(folder, `replica-${index}`);
      const port = await freePort();
      const config = {
        ...{ store: site.store, blobs },
        cluster: { address: `127.0.0.1:${site.port}` },
        // Requests of this machine may come through another replica.
        outgoing: { privateNetworks: ['127.0.0.0/8'] },
      };
      const routes = [...site.links].map(([other, link]) => [other, link.port]);
      const environment = {
        ...S3_ENVIRONMENT,
        TUTTI_CHAOS_ROUTES: JSON.stringify(Object.fromEntries(routes)),
      };
      dataDirs.push(dataDir);
      ports.push(port);
      keepers.push(
        new ServerKeeper({
          ...{ port, dataDir, disk, happenings, config, environment, preloads: [ROUTES] },
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
    if (this.#balancer === null) throw new Error('The replicas were not started.');
    return Number(new URL(this.#balancer.url).port);
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
    const clients = await FaultProxy.open(this.port, this.#clientCounts, null);
    this.#clients = clients;
    this.#api = persistent(createApi(clients.url, token));
    const { place, happenings } = this.#options;
    this.#faults = new ReplicaFaults({ place, happenings, clients });
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

  /** The clock of each machine is wrong by more than that of the one before. */
  setClock(offsetMs: number): void {
    for (const [index, keeper] of this.#keepers.entries()) {
      keeper.setClock(Math.round(offsetMs * CLOCK_SHARE * index));
    }
  }

  get clockJumpsSeen(): number {
    return this.#keepers.reduce((sum, { clockJumpsSeen }) => sum + clockJumpsSeen, 0);
  }

  /** No replica ends because its database is away. */
  expectDiskTrouble(): void {}

  async act(action: ReplicaAction): Promise<void> {
    if (action.kind === 'rolling-restart') await this.#restartAll();
    else if (action.kind === 'kill-two') {
      await Promise.all([this.#victim().kill(action.backMs), this.#victim().kill(action.backMs)]);
    } else await this.#faults?.act(action, this.#active);
  }

  /** One after the other, as for a new version. */
  async #restartAll(): Promise<void> {
    this.#options.happenings.count('rolling restarts');
    for (const keeper of this.#keepers) {
      await keeper.stop();
      // Other faults may keep it from that.
      await keeper.whenUp().catch(() => undefined);
    }
  }

  async close(): Promise<void> {
    this.#isOver = true;
    if (this.#looking !== null) clearTimeout(this.#looking);
    for (const keeper of this.#keepers) await keeper.close();
    await this.#clients?.close();
    await this.#balancer?.close();
  }

  async destroy(): Promise<void> {
    this.#isOver = true;
    if (this.#looking !== null) clearTimeout(this.#looking);
    await Promise.all(this.#keepers.map((keeper) => keeper.destroy()));
    await this.#clients?.close();
    await this.#balancer?.close().catch(() => undefined);
    this.#countCuts();
    await closeReplicaPlace(this.#options.place);
  }

  #countCuts(): void {
    const { happenings, place } = this.#options;
    for (const { databaseProxies } of place.sites) {
      for (const { cuts } of databaseProxies) happenings.count('cuts at the database', cuts);
    }
    for (const [what, { cutAnswers, cutConnections }] of [
      ['clients', this.#clientCounts],
      ['other replicas', place.linkCounts],
    ] as const) {
      happenings.count(`cut answers to ${what}`, cutAnswers);
      happenings.count(`cut connections to ${what}`, cutConnections);
    }
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
    const { databases, database } = this.#options.place;
    return databases.query(database, text);
  }

  #victim(): ServerKeeper {
    this.#turn += 1;
    const index = this.#turn % 2 === 0 ? this.#active : this.#turn % this.#keepers.length;
    const keeper = this.#keepers[index];
    if (keeper === undefined) throw new Error('There are no replicas.');
    return keeper;
  }

  #lookLater(): void {
    if (this.#isOver) return;
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

/** A reader asks again when the replica that it asked is gone. */
function persistent(api: Api): Api {
  const call: Api['call'] = async (method, path, request) => {
    for (let tries = 1; ; tries += 1) {
      try {
        return await api.call(method, path, request);
      } catch (error) {
        if (method !== 'GET' || tries === READS_MAX || request?.signal?.aborted) throw error;
        await pause(LOOK_MS);
      }
    }
  };
  return { ...api, call };
}
