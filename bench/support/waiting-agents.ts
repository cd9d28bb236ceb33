/**
 * Agents that wait for work as ours do. Each holds one poll and sends the next after its answer. Pauses grow while the server is away. They
 * take no commands.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { createBackoff } from '../../agent/src/connection/backoff.ts';
import { POLL_HELD_MS_MIN, POLL_WAIT_SECONDS } from '../../agent/src/limits.ts';
import { HttpSocket, requestText } from './http-socket.ts';
import type { ServerProcess } from './server-process.ts';

type Target = Pick<ServerProcess, 'url' | 'token'>;

const CREATED = 201;
const NOTHING_TO_DO = 204;
const AT_A_TIME = 50;

/** Resolves when all are registered and wait. */
export async function startWaitingAgents(target: Target, count: number): Promise<void> {
  for (let started = 0; started < count; started += AT_A_TIME) {
    const some = Array.from({ length: Math.min(AT_A_TIME, count - started) }, (_, index) =>
      startAgent(target, `agent${started + index}`),
    );
    await Promise.all(some);
  }
}

async function startAgent(target: Target, name: string): Promise<void> {
  const socket = new HttpSocket(target.url);
  const json = {
    apiVersion: 'opentestfactory.org/v1alpha1',
    kind: 'AgentRegistration',
    metadata: { name, namespaces: '*' },
    spec: { protocol: 'tutti.v1', tags: ['linux'], encoding: 'utf-8', script_path: '/tmp' },
  };
  const { token } = target;
  const answer = await socket.send(requestText({ method: 'POST', path: '/agents', token, json }));
  if (answer.code !== CREATED) throw new Error(`Not registered: ${answer.body.toString()}`);
  const id: string = JSON.parse(answer.body.toString()).details.uuid;
  void waitForever(target, socket, id);
}

async function waitForever({ url, token }: Target, first: HttpSocket, id: string): Promise<void> {
  const headers = { Prefer: `wait=${POLL_WAIT_SECONDS}` };
  const poll = requestText({ method: 'GET', path: `/agents/${id}`, token, headers });
  const backoff = createBackoff(Math.random);
  for (let socket = first; ; ) {
    const askedAt = performance.now();
    const code = await codeOf(socket, poll);
    if (code === NOTHING_TO_DO && performance.now() - askedAt >= POLL_HELD_MS_MIN) {
      backoff.reset();
      continue;
    }
    if (code !== null && code !== NOTHING_TO_DO) throw new Error(`A poll was answered ${code}.`);
    await sleep(backoff.next());
    if (code !== null) continue;
    socket.close();
    socket = new HttpSocket(url);
  }
}

/** Null when the connection broke. */
async function codeOf(socket: HttpSocket, poll: string): Promise<number | null> {
  try {
    return (await socket.send(poll)).code;
  } catch {
    return null;
  }
}
