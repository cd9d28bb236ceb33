/**
 * Two namespaces on one server: one attacks with the token that it has, the other one starts runs meanwhile. Each of these runs must start
 * in time, and no request of the attacker may break the server.
 */
import { createPrivateKey } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { RunEvent } from '@tutti/manifests';
import { type Api, createApi } from '../../support/api.ts';
import { launchChild } from '../../support/child.ts';
import { allEvents, ended, only, startedId } from '../../support/runs.ts';
import { signedToken } from '../../support/tokens.ts';
import type { Happenings } from './happenings.ts';

const ATTACKER = 'attacker';
const VICTIM = 'victim';
const OF_ASSAULT = `metadata.namespace in (${ATTACKER},${VICTIM})`;
/** A selector of all other runs. */
export const NOT_OF_ASSAULT = `metadata.namespace notin (${ATTACKER},${VICTIM})`;
/** The victim has an agent of its own: what agents do for others costs it nothing. */
const VICTIMS_TAG = 'of-the-victim';
/** Between two runs of the victim, and between two requests of one kind of the attacker, in milliseconds. */
const VICTIM_MS = 200;
const ATTACK_MS = 20;
/** A request that is answered later than this is given up. */
const PATIENCE_MS = 20_000;
const HALF_SENT = 40;
const IDLE = 100;
const DEAD_INBOXES = 20;

export interface AssaultOptions {
  /** With the administrator's token. */
  readonly api: Api;
  readonly token: string;
  readonly dataDir: string;
  readonly folder: string;
  readonly lengthMs: number;
  /** From the request of a run of the victim to the result of its first step, in milliseconds. */
  readonly startsWithinMs: number;
  readonly happenings: Happenings;
  readonly signal: AbortSignal;
}

/** The runs of both namespaces are cancelled in the end; they are in no other namespace. */
export async function assault(options: AssaultOptions): Promise<void> {
  const { api, token, dataDir, folder, lengthMs, happenings } = options;
  const attackersToken = await tokenOf(dataDir, ATTACKER);
  const attacker = createApi(api.url, attackersToken);
  const workspaceDir = join(folder, VICTIM);
  const place = { server: api.url, token, name: VICTIM, workspaceDir };
  const agent = launchChild('agent-process.ts', {
    ...{ ...place, tags: [VICTIMS_TAG], namespaces: VICTIM },
  });
  await agent.whenReady;
  const end = AbortSignal.any([options.signal, AbortSignal.timeout(lengthMs)]);
  const sockets = [...halfSent(api.url, attackersToken), ...idle(api.url)];
  try {
    await subscribeDeadInboxes(attacker);
    const attacks = attacksOf(attacker).map((attack) => repeat(attack, happenings, end));
    await Promise.all([...attacks, startRuns(options, end)]);
  } finally {
    for (const socket of sockets) socket.destroy();
    await cancelAll(api);
    await agent.kill('SIGTERM');
  }
}

/** A token for one namespace, signed with the server's own key. */
async function tokenOf(dataDir: string, namespace: string): Promise<string> {
  const key = createPrivateKey(await readFile(join(dataDir, 'keys', 'signing.pem')));
  const claims = { iss: 'tutti', sub: namespace, tutti: { namespaces: [namespace] } };
  return signedToken(key, { header: { alg: 'ES256' }, claims });
}

type Attack = readonly [name: string, send: (number: number) => ReturnType<Api['call']>];

const inNamespace = `namespace=${ATTACKER}`;
const yaml = { 'content-type': 'application/x-yaml' };
const MANY = 200_000;
const MEGABYTE = 1_048_576;

const runOf = (number: number, more: object = {}) => ({
  metadata: { name: `${ATTACKER} ${number}`, namespace: ATTACKER },
  jobs: { main: { 'runs-on': 'linux', steps: [{ run: 'true' }] } },
  ...more,
});

const variables = Object.fromEntries(Array.from({ length: MANY }, (_, at) => [`V${at}`, 'x']));

const attacksOf = (api: Api): readonly Attack[] => {
  const start = (body: unknown, headers = {}) =>
    api.call('POST', '/workflows', { query: inNamespace, body, headers, signal: soon() });
  const publish = (number: number) => ({
    apiVersion: 'example.org/v1',
    kind: 'Flood',
    metadata: { name: `flood ${number}`, namespace: ATTACKER },
    text: 'x'.repeat(MEGABYTE),
  });
  const list = (path: string, query: string) => api.call('GET', path, { query, signal: soon() });
  return [
    ['brackets as YAML', () => start(']'.repeat(500_000), yaml)],
    ['references as YAML', () => start(billionLaughs(), yaml)],
    ['variables without end', (number) => start(runOf(number, { variables }))],
    ['floods of runs', (number) => start(runOf(number))],
    ['large runs that wait', (number) => start(waiting(number))],
    ['matrices without end', (number) => start(matrix(number))],
    [
      'publications to dead inboxes',
      (number) => api.call('POST', '/publications', { body: publish(number), signal: soon() }),
    ],
    ['lists of manifests', () => list('/workflows', 'expand=manifest')],
    ['selectors', () => list('/workflows', `fieldSelector=${'('.repeat(4_000)}`)],
  ];
};

