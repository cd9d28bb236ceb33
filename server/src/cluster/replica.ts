/**
 * One of several servers that share a database and a bucket. One of them is active: it runs the engine. The others answer what they can
 * read, forward the rest to it, and take over when it is gone.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import type { Logger } from '../runtime/logger.ts';
import type { CheckOutcome, ReadinessCheck } from '../runtime/readiness.ts';
import type { ReplicaStore } from '../store/postgres/postgres-store.ts';
import { Forwarder } from './forwarder.ts';
import { Gate } from './gate.ts';
import { CLUSTER_LIMITS } from './limits.ts';
import { Membership } from './membership.ts';
import { parseReplicaAddress } from './replica-address.ts';
import { ReplicaClient } from './replica-client.ts';
import { listenForReplicas, type ReplicaListener } from './replica-listener.ts';
import { type Found, type Introduction, ReplicaTable } from './replica-table.ts';
import type { Member } from './roll-call.ts';

export interface ReplicaOptions {
  readonly url: string;
  readonly me: Introduction;
  readonly store: Pick<ReplicaStore, 'beginWriting' | 'hasBegun' | 'endWriting'>;
  readonly logger: Logger;
  /** The server can do nothing more: another replica may have taken over. */
  readonly fail: (error: Error) => void;
}

/** The part of a server that only the active replica runs. */
export interface Engine {
  /** Reads what `start` will need, while another replica is active. Never rejects. */
  prepare(): Promise<void>;
  /** Undoes it: a third replica is active. */
  forgetPrepared(): void;
  start(): Promise<void>;
  /** Ends held requests, so that those under way end. */
  quiet(): void;
  stop(): Promise<void>;
  /** Ends held polls of agents, which ask again. */
  releasePolls(): void;
}

/** Opens what replicas have in the database. Throws with the problem and what to do. */
export async function openReplica(options: ReplicaOptions): Promise<Replica> {
  const table = new ReplicaTable(options.url, options.me);
  try {
    return new Replica(options, table, await table.secret());
  } catch (error) {
    await table.close();
    throw error;
  }
}

export class Replica {
  readonly #options: ReplicaOptions;
  readonly #table: ReplicaTable;
  readonly #secret: Uint8Array;
  readonly #gate = new Gate(() => this.#membership.silentMs < CLUSTER_LIMITS.sureMs);
  readonly #client: ReplicaClient;
  readonly #forwarder: Forwarder;
  readonly #membership: Membership;
  /** Addresses at which no request was taken. They get none before they answer a message. */
  readonly #doubted = new Set<string>();
  /** Replicas whose settings were compared with those of this one. */
  readonly #compared = new Set<string>();
  #listener: ReplicaListener | null = null;
  #engine: Engine | null = null;
  #writer = 0;
  #active: Member | null = null;
  #starting: Promise<void> | null = null;
  #joining: Promise<void> | null = null;
  #isLeaving = false;
  #awaySinceMs: number | null = performance.now();

