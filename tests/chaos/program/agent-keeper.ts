/** Keeps an agent running in one place: whatever ends it, the next one registers as a new agent. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { End } from '../../support/child.ts';
import type { FaultProxy } from './fault-proxy.ts';
import type { AgentRecord, Happenings } from './happenings.ts';
import { type KeptProcess, ProcessKeeper } from './process-keeper.ts';

/** In the environment of an agent and of all that its commands start. */
export const AGENT_VARIABLE = 'TUTTI_CHAOS_AGENT';
const BACK_MS = 100;

/** Arguments for one process of an agent. */
export interface AgentPlace {
  readonly name: string;
  readonly workspaceDir: string;
  /** URL of its proxy. */
  readonly url: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** One of our own agents, or one of others. */
export interface AgentProgram {
  readonly isExisting: boolean;
  /** The names under which a process of this name registers. */
  readonly registeredAs: (name: string) => readonly string[];
  /** Signal that stops it in order. */
  readonly stopSignal: NodeJS.Signals;
  readonly launch: (place: AgentPlace) => KeptProcess;
}

export interface AgentKeeperOptions {
  readonly slot: number;
  readonly folder: string;
  readonly proxy: FaultProxy;
  readonly program: AgentProgram;
  readonly happenings: Happenings;
}

export class AgentKeeper {
  readonly proxy: FaultProxy;
  readonly #options: AgentKeeperOptions;
  readonly #keeper: ProcessKeeper<KeptProcess>;
  #record: AgentRecord | null = null;
  #number = 0;

  constructor(options: AgentKeeperOptions) {
    this.#options = options;
    this.proxy = options.proxy;
    this.#keeper = new ProcessKeeper({
      launch: () => this.#launch(),
      ready: (_, ids) => {
        for (const id of ids.split(','))
          if (this.#record !== null) options.happenings.agentsById.set(id, this.#record);
      },
      ended: (kept, end, isExpected) => this.#judge(kept, end, isExpected),
      backMs: BACK_MS,
    });
  }

  /** Resolves when it is ready, if it tells. */
  async start(): Promise<void> {
    const first = await this.#keeper.start();
    if (!this.isExisting) await first.whenReady;
  }

  get isExisting(): boolean {
    return this.#options.program.isExisting;
  }

  get pid(): number | null {
    return this.#keeper.running?.pid ?? null;
  }

  get record(): AgentRecord | null {
    return this.#record;
  }

  async kill(backMs = BACK_MS): Promise<void> {
    const [kept, record] = [this.#keeper.running, this.#record];
    if (kept === null || record === null) return;
    this.#options.happenings.count(`kills of ${this.#what}`);
    record.killedAtMs = Date.now();
    await this.#keeper.end(kept, 'SIGKILL', backMs);
  }

  /** Ends it in order; the next one starts. */
  async stop(): Promise<void> {
    const [kept, record] = [this.#keeper.running, this.#record];
    if (kept === null || record === null) return;
    this.#options.happenings.count(`stops of ${this.#what}`);
    record.hasStopped = true;
    await this.#keeper.end(kept, this.#options.program.stopSignal);
  }

  close(): Promise<void> {
    return this.#keeper.finish(this.#options.program.stopSignal);
  }

  destroy(): Promise<void> {
    return this.#keeper.finish('SIGKILL');
  }

  get #what(): string {
    return this.isExisting ? 'existing agents' : 'agents';
  }

  /** An existing one gives up when its registration is refused, as by a disk that is full. */
  #judge(kept: KeptProcess, { code, signal }: End, isExpected: boolean): void {
    const { happenings } = this.#options;
    const how = `${signal ?? code}: ${kept.stderr.trim().slice(-1_500)}`;
    happenings.note(`agent ${this.#record?.name} ended (${how})`);
    if (isExpected) return;
    if (this.isExisting) {
      happenings.count('existing agents that gave up');
      if (this.#record !== null) this.#record.killedAtMs = Date.now();
    } else happenings.violation(`Agent ${this.#record?.name} ended by itself (${how})`);
  }

  async #launch(): Promise<KeptProcess> {
    const { slot, folder, happenings, proxy, program } = this.#options;
    this.#number += 1;
    const name = `a${slot}.${this.#number}`;
    const workspaceDir = join(folder, name);
    await mkdir(workspaceDir, { recursive: true });
    this.#record = {
      ...{ name, workspaceDir, outages: [], killedAtMs: null, hasStopped: false },
      isExisting: this.isExisting,
      registeredAs: program.registeredAs(name),
      cutsAtMs: proxy.cutsAtMs,
    };
    happenings.agents.set(name, this.#record);
    const environment = { [AGENT_VARIABLE]: name };
    return program.launch({ name, workspaceDir, url: proxy.url, environment });
  }
}
