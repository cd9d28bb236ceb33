/**
 * The engine and its environments in this process: the server of `tutti server` on a free local port, and agents. While it runs,
 * other commands find it like a server.
 */
import { readFileSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Agent, ProcessLender } from '@tutti/agent';
import type { RunningServer } from '@tutti/server';
import type { Io } from '../terminal/io.ts';
import { engineConfig } from './engine-config.ts';
import { guardProcesses, type ProcessGuard } from './process-guard.ts';
import { type AnnouncedServer, runningServerOf } from './running-server.ts';

export interface HostOptions {
  readonly dataDir: string;
  readonly tags: readonly string[];
  /** Number of jobs that run at a time. 0 for a process that starts no runs and hosts none of others. */
  readonly maxParallel: number;
  /** Directories besides the workspaces whose files workflow commands may move. */
  readonly allowPaths?: readonly string[];
  readonly keepsWorkspaces: boolean;
}

export interface Host {
  readonly url: string;
  readonly token: string;
  /** Runs of a process that was killed, which were ended at the start. */
  readonly interrupted: readonly string[];
  /** Folder of the jobs' workspaces. */
  readonly workspaces: string;
  /** Resolves when no run goes on; interrupted runs take a moment to end. */
  idle(): Promise<void>;
  /** Waits for the runs of other commands, then ends. `onWait` is called when that takes a while. */
  close(onWait?: () => void): Promise<void>;
  /** Ends all processes of steps at once, for a process that is about to end. */
  kill(): void;
}

const SERVER_FILE = 'server.json';
const ADMIN_TOKEN_FILE = 'admin.token';
/** Pause between two checks whether the runs of other commands have ended. */
const IDLE_CHECK_MS = 50;
const LOOKS_BEFORE_NOTICE = 10;

/** Starts a server and agents in this process. Rejects with `Conflict` while another process has the data directory. */
export async function startHost(options: HostOptions, env: Io['env']): Promise<Host> {
  const { dataDir } = options;
  const loadingAgents = import('@tutti/agent');
  const server = await startEngine(dataDir, env);
  try {
    const token = readFileSync(join(dataDir, ADMIN_TOKEN_FILE), 'utf8').trim();
    const workspaces = await prepareWorkspaces(options);
    const { createAgent, createProcessLender } = await loadingAgents;
    const guard = guardProcesses();
    const lender = createProcessLender();
    const agents = createAgentTeam(options.maxParallel, (index, onCommand) =>
      createAgent({
        server: server.url,
        token,
        tags: options.tags,
        name: `local-${index + 1}`,
        namespaces: '*',
        workspaceDir: workspaces,
        allowPaths: options.allowPaths ?? [],
        keepsWorkspaces: options.keepsWorkspaces,
        environment: env,
        onProcess: (pid, phase) => {
          guard.note(pid, phase);
          if (phase === 'began') onCommand();
        },
        lender,
      }),
    );
    await agents.start();
    // Announced earlier, the host would get runs of other commands before it has agents.
    if (options.maxParallel > 0) await server.announce();
    return hostOf({ server, token, agents, workspaces, guard, lender });
  } catch (error) {
    await server.stop();
    throw error;
  }
}

async function startEngine(dataDir: string, env: Io['env']): Promise<RunningServer> {
  const { startServer } = await import('@tutti/server');
  const config = await engineConfig(dataDir, env);
  return await startServer(config, { isLocal: true });
}

/** No other process uses this data directory now. So existing workspaces are leftovers of a killed process. */
async function prepareWorkspaces({ dataDir, keepsWorkspaces }: HostOptions): Promise<string> {
  const folder = join(dataDir, 'workspaces');
  if (keepsWorkspaces) return join(folder, 'kept');
  const passing = join(folder, 'passing');
  await rm(passing, { recursive: true, force: true });
  return passing;
}

interface Parts {
  readonly server: RunningServer;
  readonly token: string;
  readonly agents: AgentTeam;
  readonly workspaces: string;
  readonly guard: ProcessGuard;
  readonly lender: ProcessLender;
}

