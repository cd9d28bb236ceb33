/** Options of an agent, and their defaults. */
import { hostname } from 'node:os';
import path from 'node:path';
import { DEFAULT_API_GROUP, OrchestratorError, wrongNamespace } from '@tutti/manifests';
import { type AgentLogger, silentLogger } from './agent-logger.ts';
import type { TlsOptions } from './connection/http-connection.ts';
import { TokenProblem } from './connection/token-problem.ts';
import type { JobSettings } from './jobs/job-keeper.ts';
import type { UserRange } from './jobs/user-claims.ts';
import { createDecoder, type OutputDecoder } from './output/output-decoder.ts';
import {
  commandEnvironment,
  defaultWorkspaceDir,
  type Environment,
  platformOf,
} from './processes/platform.ts';
import type { ProcessLender } from './processes/process-lender.ts';
import { systemTiming, type Timing } from './timing.ts';

export interface AgentOptions {
  /** URL of the orchestrator, with its path prefix if it has one. */
  readonly server: string;
  /** At least one; jobs ask for them in `runs-on`. */
  readonly tags: readonly string[];
  /** Shown in listings; the host's name if absent. */
  readonly name?: string;
  /** `*`, or comma-separated namespaces whose jobs may run here; `default` if absent. */
  readonly namespaces?: string;
  /** The bearer token, or where to get it before each request (a file that is renewed); absent for none. */
  readonly token?: string | (() => string | null);
  /** Commands run here; the system's folder for temporary files if absent. Created when missing. */
  readonly workspaceDir?: string;
  /** Scripts are written here; the workspace directory if absent. Created when missing. */
  readonly scriptPath?: string;
  /** Directories besides the workspace whose files workflow commands (`::attach`, `::put` and others) may move. */
  readonly allowPaths?: readonly string[];
  /** Each job runs as a user of its own from this range. Needs root, and Linux. */
  readonly userPerJob?: UserRange;
  /** The process serves this agent alone, which may move it to a cgroup of its own. */
  readonly ownsProcess?: boolean;
  /** Encoding of command output: a WHATWG name whose line ends are the byte 10; `utf-8` if absent. */
  readonly encoding?: string;
  /** Whether the directory of a job stays after the job, for inspection. */
  readonly keepsWorkspaces?: boolean;
  /** Called for the first process of each command, which leads its process group. */
  readonly onProcess?: (pid: number, phase: 'began' | 'ended') => void;
  /** Starts processes for agents in large processes; its creator closes it. */
  readonly lender?: ProcessLender;
  readonly logger?: AgentLogger;
  /** For servers with certificates of a private authority. */
  readonly tls?: TlsOptions;
  /** The first part of `apiVersion` in the registration; `opentestfactory.org` if absent. */
  readonly apiGroup?: string;
  /** Environment of commands, without the agent's tokens; by default that of this process. */
  readonly environment?: Environment;
  readonly timing?: Timing;
}

/** The options with all defaults. */
export interface AgentSettings extends JobSettings {
  readonly server: URL;
  readonly tags: readonly string[];
  readonly name: string;
  readonly namespaces: string;
  readonly token: () => string | null;
  /** Whether another token may take the place of a refused one. */
  readonly renewsToken: boolean;
  readonly ownsProcess: boolean;
  readonly onProcess: (pid: number, phase: 'began' | 'ended') => void;
  readonly lender: ProcessLender | undefined;
  readonly decoder: OutputDecoder;
  readonly tls: TlsOptions;
  readonly apiGroup: string;
}

/** Throws `Invalid` for options that cannot work. */
export function resolveOptions(options: AgentOptions): AgentSettings {
  refuseEmpty('name of the agent', options.name);
  refuseEmpty('workspace directory', options.workspaceDir);
  refuseEmpty('script path', options.scriptPath);
  const workspaceDir = path.resolve(options.workspaceDir ?? defaultWorkspaceDir());
  return {
    server: parseServer(options.server),
    tags: options.tags,
    name: options.name ?? hostname(),
    namespaces: checkedNamespaces(options.namespaces ?? 'default'),
    token: tokenSource(options.token),
    renewsToken: typeof options.token === 'function',
    folders: { workspaceDir, scriptPath: path.resolve(options.scriptPath ?? workspaceDir) },
    allowPaths: (options.allowPaths ?? []).map(allowedPath),
    users: options.userPerJob ?? null,
    ownsProcess: options.ownsProcess ?? false,
    keepsWorkspaces: options.keepsWorkspaces ?? false,
    onProcess: options.onProcess ?? (() => undefined),
    lender: options.lender,
    decoder: createDecoder(options.encoding ?? 'utf-8'),
    logger: options.logger ?? silentLogger,
    tls: options.tls ?? {},
    apiGroup: options.apiGroup ?? DEFAULT_API_GROUP,
    environment: commandEnvironment(options.environment ?? process.env),
    platform: platformOf(process.platform),
    timing: options.timing ?? systemTiming,
  };
}

function allowedPath(directory: string): string {
  refuseEmpty('allowed path', directory);
  return path.resolve(directory);
}

function refuseEmpty(what: string, text: string | undefined): void {
  if (text?.trim() === '') throw new OrchestratorError('Invalid', `The ${what} is empty.`);
}

function checkedNamespaces(text: string): string {
  const names = text.split(',').map((name) => name.trim());
  const wrong = wrongNamespace(names);
  if (wrong === null) return names.join(',');
  throw new OrchestratorError(
    'Invalid',
    wrong === '*'
      ? '* stands for all namespaces, and for itself alone.'
      : `Not the name of a namespace: ${JSON.stringify(wrong)}. Names have small letters, digits and -.`,
  );
}

function parseServer(text: string): URL {
  const url = URL.parse(text);
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
    // Without name and password, which may precede the host.
    throw new OrchestratorError(
      'Invalid',
      `Not an http or https URL: ${text.replace(/^.*@/, '')}.`,
    );
  }
  url.username = '';
  url.password = '';
  return url;
}

function tokenSource(token: AgentOptions['token']): () => string | null {
  if (typeof token !== 'function') return () => token ?? null;
  return () => {
    try {
      return token();
    } catch (error) {
      throw new TokenProblem(error);
    }
  };
}
