/**
 * Agents that run nothing: each speaks protocol `tutti.v1` over two connections (polls, posts) like our own agent. Every command
 * ends at once with status 0. Thousands fit into one process.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { HttpSocket, requestText } from './http-socket.ts';
import type { ServerProcess } from './server-process.ts';

export interface AgentObserver {
  /** A `run` command came. */
  received?(commandId: string, atMs: number): void;
  /** The result of a command goes out. */
  posted?(commandId: string, atMs: number): void;
  /** The server confirmed a result. */
  confirmed?(commandId: string, atMs: number): void;
}

/** Calls all observers. */
export function observeWith(...observers: readonly AgentObserver[]): AgentObserver {
  const notify = (what: keyof AgentObserver) => (commandId: string, atMs: number) => {
    for (const observer of observers) observer[what]?.(commandId, atMs);
  };
  return { received: notify('received'), posted: notify('posted'), confirmed: notify('confirmed') };
}

export interface SyntheticAgent {
  stop(): void;
}

export interface SyntheticAgentOptions {
  readonly server: Pick<ServerProcess, 'url' | 'token'>;
  readonly name: string;
  readonly tags?: readonly string[];
  /** Duration of each command; none if absent. */
  readonly commandMs?: () => number;
  readonly observer?: AgentObserver;
}

export const OK = 200;
const CREATED = 201;
export const NOTHING_TO_DO = 204;

interface Lines {
  readonly options: SyntheticAgentOptions;
  readonly path: string;
  readonly polls: HttpSocket;
  readonly posts: HttpSocket;
  readonly now: {
    running: string | null;
    last: string | null;
    stopped: boolean;
    /** The command after a result mostly comes before the answer to the result. */
    posting: Promise<unknown>;
  };
}

/** Resolves when the agent is registered. */
export async function startSyntheticAgent(options: SyntheticAgentOptions): Promise<SyntheticAgent> {
  const { server } = options;
  const polls = new HttpSocket(server.url);
  const id = await registerAgent(polls, options, { metadata: {}, spec: { protocol: 'tutti.v1' } });
  const lines: Lines = {
    options,
    path: `/agents/${id}`,
    polls,
    posts: new HttpSocket(server.url),
    now: { running: null, last: null, stopped: false, posting: Promise.resolve() },
  };
  void pollForever(lines).catch((error: unknown) => {
    if (!lines.now.stopped) throw error;
  });
  return {
    stop: () => {
      lines.now.stopped = true;
      lines.polls.close();
      lines.posts.close();
    },
  };
}

/** Resolves with the id of the agent; kinds of agents differ in fields beyond name and tags. */
export async function registerAgent(
  socket: HttpSocket,
  { name, tags = ['linux'], server }: SyntheticAgentOptions,
  { metadata, spec }: { readonly metadata: object; readonly spec: object },
): Promise<string> {
  const json = {
    apiVersion: 'opentestfactory.org/v1alpha1',
    kind: 'AgentRegistration',
    metadata: { name, namespaces: '*', ...metadata },
    spec: { tags, encoding: 'utf-8', script_path: '/tmp', ...spec },
  };
  const answer = await socket.send(
    requestText({ method: 'POST', path: '/agents', token: server.token, json }),
  );
  if (answer.code !== CREATED) throw new Error(`Not registered: ${answer.body.toString()}`);
  return JSON.parse(answer.body.toString()).details.uuid;
}

async function pollForever(lines: Lines): Promise<void> {
  while (!lines.now.stopped) {
    const { code, body } = await lines.polls.send(pollText(lines));
    if (code === NOTHING_TO_DO) continue;
    if (code !== OK) throw new Error(`A poll was refused: ${body.toString()}`);
    take(lines, JSON.parse(body.toString()).details);
  }
}

/** A poll from before the answer to a result may repeat that answer's command. */
function take(lines: Lines, { kind, command_id: commandId }: Order): void {
  if (kind !== 'run' || commandId === lines.now.last) return;
  void runCommand(lines, commandId).catch(failUnlessStopped(lines));
}

interface Order {
  readonly kind: string;
  readonly command_id: string;
}

const failUnlessStopped = (lines: Lines) => (error: unknown) => {
  if (!lines.now.stopped) throw error;
};

function pollText({ options, path, now }: Lines): string {
  const query = [
    ...(now.last === null ? [] : [`last=${encodeURIComponent(now.last)}`]),
    ...(now.running === null ? [] : [`running=${encodeURIComponent(now.running)}`]),
  ];
  const { token } = options.server;
  const headers = { Prefer: 'wait=50' };
  return requestText({ method: 'GET', path: `${path}?${query.join('&')}`, token, headers });
}

async function runCommand(lines: Lines, commandId: string): Promise<void> {
  const { options, now } = lines;
  const { observer, commandMs } = options;
  observer?.received?.(commandId, performance.now());
  now.last = commandId;
  now.running = commandId;
  if (commandMs !== undefined) await pause(commandMs());
  const { path, posts } = lines;
  const json = resultOf(commandId);
  const text = requestText({ method: 'POST', path, token: options.server.token, json });
  await now.posting;
  observer?.posted?.(commandId, performance.now());
  const answer = posts.send(text);
  now.posting = answer;
  const { code, body } = await answer;
  if (code !== OK) throw new Error(`A result was refused: ${body.toString()}`);
  // A command runs until the server has its result; by then the next one may run.
  if (now.running === commandId) now.running = null;
  observer?.confirmed?.(commandId, performance.now());
  const { details } = JSON.parse(body.toString());
  if (details !== null) take(lines, details);
}

const resultOf = (commandId: string) => ({
  command_id: commandId,
  sequence: 0,
  output: [],
  exit_status: 0,
  variables: [],
  next: true,
});

/** Starts `count` agents of a kind, some at a time. */
export async function startSyntheticAgents(
  count: number,
  options: Omit<SyntheticAgentOptions, 'name'>,
  start: (options: SyntheticAgentOptions) => Promise<SyntheticAgent> = startSyntheticAgent,
): Promise<SyntheticAgent> {
  const agents: SyntheticAgent[] = [];
  while (agents.length < count) {
    const some = Array.from({ length: Math.min(50, count - agents.length) }, (_, index) =>
      start({ ...options, name: `agent${agents.length + index}` }),
    );
    agents.push(...(await Promise.all(some)));
  }
  return {
    stop: () => {
      for (const agent of agents) agent.stop();
    },
  };
}
