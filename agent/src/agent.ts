/**
 * Our own agent: registers with a server, runs commands, and returns their output and files.
 *
 * created -> connecting -> registered -> stopping -> closed. A lost registration leads back to connecting. A refused token or
 * registration closes it with an error.
 */
import { describeError } from './agent-logger.ts';
import { type AgentOptions, type AgentSettings, resolveOptions } from './agent-options.ts';
import { createFolders, PASSABLE, removalsEnded } from './commands/command-files.ts';
import { type AgentPaths, createAgentPaths } from './connection/agent-paths.ts';
import { type Connection, createConnection } from './connection/http-connection.ts';
import { createReachability, type Reachability } from './connection/reachability.ts';
import { refuseUsers } from './jobs/job-users.ts';
import { enterOwnCgroup, type OwnCgroup, type SlotCgroup } from './jobs/own-cgroup.ts';
import { STOP_FINISH_MS } from './limits.ts';
import type { PollEnd } from './poll-loop.ts';
import { type Registered, register, tokenRefused } from './register.ts';
import { Session } from './session.ts';
import type { SharedPoll } from './shared-poll.ts';

export interface StopOptions {
  /** Time that a running command may continue before it is canceled; eight seconds if absent. */
  readonly finishWithinMs?: number;
}

/** An agent that was started. */
export type AgentHandle = Pick<Agent, 'agentId' | 'stop' | 'kill' | 'closed'>;

/** Throws `Invalid` for options that cannot work; does nothing else yet. */
export function createAgent(options: AgentOptions): Agent {
  return new Agent(resolveOptions(options));
}

/** Creates and starts an agent; resolves when it is registered. An unreachable server is waited for. */
export async function runAgent(options: AgentOptions): Promise<AgentHandle> {
  const agent = createAgent(options);
  await agent.start();
  return agent;
}

/** The parts of a process that all of its slots use. */
export interface SharedParts {
  readonly connection: Connection;
  readonly poll: SharedPoll;
  /** Enters it at the first call. */
  readonly cgroup: () => OwnCgroup | null;
}

export class Agent {
  /** Settles when the agent has ended; rejects with an OrchestratorError when the server refused it. */
  readonly closed: Promise<void>;
  readonly #settings: AgentSettings;
  /** Null for an agent that has its process for itself. */
  readonly #shared: SharedParts | null;
  readonly #paths: AgentPaths;
  readonly #reachability: Reachability;
  readonly #stopping = new AbortController();
  readonly #hurry = new AbortController();
  readonly #closing = Promise.withResolvers<void>();
  readonly #registered = Promise.withResolvers<void>();
  #finishWithinMs = STOP_FINISH_MS;
  #isStarted = false;
  #agentId: string | null = null;
  #session: Session | null = null;
  #cgroup: SlotCgroup | null = null;

  constructor(settings: AgentSettings, shared: SharedParts | null = null) {
    this.#settings = settings;
    this.#shared = shared;
    this.#paths = createAgentPaths(settings.server);
    this.#reachability = createReachability(settings.server, settings.logger);
    this.closed = this.#closing.promise;
    // Callers may ignore both.
    this.closed.catch(() => undefined);
    this.#registered.promise.catch(() => undefined);
  }

  /** The id of the current registration; null while there is none. */
  get agentId(): string | null {
    return this.#agentId;
  }

  /** Begins to connect; resolves at the first registration, or when stopped before. Rejects as `closed` does. Called once. */
  start(): Promise<void> {
    if (this.#isStarted) return this.#registered.promise;
    this.#isStarted = true;
    this.#live().then(
      () => {
        this.#registered.resolve();
        this.#closing.resolve();
      },
      (error: unknown) => {
        this.#registered.reject(error);
        this.#closing.reject(error);
      },
    );
    return this.#registered.promise;
  }

  /**
   * Lets the command that runs go on for a while, then cancels it, sends its result, takes the registration back. Called again,
   * it cancels at once. Resolves when nothing of the agent runs any more; never rejects.
   */
  async stop({ finishWithinMs = STOP_FINISH_MS }: StopOptions = {}): Promise<void> {
    if (this.#stopping.signal.aborted) this.#hurry.abort();
    this.#finishWithinMs = finishWithinMs;
    this.#stopping.abort();
    if (!this.#isStarted) await this.start();
    await this.closed.catch(() => undefined);
  }

  /** Ends the processes of commands at once, and tells nobody: for a process that is about to end. */
  kill(): void {
    this.#session?.kill();
  }

  async #live(): Promise<void> {
    const { folders, users } = this.#settings;
    createFolders(folders, users === null ? undefined : PASSABLE);
    if (users !== null) refuseUsers(folders.workspaceDir);
    const cgroup = this.#shared === null ? cgroupFor(this.#settings) : this.#shared.cgroup();
    this.#cgroup = cgroup?.slot() ?? null;
    const connection = this.#shared?.connection ?? createConnection(this.#settings);
    try {
      let isServing = true;
      while (isServing && !this.#stopping.signal.aborted) {
        isServing = await this.#serveOnce(connection);
      }
    } finally {
      await removalsEnded();
      if (this.#shared === null) {
        connection.close();
        cgroup?.leave();
      }
    }
  }

  /** Serves one registration; true if another should follow. */
  async #serveOnce(connection: Connection): Promise<boolean> {
    const registered = await this.#register(connection);
    if (registered === null) return false;
    const session = new Session({
      agentId: registered.agentId,
      poll: registered.sharesPolls ? (this.#shared?.poll ?? null) : null,
      connection,
      settings: this.#settings,
      paths: this.#paths,
      reachability: this.#reachability,
      cgroup: this.#cgroup,
    });
    this.#session = session;
    const end = await this.#serve(session);
    this.#agentId = null;
    this.#session = null;
    switch (end.why) {
      case 'refused':
        throw tokenRefused(this.#settings.server, end.answer);
      case 'unknown-agent':
        this.#settings.logger.warn('The server does not know this agent any more.');
        return true;
      case 'stopped':
        await this.#deregister(session);
        return false;
    }
  }

  async #serve(session: Session): Promise<PollEnd> {
    const { signal } = this.#stopping;
    // A stopping agent must not ask for work, as it may get some.
    if (signal.aborted) return { why: 'stopped' };
    const stop = () => void session.finish(this.#finishWithinMs, this.#hurry.signal);
    signal.addEventListener('abort', stop, { once: true });
    const end = await session.serve();
    signal.removeEventListener('abort', stop);
    return end;
  }

  async #register(connection: Connection): Promise<Registered | null> {
    const settings = this.#settings;
    const registered = await register({
      settings,
      connection,
      path: this.#paths.agents,
      reachability: this.#reachability,
      signal: this.#stopping.signal,
      hurry: this.#hurry.signal,
    });
    if (registered === null) return null;
    const { agentId } = registered;
    this.#agentId = agentId;
    this.#registered.resolve();
    settings.logger.info('The agent is registered.', {
      agent_id: agentId,
      server: settings.server.origin,
      tags: settings.tags,
    });
    return registered;
  }

  async #deregister(session: Session): Promise<void> {
    try {
      await session.deregister();
      this.#settings.logger.info('The agent is de-registered.');
    } catch (error) {
      this.#settings.logger.warn('The agent could not be de-registered.', {
        error: describeError(error),
      });
    }
  }
}

/** A separate user already marks the processes of a job. */
export const cgroupFor = ({ ownsProcess, users }: AgentSettings): OwnCgroup | null =>
  ownsProcess && users === null ? enterOwnCgroup() : null;
