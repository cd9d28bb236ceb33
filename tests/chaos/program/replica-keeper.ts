/**
 * Keeps several replicas running, each as `ServerKeeper` does, with a database and a bucket, behind a balancer.
 */
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type Api, createApi } from '../../support/api.ts';
import { Balancer } from '../../support/balancer.ts';
import { freePort } from '../../support/free-port.ts';
import { S3_ENVIRONMENT } from '../../support/s3-server.ts';
import type { ReplicaAction } from './fault-plan.ts';
import { createProxyCounts, FaultProxy } from './fault-proxy.ts';
import type { Happenings } from './happenings.ts';
import {
  AUDIT,
  batchAfter,
  CHECKS,
  commitTimesOf,
  evidenceOf,
  NEW_OWNERS,
  rowsOf,
  TABLES,
} from './replica-audit.ts';
import { ReplicaFaults } from './replica-faults.ts';
import { closeReplicaPlace, type ReplicaPlace } from './replica-place.ts';
import { ServerKeeper } from './server-keeper.ts';

/** The part of a jump by which the clocks of two replicas differ. No step of the storm needs its deadline to end. */
const CLOCK_SHARE = 0.5;
const ROUTES = new URL('./replica-routes.js', import.meta.url).href;
/**
 * Absence of an agent that the replicas allow. Between two attempts to connect it pauses for up to five seconds. Load alone must never add
 * the rest, so a step that was lost without a fault is a violation.
 */
const GRACE_SECONDS = 20;
/** Between two looks for the active replica. */
const LOOK_MS = 200;
/** Tries of a request that only reads. */
const READS_MAX = 50;
/** Why a replica ends itself: it stood still for too long. Or its database or its bucket is away while it starts. */
const COUNTED_AS_DEAD =
  /count this one as dead|Another server has taken|The (?:database|bucket of) \S+ cannot be used/;

type KillLeaving = Extract<ReplicaAction, { readonly kind: 'kill-leaving' }>;

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
  #isChecked = false;

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
          graceSeconds: GRACE_SECONDS,
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

  get graceMs(): number {
    return GRACE_SECONDS * 1_000;
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
    else if (action.kind === 'kill-leaving') await this.#killLeaving(action);
    else if (action.kind === 'kill-two') {
      await Promise.all([this.#victim().kill(action.backMs), this.#victim().kill(action.backMs)]);
    } else await this.#faults?.act(action, this.#active);
  }

  /** The active replica gets the order to stop, so it hands over. Some of those that take part in that are killed meanwhile. */
  async #killLeaving({ whom, afterMs }: KillLeaving): Promise<void> {
    const leaving = this.#keepers[this.#active];
    const others = this.#keepers.filter((keeper) => keeper !== leaving);
    if (leaving === undefined || !leaving.isUp) return;
    this.#options.happenings.count('kills at a hand-over');
    const stopped = leaving.stop();
    await pause(afterMs);
    // Nobody here knows which of the others gets the runs: mostly the first one that answers.
    const victims = {
      leaving: [leaving],
      next: others.slice(0, 1),
      both: [leaving, ...others.slice(0, 1)],
    };
    await Promise.all([stopped, ...victims[whom].map((victim) => victim.kill())]);
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
    // The program may have failed because there is no database.
    await this.#keepDatabase().catch(() => undefined);
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
    this.#isChecked = true;
    for (const [what, text] of Object.entries(CHECKS)) {
      const found = await this.#sql(text);
      if (found.length > 0) happenings.violation(`${what}: ${JSON.stringify(found.slice(0, 5))}`);
    }
    await this.#noteOwners();
    const [writers] = await this.#sql('SELECT count(DISTINCT writer) AS n FROM chaos_batches');
    happenings.count('replicas that wrote', Number(writers?.n));
  }

  /** Pauses are for a look only: they depend on the machine, and on faults that meet. */
  async #noteOwners(): Promise<void> {
    const { happenings, place } = this.#options;
    for (const { state, atMs, ms } of await this.#sql(NEW_OWNERS)) {
      happenings.newOwnersAtMs.push(Number(atMs));
      const kind = state === 'leaving' ? 'hand-over' : 'takeover';
      if (ms !== null) happenings.pauses.push({ kind, ms: Number(ms) });
    }
    for (const atMs of place.databases.returnsAtMs) {
      const [{ ms } = { ms: null }] = await this.#sql(batchAfter(atMs));
      if (ms !== null) happenings.pauses.push({ kind: 'return of the database', ms: Number(ms) });
    }
  }

  async commitTimes(workflowId: string): Promise<readonly number[]> {
    const rows = await this.#sql(commitTimesOf(workflowId));
    return rows.map(({ ms }) => Number(ms));
  }

  /** Notes what the database has of a run whose publications are missing. */
  async noteEvidence(workflowId: string): Promise<void> {
    const { happenings } = this.#options;
    for (const [what, text] of Object.entries(evidenceOf(workflowId))) {
      for (const row of await this.#sql(text)) {
        happenings.note(`${workflowId}, ${what}: ${JSON.stringify(row)}`);
      }
    }
  }

  /** Keeps all rows of the database, where something was wrong. */
  async #keepDatabase(): Promise<void> {
    const { folder, happenings } = this.#options;
    if (this.#isChecked && happenings.violations.length === 0) return;
    const kept = join(folder, 'database');
    mkdirSync(kept, { recursive: true });
    for (const { name } of await this.#sql(TABLES)) {
      const rows = await this.#sql(rowsOf(String(name)));
      writeFileSync(
        join(kept, `${name}.jsonl`),
        rows.map((row) => `${JSON.stringify(row)}\n`).join(''),
      );
    }
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
      if (index === this.#active || !/^tutti_replica_active 1$/m.test(text)) continue;
      this.#active = index;
      this.#options.happenings.note(`replica ${index} is active`);
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