function hostOf({ server, token, agents, workspaces, guard, lender }: Parts): Host {
  return {
    url: server.url,
    token,
    interrupted: server.interrupted,
    workspaces,
    idle: () => idle(server),
    async close(onWait = () => {}) {
      await idle(server, onWait);
      // New commands are refused from now on and look for another host. Runs that arrived just before are waited for.
      server.refuseRuns();
      await idle(server, onWait);
      await agents.stop();
      guard.close();
      lender.close();
      await server.stop();
    },
    kill() {
      agents.kill();
      rmSync(join(server.dataDir, SERVER_FILE), { force: true });
    },
  };
}

/** Readers of reports may be at work for a moment when a run has ended. */
function idle(server: RunningServer, onWait: () => void = () => {}): Promise<void> {
  let looks = 0;
  return new Promise((resolve) => {
    const look = () => {
      if (server.liveRuns() === 0) return resolve();
      looks += 1;
      if (looks === LOOKS_BEFORE_NOTICE) onWait();
      setTimeout(look, IDLE_CHECK_MS);
    };
    look();
  });
}

interface AgentTeam {
  /** Resolves when the first agent runs. */
  start(): Promise<void>;
  /** Waits for the running commands. */
  stop(): Promise<void>;
  /** Kills the running commands at once. */
  kill(): void;
}

/**
 * The agents of a host. Each takes milliseconds to start, and most runs need one, so the start waits only for the first. Each
 * agent that begins its first command starts two more, so that one is free until all run. `create` gets the callback for that command.
 */
function createAgentTeam(
  count: number,
  create: (index: number, onCommand: () => void) => Agent,
): AgentTeam {
  const started = new Map<number, Agent>();
  let isStopping = false;
  const start = async (index: number): Promise<void> => {
    if (isStopping || index >= count || started.has(index)) return;
    const agent = create(index, () => startAfter(index));
    started.set(index, agent);
    await agent.start();
  };
  const startAfter = (index: number): void => {
    // A run that needs them waits no longer for them than they take.
    for (const next of [2 * index + 1, 2 * index + 2]) start(next).catch(() => undefined);
  };
  return {
    start: () => start(0),
    async stop() {
      isStopping = true;
      await Promise.all([...started.values()].map((agent) => agent.stop()));
    },
    kill() {
      for (const agent of started.values()) agent.kill();
    },
  };
}

interface Session {
  readonly url: string;
  readonly token: string;
  /** Null if another process is the host. */
  readonly host: Host | null;
  /** True if the host is a server, which may have started during the wait. */
  readonly isOfServer: boolean;
}

/** A process that holds the lock without an address is starting, ending, or reads for a moment. */
const RETRY_MS = 50;
const PATIENCE_MS = 20_000;

/** The engine of a data directory for one command: in this process, or in that of another command. */
export async function openSession(options: HostOptions, io: Io): Promise<Session> {
  const giveUpAtMs = performance.now() + PATIENCE_MS;
  for (;;) {
    const running = runningServerOf(options.dataDir);
    if (running !== null && !(await isLeft(running))) return guestOf(running, options.dataDir);
    const { isDataDirInUse } = await import('@tutti/server');
    try {
      const host = await startHost(options, io.env);
      return { url: host.url, token: host.token, host, isOfServer: false };
    } catch (error) {
      if (!isDataDirInUse(error) || performance.now() > giveUpAtMs) throw error;
      await pause(RETRY_MS);
    }
  }
}

/**
 * A killed host or server leaves its address behind. Its process id may belong to another process by now, or to one that nobody
 * waited for. So the lock decides whether the directory is free.
 */
async function isLeft({ url }: AnnouncedServer): Promise<boolean> {
  const { isRefused } = await import('./is-refused.ts');
  return await isRefused(url);
}

function guestOf({ url, isLocal }: AnnouncedServer, dataDir: string): Session {
  const token = readFileSync(join(dataDir, 'admin.token'), 'utf8').trim();
  return { url, token, host: null, isOfServer: !isLocal };
}