  constructor(options: ReplicaOptions, table: ReplicaTable, secret: Uint8Array) {
    this.#options = options;
    this.#table = table;
    this.#secret = secret;
    this.#client = new ReplicaClient(secret);
    this.#forwarder = new Forwarder(this.#gate, this.#client, (address) => this.#doubt(address));
    this.#membership = new Membership({
      me: options.me.replica,
      table,
      logger: options.logger,
      found: (found) => this.#found(found),
      lost: () => this.#lost(),
    });
  }

  get isActive(): boolean {
    return this.#gate.isOurs;
  }

  /** For metrics. */
  get figures() {
    return {
      isActive: this.isActive,
      replicas: this.#membership.others.length + 1,
      takeovers: this.#membership.takeovers,
      forwardedSeconds: this.#forwarder.seconds,
      silentSeconds: this.#membership.silentMs / 1000,
    };
  }

  readonly readiness: ReadinessCheck = {
    name: 'replica',
    adviceElse: LOOK_AT_LOG,
    look: async () => this.#look(),
  };

  /** Has the app forward requests. Call it after the checks of the token. */
  register(app: FastifyInstance): void {
    this.#forwarder.register(app);
  }

  /** Resolves when a replica is active: this one, whose engine has started then, or another. */
  async join(app: FastifyInstance, engine: Engine): Promise<void> {
    this.#engine = engine;
    const { me, logger } = this.#options;
    this.#listener = await listenForReplicas({
      ...{ ...parseReplicaAddress(me.address), secret: this.#secret },
      ...{ app, logger, gate: this.#gate },
      received: {
        look: () => void this.#membership.look(),
        prepare: () => this.#prepare(),
        release: () => this.#engine?.releasePolls(),
      },
    });
    this.#writer = await this.#table.join();
    this.#membership.begin();
    await this.#gate.place(Number.POSITIVE_INFINITY);
  }

  /** Hands over what it owns. Requests that come meanwhile wait, and are then forwarded. */
  async leave(): Promise<void> {
    this.#isLeaving = true;
    this.#forwarder.isLeaving = true;
    const next = await this.#handOver().catch((error) => {
      this.#options.logger.error({ err: error }, 'The replica could not hand over.');
      return null;
    });
    if (next === null) this.#gate.end();
    else this.#gate.move(placeOf(next));
  }

  /** Resolves with the replica that is active then, if there is one. */
  async #handOver(): Promise<Member | null> {
    if (this.#writer === 0) return null;
    await this.#joining;
    await this.#table.beginLeaving();
    await this.#sendToAll();
    // The database may be away.
    this.#options.store.hasBegun();
    await this.#starting;
    if (this.isActive) {
      await this.#prepareSuccessor();
      await this.#becomeQuiet();
    }
    const next = await this.#successor();
    await this.#membership.end();
    this.#options.store.endWriting();
    await this.#table.leave(next?.replica ?? null);
    await this.#sendToAll();
    return next;
  }

  /** Ends polls that this replica forwarded. Call it when no further request comes. */
  async endForwarded(): Promise<void> {
    const place = this.#gate.isOpen && !this.isActive ? await this.#gate.place(0) : null;
    if (place !== null && place !== 'here') await this.#client.send(place.address, 'release');
  }

  async close(): Promise<void> {
    await this.#membership.end();
    this.#client.close();
    await this.#listener?.close();
    await this.#table.close();
  }

  async #becomeQuiet(): Promise<void> {
    const { bodiesMs, underWayMs } = CLUSTER_LIMITS;
    await until(() => !this.#gate.hasComingBodies, bodiesMs);
    this.#gate.move(null);
    this.#engine?.quiet();
    await until(() => this.#gate.isEmpty, underWayMs);
    await this.#engine?.stop();
  }

  /** The active replica, if this is another one; else one that answers now. The same one while the replicas are the same. */
  async #successor(): Promise<Member | null> {
    if (this.#active !== null && !this.#isMe(this.#active)) return this.#active;
    for (const other of this.#membership.others.filter(({ state }) => state === 'up')) {
      if (await this.#client.send(other.address, 'look')) return other;
    }
    return null;
  }

  /** Requests are answered here meanwhile. */
  async #prepareSuccessor(): Promise<void> {
    const next = await this.#successor();
    if (next !== null) await this.#client.send(next.address, 'prepare', CLUSTER_LIMITS.prepareMs);
  }

  /** A heartbeat comes first: it shows that the active replica leaves. */
  async #prepare(): Promise<void> {
    await this.#membership.look();
    if (this.#starting === null && !this.#isLeaving) await this.#engine?.prepare();
  }

  async #sendToAll(): Promise<void> {
    const { others } = this.#membership;
    await Promise.all(others.map(({ address }) => this.#client.send(address, 'look')));
  }

  #found({ owner, members }: Found): void {
    for (const member of members) this.#compare(member);
    const before = this.#active;
    this.#active = members.find(({ replica }) => replica === owner) ?? null;
    // Requests under way at a replica that leaves are answered there.
    const isOther = before !== null && before.replica !== owner;
    if (isOther && before.state === 'up') this.#forwarder.cut(before.address);
    if (this.#isLeaving) return;
    if (this.#active?.state === 'up' && !this.#isMe(this.#active)) this.#engine?.forgetPrepared();
    if (this.#active === null) this.#move(null);
    else if (this.#isMe(this.#active)) {
      this.#starting ??= this.#begin();
      this.#gate.wakeAll();
    } else if (this.#doubted.has(this.#active.address)) void this.#ask(this.#active);
    else this.#move(this.#active);
  }

  #compare({ replica, address, configuration }: Member): void {
    const { me, logger } = this.#options;
    if (this.#compared.has(replica)) return;
    this.#compared.add(replica);
    const [[key, settings], [ownKey, ownSettings]] = [configuration, me.configuration].map((text) =>
      text.split(' '),
    ) as [string[], string[]];
    if (key !== ownKey) logger.warn({ address }, OTHER_KEY);
    if (settings !== ownSettings) logger.warn({ address }, OTHER_SETTINGS);
  }

  async #ask(active: Member): Promise<void> {
    if (!(await this.#client.send(active.address, 'look'))) return;
    this.#doubted.delete(active.address);
    if (this.#active?.replica === active.replica && !this.#isLeaving) this.#move(active);
  }

  #move(active: Member | null): void {
    if (active === null) this.#awaySinceMs ??= performance.now();
    else this.#awaySinceMs = null;
    this.#gate.move(active === null ? null : placeOf(active));
  }

  #doubt(address: string): void {
    this.#doubted.add(address);
    if (this.#active?.address === address && !this.isActive) this.#move(null);
  }

  #isMe({ replica }: Member): boolean {
    return replica === this.#options.me.replica;
  }

  async #begin(): Promise<void> {
    const { logger, store, fail } = this.#options;
    this.#move(null);
    const beganAtMs = performance.now();
    // Their requests wait here from now on.
    void this.#sendToAll();
    try {
      store.beginWriting(this.#writer);
      await this.#engine?.start();
      store.hasBegun();
    } catch (error) {
      fail(error instanceof Error ? error : new Error(String(error)));
      return;
    }
    this.#awaySinceMs = null;
    this.#gate.move('here');
    const ms = Math.round(performance.now() - beganAtMs);
    logger.info({ ms }, 'This replica is the active one.');
  }

  /** Others have taken over what an active replica owned. A waiting one owned nothing. */
  #lost(): void {
    if (this.#isLeaving) return;
    if (this.#starting === null) this.#joining ??= this.#joinAgain();
    else this.#options.fail(new Error('The other replicas count this one as dead.'));
  }

  async #joinAgain(): Promise<void> {
    const { logger } = this.#options;
    try {
      this.#writer = await this.#table.join();
      logger.warn(
        'The other replicas counted this one as dead. It was waiting, and has come back.',
      );
    } catch (error) {
      logger.warn({ err: error }, 'The replica could not come back. It tries again.');
    }
    this.#joining = null;
  }

  #look(): CheckOutcome {
    const { readyMs, patienceMs } = CLUSTER_LIMITS;
    const problem = (what: string, advice: string) => ({ problem: { what, advice } });
    if (this.#isLeaving) return problem('The replica leaves.', 'Use another replica.');
    if (this.#membership.silentMs > readyMs) {
      return problem('The last heartbeat of the replica is too old.', LOOK_AT_DATABASE);
    }
    const awayMs = this.#awaySinceMs === null ? 0 : performance.now() - this.#awaySinceMs;
    if (awayMs > patienceMs) return problem('No replica is active.', LOOK_AT_LOG);
    return { problem: null };
  }
}

const placeOf = ({ address }: Member) => ({ address });

const OTHER_KEY =
  'Another replica has another key, so it refuses tokens of this one. Copy the folder keys and admin.token of one data directory to all replicas.';
const OTHER_SETTINGS =
  'Another replica has other settings. Give all replicas the same ones, but for addresses and folders.';
const LOOK_AT_LOG = 'Look at the logs of all replicas, and whether they reach each other.';
const LOOK_AT_DATABASE = 'Look whether the database answers, and at the log of the server.';

async function until(isTrue: () => boolean, withinMs: number): Promise<void> {
  const endMs = performance.now() + withinMs;
  while (!isTrue() && performance.now() < endMs) await pause(CLUSTER_LIMITS.lookMs);
}
