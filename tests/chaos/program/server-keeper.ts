/** Keeps a server running as a supervisor does: whatever ends it, it is started again. */
import { setTimeout as pause } from 'node:timers/promises';
import { type Api, createApi } from '../../support/api.ts';
import { type Child, type End, launchChild } from '../../support/child.ts';
import { eventually } from '../../support/eventually.ts';
import type { Disk } from './disk.ts';
import type { Happenings, ServerRecord } from './happenings.ts';

/**
 * How long an agent may be away, in seconds: short, so that what died with an agent is over soon, and longer than the five that an
 * agent may pause between two attempts to connect.
 */
export const GRACE_SECONDS = 6;
/** Between the end of a server and its next start, if nothing else is said. */
const BACK_MS = 50;
const CLOCK = new URL('./clock-shift.js', import.meta.url).href;
/** After the last byte that was too much, a server may still end of it, in milliseconds. */
const DISK_AFTERMATH_MS = 3_000;

export interface ServerKeeperOptions {
  readonly port: number;
  readonly dataDir: string;
  readonly disk: Disk;
  readonly happenings: Happenings;
  /** Read when the first server is up. */
  readonly readToken: () => Promise<string>;
}

export class ServerKeeper {
  readonly #options: ServerKeeperOptions;
  readonly #expected = new WeakSet<Child>();
  #child: Child | null = null;
  #isUp = false;
  #isOver = false;
  #backMs = BACK_MS;
  #clockOffsetMs = 0;
  #diskTroubleUntilMs = 0;
  #keeping: Promise<void> = Promise.resolve();
  #api: Api | null = null;

  constructor(options: ServerKeeperOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    this.#keeping = this.#keep();
    await this.whenUp();
    const token = await this.#options.readToken();
    this.#api = createApi(`http://127.0.0.1:${this.#options.port}`, token);
  }

  /** Requests past all proxies. */
  get api(): Api {
    if (this.#api === null) throw new Error('The server was not started.');
    return this.#api;
  }

  get pid(): number | null {
    return this.#child?.pid ?? null;
  }

  get isUp(): boolean {
    return this.#isUp;
  }

  whenUp(): Promise<true> {
    return eventually('a server that is up', () => this.#isUp, { withinMs: 60_000 });
  }

  /** Kills what runs, also if it is only starting; the next one starts after this time. */
  async kill(backMs = BACK_MS): Promise<void> {
    const child = this.#child;
    if (child === null || !child.isRunning) return;
    const { happenings } = this.#options;
    happenings.count('kills of the server');
    if (!this.#isUp) happenings.count('kills of the server while it started');
    await this.#end(child, 'SIGKILL', backMs);
  }

  /** Ends it in order; it is started again. */
  async stop(): Promise<void> {
    const child = this.#child;
    if (child === null || !child.isRunning) return;
    this.#options.happenings.count('stops of the server');
    await this.#end(child, 'SIGTERM', BACK_MS);
  }

  /** From its next start on, its clock is so far from the true time. */
  setClock(offsetMs: number): void {
    this.#clockOffsetMs = offsetMs;
  }

  /** Until this time, and a moment longer, the server may end because of its disk. */
  expectDiskTrouble(untilMs: number): void {
    this.#diskTroubleUntilMs = Math.max(this.#diskTroubleUntilMs, untilMs);
  }

  /** Ends it in order, for good. */
  async close(): Promise<void> {
    this.#isOver = true;
    const child = this.#child;
    if (child !== null) await this.#end(child, 'SIGTERM', 0);
    await this.#keeping;
  }

  /** At once, whatever it does. */
  async destroy(): Promise<void> {
    this.#isOver = true;
    if (this.#child !== null) await this.#end(this.#child, 'SIGKILL', 0);
    await this.#keeping;
  }

  async #end(child: Child, signal: 'SIGKILL' | 'SIGTERM', backMs: number): Promise<void> {
    this.#expected.add(child);
    this.#backMs = backMs;
    await child.kill(signal);
  }

  async #keep(): Promise<void> {
    while (!this.#isOver) {
      const child = this.#launch();
      const record: ServerRecord = {
        fromMs: Date.now(),
        toMs: Number.POSITIVE_INFINITY,
        clockOffsetMs: this.#clockOffsetMs,
      };
      this.#options.happenings.servers.push(record);
      this.#child = child;
      this.#isUp = await child.whenReady.then(
        () => true,
        () => false,
      );
      if (this.#isUp) this.#options.happenings.note(`server ${child.pid} is up`);
      const end = await child.whenGone;
      this.#isUp = false;
      record.toMs = Date.now();
      this.#judge(child, end);
      await pause(this.#backMs);
      this.#backMs = BACK_MS;
    }
  }

  #launch(): Child {
    const { port, dataDir, disk } = this.#options;
    const config = {
      ...{ port, dataDir, logLevel: 'warn' },
      agents: { disconnectGraceSeconds: GRACE_SECONDS },
    };
    const environment = {
      ...disk.environment,
      TUTTI_CHAOS_CLOCK_MS: String(this.#clockOffsetMs),
    };
    return launchChild('server-process.ts', config, {
      nodeOptions: ['--import', CLOCK],
      environment,
    });
  }

  #judge(child: Child, { code, signal }: End): void {
    const { happenings } = this.#options;
    const how = `${signal ?? code}: ${child.stderr.trim().slice(-1_500)}`;
    happenings.note(`server ${child.pid} ended (${how})`);
    if (this.#expected.has(child)) {
      const isWrong = signal === null && code !== 0;
      if (isWrong && !this.#hasDiskTrouble) happenings.violation(`A stop of the server: ${how}`);
      return;
    }
    if (this.#hasDiskTrouble) {
      happenings.count('ends of the server because of its disk');
      return;
    }
    happenings.violation(`The server ended by itself (${how})`);
  }

  get #hasDiskTrouble(): boolean {
    return Date.now() <= this.#diskTroubleUntilMs + DISK_AFTERMATH_MS;
  }
}