const soon = () => AbortSignal.timeout(PATIENCE_MS);

const waiting = (number: number) =>
  runOf(number, {
    jobs: { main: { 'runs-on': 'nowhere', steps: [{ run: '#'.repeat(4 * MEGABYTE) }] } },
  });

const matrix = (number: number) =>
  runOf(number, {
    jobs: {
      main: {
        strategy: { matrix: { a: numbers(1_000), b: numbers(1_000), c: numbers(1_000) } },
        steps: [{ run: 'true' }],
      },
    },
  });

const numbers = (length: number) => Array.from({ length }, (_, at) => at);

function billionLaughs(): string {
  const lines = numbers(30).map(
    (at) => `a${at + 1}: &a${at + 1} [${`*a${at}, `.repeat(9)}*a${at}]`,
  );
  return `a0: &a0 [x]\n${lines.join('\n')}\n`;
}

async function repeat(
  [name, send]: Attack,
  happenings: Happenings,
  end: AbortSignal,
): Promise<void> {
  for (let number = 0; !end.aborted; number += 1) {
    const code = await send(number).then(
      (answer) => answer.code,
      () => null,
    );
    happenings.count(`attacks: ${name}`);
    if (code === null && !end.aborted) happenings.violation(`${name}: no answer`);
    if (code !== null && code >= 500 && code !== 503) {
      happenings.violation(`${name}: answered with ${code}`);
    }
    await pause(ATTACK_MS, undefined, { signal: end }).catch(() => undefined);
  }
}

/** Uploads that announce much and send little. */
function halfSent(url: string, token: string): readonly Socket[] {
  return numbers(HALF_SENT).map(() => {
    const socket = opened(url);
    const head = [
      'POST /workflows HTTP/1.1',
      'Host: localhost',
      `Authorization: Bearer ${token}`,
      'Content-Type: application/json',
      `Content-Length: ${16 * MEGABYTE}`,
    ];
    socket.write(`${head.join('\r\n')}\r\n\r\n{`);
    return socket;
  });
}

const idle = (url: string): readonly Socket[] => numbers(IDLE).map(() => opened(url));

function opened(url: string): Socket {
  const { hostname, port } = new URL(url);
  // The server may close it whenever it likes.
  return connect(Number(port), hostname).on('error', () => undefined);
}

async function subscribeDeadInboxes(api: Api): Promise<void> {
  for (const number of numbers(DEAD_INBOXES)) {
    const body = {
      apiVersion: 'opentestfactory.org/v1alpha1',
      kind: 'Subscription',
      metadata: { name: `dead ${number}` },
      spec: { selector: { matchKind: 'Flood' }, subscriber: { endpoint: 'http://127.0.0.1:9/' } },
    };
    await api.call('POST', '/subscriptions', { body });
  }
}

async function startRuns(options: AssaultOptions, end: AbortSignal): Promise<void> {
  const { api, happenings, startsWithinMs } = options;
  const victim = createApi(api.url, await tokenOf(options.dataDir, VICTIM));
  let slowestMs = 0;
  while (!end.aborted) {
    const tookMs = await startOne(victim);
    slowestMs = Math.max(slowestMs, tookMs);
    happenings.count('runs under attack');
    if (!(tookMs <= startsWithinMs)) {
      happenings.violation(
        `A run of another namespace than the attacker's started after ${tookMs} ms`,
      );
    }
    await pause(VICTIM_MS, undefined, { signal: end }).catch(() => undefined);
  }
  happenings.count('milliseconds to the slowest start under attack', slowestMs);
}

/**
 * Milliseconds from the request to the result of the first step, at most. Adds the time to the answer, and the time from creation to result by the server's clock. The storm may have set the server's clock, so it is never compared with the one here.
 */
async function startOne(api: Api): Promise<number> {
  const job = { 'runs-on': VICTIMS_TAG, steps: [{ run: 'true' }] };
  const body = { metadata: { name: VICTIM, namespace: VICTIM }, jobs: { main: job } };
  const sentMs = performance.now();
  const id = startedId(await api.call('POST', '/workflows', { body }));
  const answeredMs = performance.now();
  await ended(api, id);
  const events = await allEvents(api, id);
  const [created] = only(events, 'Workflow');
  const results = only(events, 'ExecutionResult');
  const first = results.find(({ metadata }) => metadata.step_sequence_id === 0);
  return Math.round(answeredMs - sentMs) + timeOf(first) - timeOf(created);
}

/** In milliseconds, by the server's clock. */
const timeOf = (event: RunEvent | undefined): number =>
  Date.parse(`${event?.metadata.creationTimestamp}Z`);

async function cancelAll(api: Api): Promise<void> {
  const query = `fieldSelector=${encodeURIComponent(OF_ASSAULT)}`;
  const answer = await api.call('GET', '/workflows', { query });
  const { items } = JSON.parse(answer.text).details;
  for (const id of items) await api.call('DELETE', `/workflows/${id}`);
}
