/** Parts for tests of the bus: timers that a test fires, inboxes that record deliveries, events, real runs. */
import { mkdtemp, rm } from 'node:fs/promises';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  formatTimestamp,
  type GeneratorCommandEvent,
  type LoggedEvent,
  type NotificationEvent,
  type RunEvent,
  type Subscription,
  type WorkflowId,
} from '@tutti/manifests';
import { onTestFinished, vi } from 'vitest';
import { type Clock, createIds, type Ids, systemClock } from '../runtime/clock.ts';
import { createLogger, type Logger } from '../runtime/logger.ts';
import { ALL_NETWORKS, OutgoingPolicy } from '../runtime/outgoing-policy.ts';
import { openSqliteStore } from '../store/sqlite/sqlite-store.ts';
import type { Store, WorkflowRow } from '../store/store.ts';
import type { EventBus, RunGate } from './bus.ts';
import { CommitDispatcher, type DispatcherDeps } from './commit-dispatcher.ts';
import { createEventBus, type EventBusDeps } from './event-bus.ts';
import type { Timers } from './timers.ts';

export const silentLogger: Logger = createLogger({ level: 'silent' });
export const testIds: Ids = createIds(systemClock);
export const API_GROUP = 'opentestfactory.org';

/** Below the time that an inbox has to answer, so that a test can tell the timers apart. */
export const TEST_RETRY_MAX_MS = 8_000;

/** Tries until the check passes; a busy machine may take its time. */
export function eventually<Result>(check: () => Result | Promise<Result>): Promise<Result> {
  return vi.waitFor(check, { timeout: 20_000, interval: 5 });
}

/** Inboxes of tests are on this machine. */
export const ANYWHERE = new OutgoingPolicy({ privateNetworks: ALL_NETWORKS });

/** Time stands still; timers fire when the test says so. */
export class ManualTimers implements Timers {
  readonly pending = new Map<object, { readonly delayMs: number; readonly callback: () => void }>();

  after(delayMs: number, callback: () => void): () => void {
    const key = {};
    this.pending.set(key, { delayMs, callback });
    return () => this.pending.delete(key);
  }

  /** Waits until a timer of such a length is set, then lets it fire; gives its length. */
  fire(fromMs: number, toMs = fromMs): Promise<number> {
    return eventually(() => {
      for (const [key, { delayMs, callback }] of this.pending) {
        if (delayMs < fromMs || delayMs > toMs) continue;
        this.pending.delete(key);
        callback();
        return delayMs;
      }
      throw new Error(`No timer between ${fromMs} and ${toMs} ms is set.`);
    });
  }
}

export const testClock: Clock = {
  now: () => Date.UTC(2026, 0, 31, 12, 34, 56, 789),
  timestamp: () => formatTimestamp(testClock.now()),
  monotonicMs: () => testClock.now(),
};

export interface Received {
  readonly headers: http.IncomingHttpHeaders;
  readonly body: unknown;
}

export interface Inbox {
  readonly url: string;
  readonly received: Received[];
  /** The answer to the next requests: a code, also by the body, or none at all. Starts with 200. */
  answer: number | 'never' | ((body: unknown) => number);
  /** The token that it asks for with 401; none if null. */
  token: string | null;
  /** `body.n` of the received publications. */
  numbers(): unknown[];
  /** Nobody listens there any more. */
  close(): Promise<void>;
}

/** A real HTTP server that is closed when the test ends. */
export async function openInbox(answer: Inbox['answer'] = 200, port = 0): Promise<Inbox> {
  const server = http.createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body: unknown = JSON.parse(Buffer.concat(chunks).toString());
      inbox.received.push({ headers: request.headers, body });
      if (inbox.answer === 'never') return;
      const { authorization } = request.headers;
      const isKnown = inbox.token === null || authorization === `Bearer ${inbox.token}`;
      const code = typeof inbox.answer === 'number' ? inbox.answer : inbox.answer(body);
      response.writeHead(isKnown ? code : 401, { Location: '/elsewhere' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(port, '127.0.0.1', resolve);
  });
  const close = () =>
    new Promise<void>((resolve) => {
      server.closeAllConnections();
      server.close(() => resolve());
    });
  onTestFinished(close);
  const address = server.address();
  const listening = typeof address === 'object' && address !== null ? address.port : 0;
  const inbox: Inbox = {
    url: `http://127.0.0.1:${listening}/inbox`,
    received: [],
    answer,
    token: null,
    numbers: () => inbox.received.map(({ body }) => Object(body).n),
    close,
  };
  return inbox;
}

/** A folder with a store that can be closed and opened again; both go away when the test ends. */
export async function openStoreFolder(): Promise<{ open(): Promise<Store> }> {
  const folder = await mkdtemp(join(tmpdir(), 'tutti-bus-'));
  const opened: Store[] = [];
  onTestFinished(async () => {
    await Promise.all(opened.map((store) => store.close()));
    await rm(folder, { recursive: true });
  });
  return {
    async open() {
      const store = await openSqliteStore({ file: join(folder, 'store.db') });
      opened.push(store);
      return store;
    },
  };
}

