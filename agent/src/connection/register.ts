/** The registration of an agent: repeated until the server is there, given up when it refuses. */
import { OrchestratorError } from '@tutti/manifests';
import type { AgentSettings } from '../agent-options.ts';
import { stringAt, valueAt } from '../json-values.ts';
import { REQUEST_TIMEOUT_MS } from '../limits.ts';
import { AGENT_PROTOCOL } from '../protocol.ts';
import { AGENT_VERSION } from '../version.ts';
import { describeAnswer, judge } from './answers.ts';
import { createBackoff } from './backoff.ts';
import type { Answer, Connection } from './http-connection.ts';
import type { Reachability } from './reachability.ts';

export interface RegisterOptions {
  readonly settings: AgentSettings;
  readonly connection: Connection;
  /** The request path of the agents. */
  readonly path: string;
  readonly reachability: Reachability;
  readonly signal: AbortSignal;
}

/**
 * The id of the agent, or null when the signal was aborted before there was one. Throws `Unauthorized` when the token is not
 * accepted and `Invalid` when the registration is not.
 */
export async function register(options: RegisterOptions): Promise<string | null> {
  const { signal, settings } = options;
  const backoff = createBackoff(settings.timing.random);
  while (!signal.aborted) {
    const agentId = await tryToRegister(options);
    if (agentId !== null) return agentId;
    await settings.timing.wait(backoff.next(), signal);
  }
  return null;
}

async function tryToRegister(options: RegisterOptions): Promise<string | null> {
  const { reachability, settings } = options;
  try {
    const answer = await askToRegister(options);
    const agentId = idOf(answer, settings);
    if (agentId === null) reachability.missed(new Error(describeAnswer(answer)));
    else reachability.reached();
    return agentId;
  } catch (error) {
    if (error instanceof OrchestratorError) throw error;
    if (!options.signal.aborted) reachability.missed(error);
    return null;
  }
}

function askToRegister({ settings, connection, path, signal }: RegisterOptions): Promise<Answer> {
  return connection.send({
    method: 'POST',
    path,
    json: JSON.stringify(registrationOf(settings)),
    timeoutMs: REQUEST_TIMEOUT_MS,
    signal,
    // Twice would be two agents.
    repeatable: false,
  });
}

/** The AgentRegistration manifest (specification 2.2; wire facts 4.1). */
export function registrationOf(settings: AgentSettings): object {
  return {
    apiVersion: `${settings.apiGroup}/v1alpha1`,
    kind: 'AgentRegistration',
    metadata: {
      name: settings.name,
      namespaces: settings.namespaces,
      version: AGENT_VERSION,
    },
    spec: {
      tags: settings.tags,
      encoding: settings.decoder.encoding,
      script_path: settings.folders.scriptPath,
      workspace_dir: settings.folders.workspaceDir,
      protocol: AGENT_PROTOCOL,
    },
  };
}

function idOf(answer: Answer, settings: AgentSettings): string | null {
  switch (judge(answer)) {
    case 'done':
      return stringAt(valueAt(answer.body, 'details'), 'uuid');
    case 'refused':
      throw tokenRefused(settings.server, answer);
    case 'rejected':
    case 'unwanted':
      throw new OrchestratorError(
        'Invalid',
        `The server ${settings.server.origin} does not accept this agent: ${describeAnswer(answer)}`,
      );
    default:
      return null;
  }
}

/** Why an agent ends by itself, and what its user can do about it. */
export function tokenRefused(server: URL, answer: Answer): OrchestratorError {
  return new OrchestratorError(
    'Unauthorized',
    `The server ${server.origin} refuses the token of this agent: ${describeAnswer(answer)} ` +
      'Start the agent with a token that is valid for this server and may create, get and delete agents.',
  );
}
