/** Several agents in one process, the slots. Each has its own registration, directories and job; all share connections and one poll. */
import path from 'node:path';
import { AGENT_LIMITS, OrchestratorError } from '@tutti/manifests';
import { Agent, cgroupFor, type StopOptions } from './agent.ts';
import { type AgentOptions, type AgentSettings, resolveOptions } from './agent-options.ts';
import { createAgentPaths } from './connection/agent-paths.ts';
import { type Connection, createConnection } from './connection/http-connection.ts';
import type { OwnCgroup } from './jobs/own-cgroup.ts';
import { createProcessLender, type ProcessLender } from './processes/process-lender.ts';
import { SharedPoll } from './shared-poll.ts';

/** An agent, or the slots of one process as one. */
export type Offer = Pick<Agent, 'start' | 'stop' | 'kill' | 'closed'>;

/** Offers `count` environments. Throws `Invalid` for options that cannot work; does nothing else yet. */
export function createSlots(options: AgentOptions, count: number): Offer {
  const settings = resolveOptions(options);
  if (count === 1) return new Agent(settings);
  if (!Number.isInteger(count) || count < 1 || count > AGENT_LIMITS.polls) {
    throw new OrchestratorError('Invalid', `An agent has 1 to ${AGENT_LIMITS.polls} slots.`);
  }
  const numbers = Array.from({ length: count }, (_, index) => index + 1);
  const hasDirectories = options.workspaceDir !== undefined;
  const slots = numbers.map((number) => settingsOf(settings, number, hasDirectories));
  return new Slots(settings, slots);
}

/** In the directory for temporary files, the ids of jobs keep the slots apart, as for several agents. */
function settingsOf(
  settings: AgentSettings,
  number: number,
  hasDirectories: boolean,
): AgentSettings {
  const ownFolder = (folder: string) =>
    hasDirectories ? path.join(folder, `slot-${number}`) : folder;
  const { workspaceDir, scriptPath } = settings.folders;
  return {
    ...settings,
    name: `${settings.name}-${number}`,
    folders: { workspaceDir: ownFolder(workspaceDir), scriptPath: ownFolder(scriptPath) },
  };
}

/** Closed after the last slot. */
interface Parts {
  readonly connection: Connection;
  readonly lender: ProcessLender;
}

class Slots implements Offer {
  readonly closed: Promise<void>;
  readonly #agents: readonly Agent[];
  /** Undefined until it is entered. */
  #cgroup: OwnCgroup | null | undefined;

  constructor(settings: AgentSettings, slots: readonly AgentSettings[]) {
    const connection = createConnection(settings);
    const lender = createProcessLender();
    const poll = new SharedPoll(connection, createAgentPaths(settings.server));
    const cgroup = () => {
      if (this.#cgroup === undefined) this.#cgroup = cgroupFor(settings);
      return this.#cgroup;
    };
    this.#agents = slots.map(
      (slot) => new Agent({ ...slot, lender }, { connection, poll, cgroup }),
    );
    this.closed = this.#follow({ connection, lender });
    this.closed.catch(() => undefined);
  }

  async start(): Promise<void> {
    await Promise.all(this.#agents.map((agent) => agent.start()));
  }

  async stop(options?: StopOptions): Promise<void> {
    await Promise.all(this.#agents.map((agent) => agent.stop(options)));
  }

  kill(): void {
    for (const agent of this.#agents) agent.kill();
  }

  /** A refused slot ends the others: all have the same token. */
  async #follow({ connection, lender }: Parts): Promise<void> {
    try {
      await Promise.all(this.#agents.map(({ closed }) => closed));
    } finally {
      await this.stop();
      connection.close();
      lender.close();
      this.#cgroup?.leave();
    }
  }
}