export type TestBusOptions = Partial<Omit<EventBusDeps, 'dispatcher' | 'gate'> & DispatcherDeps>;

/** A bus that is stopped when the test ends; its runs take every event. */
export function createTestBus(
  store: Store,
  { outgoing = ANYWHERE, tokens, commandsOf, ...more }: TestBusOptions = {},
) {
  const timers = new ManualTimers();
  const dispatcher = new CommitDispatcher({
    store,
    clock: testClock,
    ids: testIds,
    logger: silentLogger,
    apiGroup: API_GROUP,
    timers,
    random: () => 0,
    ...more,
    limits: { retryDelayMaxMs: TEST_RETRY_MAX_MS, ...more.limits },
  });
  const gate = acceptingGate(store, dispatcher);
  const bus = createEventBus({
    ...{ dispatcher, gate, outgoing },
    ...(tokens && { tokens }),
    ...(commandsOf && { commandsOf }),
  });
  onTestFinished(() => bus.stop());
  return Object.assign(bus, { timers, dispatcher, gate });
}

/** Appends every event to its run, as the arranger does for an event that it accepts and nothing follows from. */
function acceptingGate(store: Store, dispatcher: CommitDispatcher): RunGate {
  const lengths = new Map<WorkflowId, number>();
  return {
    async submit(workflowId, event, { documents = [] }) {
      const expectedSeq = lengths.get(workflowId) ?? (await lengthOf(store, workflowId));
      const json = JSON.stringify(event);
      lengths.set(workflowId, expectedSeq + 1);
      const appended = await store.append({
        workflowId,
        expectedSeq,
        events: [{ kind: event.kind, json }],
        projection: {
          workflow: expectedSeq === 0 ? rowFor(event) : null,
          logText: '',
          attachments: [],
          testCases: [],
          jobs: [],
        },
        documents,
        outbox: dispatcher.outboxFor([{ event, json, shown: { event, json } }]),
      });
      if (appended.outcome === 'conflict') throw new Error('Publish events of a run one by one.');
      dispatcher.committed([event], expectedSeq + 1);
      return { outcome: 'accepted' };
    },
  };
}

async function lengthOf(store: Store, workflowId: WorkflowId): Promise<number> {
  return (await store.events(workflowId, 1, 1))?.total ?? 0;
}

function rowFor(event: LoggedEvent): WorkflowRow {
  const { workflow_id, namespace, creationTimestamp } = event.metadata;
  return {
    workflowId: workflow_id,
    name: 'a run',
    namespace,
    status: 'RUNNING',
    live: true,
    workers: [],
    createdAt: creationTimestamp,
    completedAt: null,
  };
}

/** A notification that its number identifies. */
export function notification(
  n: number,
  workflowId: WorkflowId = testIds.random(),
  namespace = 'default',
): NotificationEvent & { readonly n: number } {
  return {
    apiVersion: `${API_GROUP}/v1alpha1`,
    kind: 'Notification',
    metadata: {
      name: `notification ${n}`,
      workflow_id: workflowId,
      namespace,
      creationTimestamp: testClock.timestamp(),
    },
    spec: {},
    n,
  };
}

export function subscriptionTo(
  endpoint: string,
  selector?: Subscription['spec']['selector'],
): Subscription {
  return {
    apiVersion: `${API_GROUP}/v1alpha1`,
    kind: 'Subscription',
    metadata: { name: 'listener' },
    spec: { ...(selector === undefined ? {} : { selector }), subscriber: { endpoint } },
  };
}

/** Events that the listener of `listen` publishes when it hears a generator's command. */
export async function answersTo(
  command: GeneratorCommandEvent,
  listen: (bus: Pick<EventBus, 'publish' | 'subscribeDurably'>) => void,
): Promise<readonly RunEvent[]> {
  const published: RunEvent[] = [];
  const calls: Promise<void>[] = [];
  listen({
    publish: async (event) => {
      published.push(event);
      return { outcome: 'accepted' };
    },
    subscribeDurably: (_name, kind, { takes: filter, handle: handler }) => {
      const event = command as Parameters<typeof filter>[0];
      if (kind === 'GeneratorCommand' && filter(event)) {
        calls.push(handler(event, new AbortController().signal));
      }
    },
  });
  await Promise.all(calls);
  return published;
}

/** Events that the listener of `listen` publishes when the command is given up. */
export async function answersGivenUp(
  command: RunEvent,
  listen: (bus: Pick<EventBus, 'publish' | 'subscribeDurably'>) => void,
): Promise<readonly RunEvent[]> {
  const published: RunEvent[] = [];
  const calls: (Promise<void> | undefined)[] = [];
  listen({
    publish: async (event) => {
      published.push(event);
      return { outcome: 'accepted' };
    },
    subscribeDurably: (_name, kind, { takes: filter, giveUp }) => {
      const event = command as Parameters<typeof filter>[0];
      if (kind === command.kind && filter(event)) calls.push(giveUp?.(event));
    },
  });
  await Promise.all(calls);
  return published;
}
