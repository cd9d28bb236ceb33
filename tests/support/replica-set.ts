/** Several servers of a test that share a database and a bucket, behind a balancer. */
import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Api, createApi } from './api.ts';
import { Balancer } from './balancer.ts';
import { eventually } from './eventually.ts';
import { freePort } from './free-port.ts';
import { S3_ENVIRONMENT } from './s3-server.ts';
import type { ServerChild, Workbench } from './workbench.ts';

/** A replica finds that its row is gone, or that its next batch is refused. */
export const COUNTED_DEAD = /count this one as dead|Another server has taken the database/;

interface Places {
  readonly store: string;
  readonly blobs: string;
}

export class ReplicaSet {
  readonly #bench: Workbench;
  readonly #places: Places;
  readonly #dataDirs: readonly string[];
  readonly #ports: readonly number[];
  readonly servers: (ServerChild | null)[];
  #balancer: Balancer | null = null;

  private constructor(
    bench: Workbench,
    places: Places,
    dataDirs: readonly string[],
    ports: readonly number[],
  ) {
    this.#bench = bench;
    this.#places = places;
    this.#dataDirs = dataDirs;
    this.#ports = ports;
    this.servers = dataDirs.map(() => null);
  }

  /** All of them are ready; the first one is active. */
  static async start(bench: Workbench, count: number, places: Places): Promise<ReplicaSet> {
    const dataDirs = Array.from({ length: count }, () => bench.path('replica'));
    const ports: number[] = [];
    for (const _ of dataDirs) ports.push(await freePort());
    const set = new ReplicaSet(bench, places, dataDirs, ports);
    const first = await set.startReplica(0);
    for (const dataDir of dataDirs.slice(1)) {
      mkdirSync(dataDir);
      for (const name of ['keys', 'admin.token']) {
        cpSync(join(first.dataDir, name), join(dataDir, name), { recursive: true });
      }
    }
    await Promise.all(dataDirs.slice(1).map((_, index) => set.startReplica(index + 1)));
    set.#balancer = await Balancer.start(ports, `Bearer ${first.token}`);
    return set;
  }

  /** The interface behind the balancer. */
  get api(): Api & { readonly token: string } {
    const [token = ''] = this.servers.flatMap((server) => server?.token ?? []);
    return { ...createApi(this.#balancer?.url ?? '', token), token };
  }

  replica(index: number): ServerChild {
    const server = this.servers[index];
    if (server === null || server === undefined) throw new Error(`Replica ${index} does not run.`);
    return server;
  }

  async startReplica(index: number): Promise<ServerChild> {
    const port = this.#ports[index] ?? 0;
    const server = await this.#bench.server({
      port,
      dataDir: this.#dataDirs[index] ?? '',
      environment: S3_ENVIRONMENT,
      config: { ...this.#places, cluster: { address: `127.0.0.1:${await freePort()}` } },
    });
    this.servers[index] = server;
    return server;
  }

  async endReplica(index: number, signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const { child } = this.replica(index);
    await child.kill(signal);
    this.servers[index] = null;
  }

  /** Starts those again that others count as dead without a fault, on a busy machine. Answers their number; throws if one ended for another reason. */
  async startEnded(): Promise<number> {
    let count = 0;
    for (const [index, server] of this.servers.entries()) {
      if (server === null || server.child.isRunning) continue;
      const { stderr } = server.child;
      if (!COUNTED_DEAD.test(stderr)) throw new Error(`Replica ${index} ended: ${stderr}`);
      await this.startReplica(index);
      count += 1;
    }
    return count;
  }

  /** The number of the replica that is active, once there is one. */
  async active(): Promise<number> {
    return await eventually('an active replica', async () => {
      for (const [index, server] of this.servers.entries()) {
        if (server === null) continue;
        const { text } = await server.call('GET', '/metrics').catch(() => ({ text: '' }));
        if (/^tutti_replica_active 1$/m.test(text)) return index;
      }
      return null;
    });
  }

  async close(): Promise<void> {
    await this.#balancer?.close();
  }
}
