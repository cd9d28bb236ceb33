/** Two PostgreSQL servers: one takes writes, the other is its synchronous standby. A failover exchanges the two. */
import { eventually } from '../../support/eventually.ts';
import { freePort } from '../../support/free-port.ts';
import { PostgresServer } from '../../support/postgres-server.ts';

const SETTINGS = [
  'track_commit_timestamp=on',
  'max_connections=200',
  // A standby that is made, or was away, finds all that it lacks.
  'wal_keep_size=256MB',
  'wal_retrieve_retry_interval=100ms',
];

export class DatabasePair {
  #primary: PostgresServer;
  #standby: PostgresServer;
  /** Restarts and failovers come one after the other. */
  #work: Promise<void> = Promise.resolve();
  #isOver = false;
  /** When the database took writes again. */
  readonly returnsAtMs: number[] = [];

  private constructor(primary: PostgresServer, standby: PostgresServer) {
    this.#primary = primary;
    this.#standby = standby;
  }

  static async start(programs: string): Promise<DatabasePair> {
    const primary = await PostgresServer.start(programs);
    await primary.stop();
    await primary.start(SETTINGS);
    return new DatabasePair(primary, await standbyOf(primary, await freePort()));
  }

  /** Ports of both servers, which stay the same. */
  get ports(): readonly number[] {
    return [this.#primary.port, this.#standby.port];
  }

  /** The server that takes writes ends, and starts again. */
  restart(how: 'stop' | 'kill'): Promise<void> {
    return this.#after(async () => {
      await this.#primary[how]();
      await this.#primary.start(SETTINGS);
      this.returnsAtMs.push(Date.now());
    });
  }

  /** The server that takes writes is gone for good. Its standby takes them, and gets a standby of its own. */
  failOver(): Promise<void> {
    return this.#after(async () => {
      const [lost, promoted] = [this.#primary, this.#standby];
      await lost.kill();
      await promoted.promote();
      this.returnsAtMs.push(Date.now());
      this.#primary = promoted;
      await lost.remove();
      this.#standby = await standbyOf(promoted, lost.port);
    });
  }

  #after(act: () => Promise<void>): Promise<void> {
    this.#work = this.#work.then(() => (this.#isOver ? undefined : act()));
    return this.#work;
  }

  /** Resolves when no restart and no failover is under way. */
  async settled(): Promise<void> {
    await this.#work;
  }

  createDatabase(): Promise<string> {
    return this.#primary.createDatabase();
  }

  query(database: string, text: string): Promise<readonly Record<string, unknown>[]> {
    return this.#primary.query(database, text);
  }

  async remove(): Promise<void> {
    this.#isOver = true;
    await this.#work.catch(() => undefined);
    await this.#primary.remove();
    await this.#standby.remove();
  }
}

/** Resolves when the primary waits for it with each commit. */
async function standbyOf(primary: PostgresServer, port: number): Promise<PostgresServer> {
  const standby = await primary.createStandby({ port, settings: SETTINGS });
  await eventually('the standby', async () => {
    const found = await primary.query('postgres', 'SELECT state FROM pg_stat_replication');
    return found.some(({ state }) => state === 'streaming');
  });
  // Not before: nothing can be committed without a standby then. The standby was copied without it.
  await primary.query('postgres', `ALTER SYSTEM SET synchronous_standby_names = '*'`);
  await primary.query('postgres', 'SELECT pg_reload_conf()');
  return standby;
}
