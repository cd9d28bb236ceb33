/** Keeps a server running as a supervisor does: whatever ends it, it is started again. */
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type Api, createApi } from '../../support/api.ts';
import { type Child, type End, launchChild } from '../../support/child.ts';
import { eventually } from '../../support/eventually.ts';
import type { Disk } from './disk.ts';
import type { Happenings, ServerRecord } from './happenings.ts';
import { ProcessKeeper } from './process-keeper.ts';

/**
 * Absence of an agent that the server allows, in seconds. It is short, so that jobs of dead agents end soon. It exceeds the five that an
 * agent may pause between two attempts to connect.
 */
export const GRACE_SECONDS = 6;
/** Silence after which an existing agent has lost its first command. Nobody can find out sooner. */
export const MUTE_SECONDS = 20;
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
  /** Tells servers how far their clock is from the true time, in milliseconds. Beside it they tell which of it they saw while they ran. */
  readonly clockFile: string;
  /** Instead of `GRACE_SECONDS`. */
  readonly graceSeconds?: number;
  /** More of the configuration, and of the environment. */
  readonly config?: object;
  readonly environment?: Readonly<Record<string, string>>;
  /** Modules that are loaded before the server. */
  readonly preloads?: readonly string[];
  /** Whether a server that said this may have ended itself. */
  readonly mayEnd?: (stderr: string) => boolean;
  /** Read when the first server is up. */
  readonly readToken: () => Promise<string>;
}

export class ServerKeeper {
  readonly #options: ServerKeeperOptions;
  readonly #keeper: ProcessKeeper<Child>;
  #isUp = false;
  #clockOffsetMs = 0;
  #diskTroubleUntilMs = 0;
  #record: ServerRecord | null = null;
  #api: Api | null = null;

  constructor(options: ServerKeeperOptions) {
    this.#options = options;
    this.#keeper = new ProcessKeeper({
      launch: () => this.#launch(),
      ready: (child) => this.#ready(child),
      ended: (child, end, isExpected) => this.#ended(child, end, isExpected),
      backMs: BACK_MS,
    });
  }

  async start(): Promise<void> {
    this.setClock(0);
    await this.#keeper.start();
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
    return this.#keeper.running?.pid ?? null;
  }

  get isUp(): boolean {
    return this.#isUp;
  }

  /** Absence of an agent that the server allows, in milliseconds. */
  get graceMs(): number {
    return (this.#options.graceSeconds ?? GRACE_SECONDS) * 1_000;
  }

  whenUp(): Promise<true> {
    return eventually('a server that is up', () => this.#isUp, { withinMs: 60_000 });
  }

  /** Kills what runs, also if it is only starting; the next one starts after this time. */
  async kill(backMs = BACK_MS): Promise<void> {
    const child = this.#keeper.running;
    if (child === null) return;
    const { happenings } = this.#options;
    happenings.count('kills of the server');
    if (!this.#isUp) happenings.count('kills of the server while it started');
    await this.#keeper.end(child, 'SIGKILL', backMs);
  }

  /** Ends it in order; it is started again. */
  async stop(): Promise<void> {
    const child = this.#keeper.running;
    if (child === null) return;
    this.#options.happenings.count('stops of the server');
    await this.#keeper.end(child, 'SIGTERM');
  }

  /** The distance of the clock from the true time. It holds for this server from now on, for the next one from its start on. */
  setClock(offsetMs: number): void {
    this.#clockOffsetMs = offsetMs;
    this.#record?.clocks.push({ fromMs: Date.now(), offsetMs });
    writeFileSync(this.#options.clockFile, String(offsetMs));
    appendFileSync(seenFile(this.#options.clockFile), '');
  }

  /** Number of changes of its clock that a server saw while it ran. */
  get clockJumpsSeen(): number {
    return readFileSync(seenFile(this.#options.clockFile), 'utf8').split('\n').length - 1;
  }

  /** Until this time, and a moment longer, the server may end because of its disk. */
  expectDiskTrouble(untilMs: number): void {
    this.#diskTroubleUntilMs = Math.max(this.#diskTroubleUntilMs, untilMs);
  }

  async checkIntegrity(): Promise<void> {
    const { dataDir, happenings } = this.#options;
    const database = new DatabaseSync(join(dataDir, 'store', 'tutti.db'), { readOnly: true });
    try {
      const actual = JSON.stringify(database.prepare('PRAGMA integrity_check').all());
      if (actual !== '[{"integrity_check":"ok"}]') happenings.violation(`The database: ${actual}`);
      const foreign = database.prepare('PRAGMA foreign_key_check').all();
      if (foreign.length > 0) happenings.violation(`Foreign keys: ${JSON.stringify(foreign)}`);
    } finally {
      database.close();
    }
  }

  /** Ends it in order, for good. */
  close(): Promise<void> {
    return this.#keeper.finish('SIGTERM');
  }

  /** At once, whatever it does. */
  destroy(): Promise<void> {
    return this.#keeper.finish('SIGKILL');
  }

  #ready(child: Child): void {
    if (!child.isRunning) return;
    this.#isUp = true;
    this.#options.happenings.note(`server ${child.pid} is up`);
  }

  #ended(child: Child, end: End, isExpected: boolean): void {
    this.#isUp = false;
    if (this.#record !== null) this.#record.toMs = Date.now();
    this.#judge(child, end, isExpected);
  }

  #launch(): Child {
    const { port, dataDir, disk, clockFile, happenings, environment } = this.#options;
    const { preloads = [] } = this.#options;
    const config = {
      ...{ port, dataDir, logLevel: 'warn', ...this.#options.config },
      agents: {
        disconnectGraceSeconds: this.graceMs / 1_000,
        absenceSeconds: this.graceMs / 1_000,
        synchronousLivenessSeconds: MUTE_SECONDS,
      },
    };
    const offsetMs = this.#clockOffsetMs;
    const fromMs = Date.now();
    this.#record = { fromMs, toMs: Number.POSITIVE_INFINITY, clocks: [{ fromMs, offsetMs }] };
    happenings.servers.push(this.#record);
    return launchChild('server-process.ts', config, {
      nodeOptions: [CLOCK, ...preloads].flatMap((each) => ['--import', each]),
      environment: {
        ...disk.environment,
        ...environment,
        TUTTI_CHAOS_CLOCK: clockFile,
        TUTTI_CHAOS_CLOCK_MS: String(offsetMs),
      },
    });
  }

  #judge(child: Child, { code, signal }: End, isExpected: boolean): void {
    const { happenings } = this.#options;
    const { mayEnd = () => false } = this.#options;
    const how = `${signal ?? code}: ${child.stderr.trim().slice(-1_500)}`;
    happenings.note(`server ${child.pid} ended (${how})`);
    if (mayEnd(child.stderr)) happenings.count('replicas that found that they count as dead');
    else if (isExpected) {
      const isWrong = signal === null && code !== 0;
      if (isWrong && !this.#hasDiskTrouble) happenings.violation(`A stop of the server: ${how}`);
    } else if (this.#hasDiskTrouble) happenings.count('ends of the server because of its disk');
    else happenings.violation(`The server ended by itself (${how})`);
  }

  get #hasDiskTrouble(): boolean {
    return Date.now() <= this.#diskTroubleUntilMs + DISK_AFTERMATH_MS;
  }
}

const seenFile = (clockFile: string): string => `${clockFile}.seen`;
