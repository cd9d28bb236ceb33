/** `tutti agent`: offers this machine to a server until it is stopped. */
import type { AgentLogger, LogFacts } from '@tutti/agent';
import { isOrchestratorError } from '@tutti/manifests';
import {
  type ConnectionOptions,
  findConnection,
  readTls,
  refuseNoDirectory,
} from '../connection/connection.ts';
import { EXIT_CODES } from '../terminal/exit-codes.ts';
import type { Io } from '../terminal/io.ts';
import { UsageError } from '../terminal/problem.ts';

export interface AgentCommandOptions extends ConnectionOptions {
  readonly tags: readonly string[];
  readonly name?: string;
  readonly namespaces?: readonly string[];
  readonly workspaceDir?: string;
  readonly allowPath?: readonly string[];
  /** True for the default range of users. */
  readonly userPerJob?: string | true;
  readonly encoding?: string;
  readonly slots?: number;
}

/**
 * A first request to stop lets running commands continue for a while; a second one cancels them at once. Either way the agent is
 * de-registered. Resolves with the exit code; throws when the server refuses the agent.
 */
export async function runAgentCommand(options: AgentCommandOptions, io: Io): Promise<number> {
  const connection = await findConnection(options, io);
  refuseNoDirectory(connection, options, io.env);
  const { url, token, hasTokenFile, tls, context, directory } = connection;
  if (directory?.isNamed === false) {
    const { dataDir } = directory;
    io.complain(`tutti: No server runs in the data directory ${dataDir}; trying ${url}.\n`);
  }
  // Throws now, as in other commands; later, a renewed file may be missing for a moment.
  const first = token();
  const { createSlots, DEFAULT_USERS, parseUserRange } = await import('@tutti/agent');
  const { name, namespaces, workspaceDir, allowPath, userPerJob, encoding } = options;
  const agentOptions = {
    // Some servers have a separate address for agents.
    server: (context?.server === url ? context.services.get('agentchannel') : undefined) ?? url,
    tls: readTls(tls),
    tags: options.tags,
    logger: createLogger(io),
    ...(hasTokenFile ? { token } : first !== null && { token: first }),
    ...(name !== undefined && { name }),
    ...(namespaces !== undefined && { namespaces: namespaces.join(',') }),
    ...(workspaceDir !== undefined && { workspaceDir }),
    ...(allowPath !== undefined && { allowPaths: allowPath }),
    ...(userPerJob !== undefined && {
      userPerJob: userPerJob === true ? DEFAULT_USERS : parseUserRange(userPerJob),
    }),
    ownsProcess: io.isOwnProcess === true,
    ...(encoding !== undefined && { encoding }),
  };
  const agent = createSlots(agentOptions, options.slots ?? 1);
  io.outliveReaders();
  const stopListening = io.onStop(() => void agent.stop(), { whenClosed: true });
  try {
    await agent.start();
    if (process.getuid?.() === 0 && userPerJob === undefined) io.complain(RUNS_AS_ROOT);
    await agent.closed;
    return EXIT_CODES.done;
  } catch (error) {
    const isRefused = isOrchestratorError(error) && error.reason === 'Unauthorized';
    throw isRefused ? new UsageError(error.message, ANOTHER_TOKEN) : error;
  } finally {
    stopListening();
  }
}

const RUNS_AS_ROOT =
  'tutti: The agent runs as root, and so does each step: it may read and change all of this machine. Start the agent as an account of its own (tutti docs guides/agents).\n';

const ANOTHER_TOKEN =
  'start the agent with a token that is valid for this server and may create, get and delete agents; "tutti tokens create" makes one.';

function createLogger(io: Io): AgentLogger {
  const log = (message: string, facts: LogFacts = {}) => {
    const time = new Date(io.now()).toISOString();
    const details = Object.entries(facts).map(([name, value]) => ` ${name}=${textOf(value)}`);
    io.complain(`${time} ${message}${details.join('')}\n`);
  };
  return { info: log, warn: log, error: log };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? 'none');
}
