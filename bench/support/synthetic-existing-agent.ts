/**
 * A synthetic existing agent that runs nothing. Over one connection it polls, sleeps for its polling delay without work, and ends
 * commands with status 0.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { HttpSocket, requestText } from './http-socket.ts';
import {
  NOTHING_TO_DO,
  OK,
  registerAgent,
  type SyntheticAgent,
  type SyntheticAgentOptions,
} from './synthetic-agent.ts';

/** Their default pause between polls. */
export const POLLING_DELAY_MS = 5_000;
/** From this one on, they take scripts with their commands. */
const VERSION = '2.0.0';

/** Resolves when the agent is registered. Each agent first sleeps for a part of the delay, so that polls are spread. */
export async function startExistingAgent(options: SyntheticAgentOptions): Promise<SyntheticAgent> {
  const { server } = options;
  const socket = new HttpSocket(server.url);
  const said = { metadata: { version: VERSION }, spec: {} };
  const path = `/agents/${await registerAgent(socket, options, said)}`;
  const stopped = new AbortController();
  const lines: Lines = { options, path, socket, signal: stopped.signal };
  void pollForever(lines).catch((error: unknown) => {
    if (!stopped.signal.aborted) throw error;
  });
  return {
    stop: () => {
      stopped.abort();
      socket.close();
    },
  };
}

interface Lines {
  readonly options: SyntheticAgentOptions;
  readonly path: string;
  readonly socket: HttpSocket;
  readonly signal: AbortSignal;
}

async function pollForever({ options, path, socket, signal }: Lines): Promise<void> {
  const { token } = options.server;
  const poll = requestText({ method: 'GET', path, token });
  await pause(Math.random() * POLLING_DELAY_MS, undefined, { signal });
  while (!signal.aborted) {
    const { code, body } = await socket.send(poll);
    if (code === NOTHING_TO_DO) await pause(POLLING_DELAY_MS, undefined, { signal });
    else if (code !== OK) throw new Error(`A poll was refused: ${body.toString()}`);
    else await runCommand({ options, path, socket, signal }, body);
  }
}

async function runCommand({ options, path, socket, signal }: Lines, order: Buffer): Promise<void> {
  const { observer, commandMs, server } = options;
  const { command_id: commandId } = JSON.parse(order.toString()).details;
  observer?.received?.(commandId, performance.now());
  if (commandMs !== undefined) await pause(commandMs(), undefined, { signal });
  const json = { stdout: [], stderr: [], exit_status: 0, variables: [] };
  observer?.posted?.(commandId, performance.now());
  const { code, body } = await socket.send(
    requestText({ method: 'POST', path, token: server.token, json }),
  );
  if (code !== OK) throw new Error(`A result was refused: ${body.toString()}`);
  observer?.confirmed?.(commandId, performance.now());
}
