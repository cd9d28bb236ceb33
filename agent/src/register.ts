/** The registration of an agent: repeated until the server is there, given up when it refuses. */
import { AGENT_PROTOCOL, OrchestratorError } from '@tutti/manifests';
import { entriesOf, textOf } from '@tutti/manifests/values';
import type { AgentSettings } from './agent-options.ts';
import { AnswerProblem, describeAnswer, judge } from './connection/answers.ts';
import { createBackoff } from './connection/backoff.ts';
import type { Answer, Connection } from './connection/http-connection.ts';
import { isUnreachable, type Reachability } from './connection/reachability.ts';
import { REQUEST_TIMEOUT_MS, STOP_REGISTER_MS } from './limits.ts';
import { waitAtMost } from './timing.ts';
import { AGENT_VERSION } from './version.ts';

export interface RegisterOptions {
  readonly settings: AgentSettings;
  readonly connection: Connection;
  /** The request path of the agents. */
  readonly path: string;
  readonly reachability: Reachability;
  /** Aborted when the agent is to stop. An answer under way is awaited, since its id must be de-registered. */
  readonly signal: AbortSignal;
  /** Aborts that wait, too. */
  readonly hurry: AbortSignal;
}

export interface Registered {
  readonly agentId: string;
  /** The server answers one poll for several agents. */
  readonly sharesPolls: boolean;
}

/**
 * The registration, or null if the signal was aborted first. Throws `Unauthorized` for a refused token and `Invalid` for a
 * refused registration.
 */
export async function register(options: RegisterOptions): Promise<Registered | null> {
  const { signal, settings } = options;
  const backoff = createBackoff(settings.timing.random);
  while (!signal.aborted) {
    const outcome = await tryToRegister(options);
    if (outcome !== null && 'agentId' in outcome) return outcome;
    await settings.timing.wait(backoff.next(outcome?.retryAfterMs), signal);
  }
  return null;
}

/** The registration, or another answer; null without one. */
async function tryToRegister(options: RegisterOptions): Promise<Registered | Answer | null> {
  const { reachability, settings } = options;
  try {
    const answer = await askToRegister(options);
    const registered = readAnswer(answer, settings);
    if (registered === null) reachability.missed(new AnswerProblem(answer));
    else reachability.reached();
    return registered ?? answer;
  } catch (error) {
    if (error instanceof OrchestratorError) throw error;
    if (!options.signal.aborted) reachability.missed(error);
    else if (!isUnreachable(error)) settings.logger.warn(UNANSWERED);
    return null;
  }
}

const WAITING = 'The agent stops while it registers: it waits for the answer, then de-registers.';
const UNANSWERED =
  'The server did not answer the registration, so it may keep this agent until it finds it silent.';

async function askToRegister(options: RegisterOptions): Promise<Answer> {
  const { signal, hurry, settings } = options;
  const patience = new AbortController();
  const answer = sendRegistration(options, patience.signal);
  const onStop = async () => {
    settings.logger.info(WAITING);
    await waitAtMost(answer, STOP_REGISTER_MS, hurry, settings.timing);
    patience.abort();
  };
  signal.addEventListener('abort', onStop, { once: true });
  try {
    return await answer;
  } finally {
    signal.removeEventListener('abort', onStop);
  }
}

function sendRegistration(
  { settings, connection, path }: RegisterOptions,
  signal: AbortSignal,
): Promise<Answer> {
  return connection.send({
    method: 'POST',
    path,
    json: JSON.stringify(registrationOf(settings)),
    timeoutMs: REQUEST_TIMEOUT_MS,
    signal,
    // A repetition would register two agents.
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

function readAnswer(answer: Answer, settings: AgentSettings): Registered | null {
  switch (judge(answer)) {
    case 'done': {
      const { uuid, shared_polls } = entriesOf(entriesOf(answer.body).details);
      const agentId = textOf(uuid);
      return agentId === null ? null : { agentId, sharesPolls: shared_polls === true };
    }
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

/** The error of an agent whose token was refused. */
export function tokenRefused(server: URL, answer: Answer): OrchestratorError {
  return new OrchestratorError(
    'Unauthorized',
    `The server ${server.origin} refuses the token of this agent: ${describeAnswer(answer)}`,
  );
}
