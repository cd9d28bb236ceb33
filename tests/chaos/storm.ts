/** A server and its agents, killed again and again at instants that nobody chose, while workflows go on being started. */
import { setTimeout as pause } from 'node:timers/promises';
import { bodyOf } from '../support/api.ts';
import type { Random } from '../support/random.ts';
import { type Manifest, startedId } from '../support/runs.ts';
import type { ServerChild, Workbench } from '../support/workbench.ts';
import { ExistingWorker } from './existing-worker.ts';

/**
 * Absence of an agent that the server allows. It is shorter than the default, so that jobs of dead agents end soon. It exceeds the five
 * seconds between two attempts of an agent to connect. So no agent is lost because of its server.
 */
export const GRACE_SECONDS = 6;
/** Two of one process, and two alone. */
const OWN = [
  { tags: ['linux', 'red'], slots: 2 },
  { tags: ['linux', 'blue'], slots: 1 },
  { tags: ['linux', 'blue'], slots: 1 },
] as const;
/** Agents of both existing generations; see `ExistingWorker`. */
const EXISTING = [
  { tags: ['linux', 'red'], version: '2.0' },
  { tags: ['linux', 'blue'], version: null },
] as const;
/** Time between the moment when all is up and the next kill, in milliseconds. */
const CALM_MS = { min: 0, max: 700 } as const;
/** Time between two submissions, in milliseconds: about what the agents can do between their deaths. */
const SUBMISSION_MS = { min: 200, max: 900 } as const;

export interface StormReport {
  /** Ids of runs that the server said it accepted. */
  readonly accepted: readonly string[];
  /** When each agent that was killed was, in epoch milliseconds, by its id. */
  readonly killedAgents: ReadonlyMap<string, number>;
  /** When the server was killed, in epoch milliseconds. */
  readonly serverKills: readonly number[];
  /** Ids of all existing agents there were. */
  readonly existingAgents: ReadonlySet<string>;
  readonly kills: number;
}

interface StormOptions {
  readonly bench: Workbench;
  readonly random: Random;
  readonly kills: number;
  readonly workflow: (index: number) => Manifest;
}

interface Agent {
  /** One for each slot. */
  readonly ids: readonly string[];
  kill(): Promise<void>;
}

export class Storm {
  readonly #options: StormOptions;
  readonly #accepted: string[] = [];
  readonly #killedAgents = new Map<string, number>();
  readonly #serverKills: number[] = [];
  readonly #existingAgents = new Set<string>();
  readonly #agents: Agent[] = [];
  #server: ServerChild;
  #kills = 0;

  private constructor(options: StormOptions, server: ServerChild) {
    this.#options = options;
    this.#server = server;
  }

  static async gather(options: StormOptions): Promise<Storm> {
    const storm = new Storm(options, await options.bench.server({ config: CONFIG }));
    for (let index = 0; index < AGENTS; index += 1) await storm.#startAgent(index);
    return storm;
  }

  get server(): ServerChild {
    return this.#server;
  }

  /** Resolves when everything was killed as often as asked, and all of it is up again. */
  async rage(): Promise<StormReport> {
    const calm = new AbortController();
    const submitting = this.#submit(calm.signal);
    try {
      while (this.#kills < this.#options.kills) {
        await pause(this.#options.random.between(CALM_MS.min, CALM_MS.max));
        await this.#strike();
      }
    } finally {
      calm.abort();
      await submitting;
    }
    return {
      accepted: this.#accepted,
      killedAgents: this.#killedAgents,
      serverKills: this.#serverKills,
      existingAgents: this.#existingAgents,
      kills: this.#kills,
    };
  }

  /** Kills the agents whose processes do not end with the test. */
  async end(): Promise<void> {
    await Promise.all(this.#agents.slice(OWN.length).map((agent) => agent.kill()));
  }

  async #strike(): Promise<void> {
    const { random } = this.#options;
    const victim = random.between(0, AGENTS - 1);
    const what = random.pick([
      'server',
      'server',
      'agent',
      'agent',
      'both',
      'server twice',
    ] as const);
    const killsAgent = what === 'agent' || what === 'both';
    await Promise.all([
      killsAgent ? this.#killAgent(victim) : null,
      what === 'agent' ? null : this.#killServer(),
    ]);
    if (what === 'server twice') await this.#killStartingServer();
    if (what !== 'agent') await this.#restartServer();
    if (killsAgent) await this.#startAgent(victim);
  }

  async #startAgent(index: number): Promise<void> {
    const { bench } = this.#options;
    const name = `agent${index}`;
    const existing = EXISTING[index - OWN.length];
    if (existing === undefined) {
      const { id, child } = await bench.agent(this.#server, { ...(OWN[index] ?? OWN[0]), name });
      this.#agents[index] = { ids: id.split(','), kill: () => child.kill('SIGKILL') };
      return;
    }
    const registered = (id: string) => void this.#existingAgents.add(id);
    const options = { ...existing, name, folder: bench.path(name), registered };
    this.#agents[index] = await ExistingWorker.start(this.#server, options);
  }

  async #killAgent(index: number): Promise<void> {
    const agent = this.#agents[index];
    if (agent === undefined) return;
    this.#kills += 1;
    for (const id of agent.ids) this.#killedAgents.set(id, Date.now());
    await agent.kill();
  }

  async #killServer(): Promise<void> {
    this.#kills += 1;
    this.#serverKills.push(Date.now());
    await this.#server.child.kill('SIGKILL');
  }

  /** In the middle of its start, while it restores what it knew. */
  async #killStartingServer(): Promise<void> {
    const { bench, random } = this.#options;
    const { child } = bench.launchServer(this.#again());
    await pause(random.between(100, 500));
    this.#kills += 1;
    this.#serverKills.push(Date.now());
    await child.kill('SIGKILL');
  }

  async #restartServer(): Promise<void> {
    this.#server = await this.#options.bench.server(this.#again());
  }

  #again() {
    const { url, dataDir } = this.#server;
    return { config: CONFIG, dataDir, port: Number(new URL(url).port) };
  }

  async #submit(calm: AbortSignal): Promise<void> {
    const { random, workflow } = this.#options;
    for (let index = 0; !calm.aborted; index += 1) {
      await this.#submitOne(workflow(index));
      await pause(random.between(SUBMISSION_MS.min, SUBMISSION_MS.max));
    }
  }

  /** Counts a run once the server has accepted it. A request without an answer proves nothing. */
  async #submitOne(body: Manifest): Promise<void> {
    const answer = await this.#server.call('POST', '/workflows', { body }).catch(() => null);
    if (answer === null) return;
    if (answer.code !== 201) throw new Error(`Refused: ${JSON.stringify(bodyOf(answer))}`);
    this.#accepted.push(startedId(answer));
  }
}

const AGENTS = OWN.length + EXISTING.length;

const CONFIG = {
  agents: {
    disconnectGraceSeconds: GRACE_SECONDS,
    absenceSeconds: GRACE_SECONDS,
    // Nobody can find out sooner that an agent lost its first command.
    synchronousLivenessSeconds: 20,
  },
} as const;
