/** Keeps an agent running in one place: whatever ends it, the next one registers as a new agent. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type Child, launchChild } from '../../support/child.ts';
import type { FaultProxy } from './fault-proxy.ts';
import type { AgentRecord, Happenings } from './happenings.ts';

/** In the environment of an agent and of all that its commands start. */
export const AGENT_VARIABLE = 'TUTTI_CHAOS_AGENT';
const BACK_MS = 100;

export interface AgentKeeperOptions {
  readonly slot: number;
  readonly tags: readonly string[];
  readonly folder: string;
  readonly proxy: FaultProxy;
  readonly token: string;
  readonly happenings: Happenings;
}

export class AgentKeeper {
  readonly proxy: FaultProxy;
  readonly #options: AgentKeeperOptions;
  #child: Child | null = null;
  #record: AgentRecord | null = null;
  #number = 0;
  #isOver = false;
  #backMs = BACK_MS;
  readonly #expected = new WeakSet<Child>();
  #keeping: Promise<void> = Promise.resolve();

  constructor(options: AgentKeeperOptions) {
    this.#options = options;
    this.proxy = options.proxy;
  }

  /** Resolves when it has registered. */
  async start(): Promise<void> {
    this.#keeping = this.#keep();
    while (this.#child === null) await pause(5);
    await this.#child.whenReady;
  }

  get pid(): number | null {
    return this.#child?.isRunning === true ? this.#child.pid : null;
  }

  get record(): AgentRecord | null {
    return this.#record;
  }

  async kill(backMs = BACK_MS): Promise<void> {
    const [child, record] = [this.#child, this.#record];
    if (child === null || record === null || !child.isRunning) return;
    this.#options.happenings.count('kills of agents');
    record.killedAtMs = Date.now();
    await this.#end(child, 'SIGKILL', backMs);
  }

  /** Ends it in order; the next one starts. */
  async stop(): Promise<void> {
    const [child, record] = [this.#child, this.#record];
    if (child === null || record === null || !child.isRunning) return;
    this.#options.happenings.count('stops of agents');
    record.hasStopped = true;
    await this.#end(child, 'SIGTERM', BACK_MS);
  }

  async close(): Promise<void> {
    this.#isOver = true;
    if (this.#child !== null) await this.#end(this.#child, 'SIGTERM', 0);
    await this.#keeping;
  }

  async destroy(): Promise<void> {
    this.#isOver = true;
    await this.#child?.kill('SIGKILL');
    await this.#keeping;
  }

  async #end(child: Child, signal: 'SIGKILL' | 'SIGTERM', backMs: number): Promise<void> {
    this.#expected.add(child);
    this.#backMs = backMs;
    await child.kill(signal);
  }

  async #keep(): Promise<void> {
    while (!this.#isOver) {
      const child = await this.#launch();
      const { code, signal } = await child.whenGone;
      const how = `${signal ?? code}: ${child.stderr.trim().slice(-1_500)}`;
      this.#options.happenings.note(`agent ${this.#record?.name} ended (${how})`);
      if (!this.#expected.has(child) && !this.#isOver) {
        this.#options.happenings.violation(`Agent ${this.#record?.name} ended by itself (${how})`);
      }
      await pause(this.#backMs);
      this.#backMs = BACK_MS;
    }
  }

  async #launch(): Promise<Child> {
    const { slot, folder, tags, token, happenings } = this.#options;
    this.#number += 1;
    const name = `a${slot}.${this.#number}`;
    const workspaceDir = join(folder, name);
    await mkdir(workspaceDir, { recursive: true });
    this.#record = { name, workspaceDir, outages: [], killedAtMs: null, hasStopped: false };
    happenings.agents.set(name, this.#record);
    const options = { server: this.proxy.url, token, tags, name, workspaceDir };
    this.#child = launchChild('agent-process.ts', options, {
      environment: { [AGENT_VARIABLE]: name },
    });
    this.#child.whenReady.then(
      (id) => happenings.agentNames.set(id, name),
      () => undefined,
    );
    return this.#child;
  }
}
