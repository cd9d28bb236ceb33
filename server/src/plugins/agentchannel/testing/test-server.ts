/**
 * Parts for tests of the agent channel. A listening server with a real store, bus and arranger. The test moves its clock, and makes its
 * store fail or stop. The server can crash and start again on the same data.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import {
  type NotificationEvent,
  parseWorkflowId,
  type RunEvent,
  type RunEventKind,
  type RunEventOf,
  type WorkflowId,
  type WorkflowManifest,
} from '@tutti/manifests';
import { createChannelPool } from '@tutti/workflow';
import { annotationEntries, factOf } from '@tutti/workflow/facts';
import { onTestFinished, vi } from 'vitest';
import { createTestClock, type TestClock } from '../../../auth/testing.ts';
import type { BlobStore } from '../../../blobs/blob-store.ts';
import { openFilesystemBlobStore } from '../../../blobs/filesystem/filesystem-blob-store.ts';
import { CommitDispatcher } from '../../../bus/commit-dispatcher.ts';
import { createEventBus, type ServerEventBus } from '../../../bus/event-bus.ts';
import { ManualTimers } from '../../../bus/testing.ts';
import { readHere } from '../../../http/document-tasks.ts';
import { createTestApp } from '../../../http/testing.ts';
import { createIds } from '../../../runtime/clock.ts';
import { LIMITS } from '../../../runtime/limits.ts';
import { createLogger, type Logger } from '../../../runtime/logger.ts';
import { memoryBounds } from '../../../runtime/memory-bounds.ts';
import { createMeters } from '../../../runtime/meters.ts';
import { ALL_NETWORKS, OutgoingPolicy } from '../../../runtime/outgoing-policy.ts';
import { RunMemory } from '../../../runtime/run-memory.ts';
import { createArranger } from '../../../services/arranger/arranger.ts';
import { projectionSteps } from '../../../services/arranger/projection.ts';
import { openSqliteStore } from '../../../store/sqlite/sqlite-store.ts';
import type { Store } from '../../../store/store.ts';
import { AgentChannel } from '../agentchannel.ts';
import type { HookSource } from '../jobs/context.ts';
import { LIMITS as CHANNEL_LIMITS } from '../jobs/limits.ts';
import { agentChannelRoutes } from '../routes/routes.ts';

const API_GROUP = 'opentestfactory.org';

/** Tries until the check passes; a busy machine may take its time. */
export function eventually<Result>(check: () => Result | Promise<Result>): Promise<Result> {
  return vi.waitFor(check, { timeout: 10_000, interval: 5 });
}

/** Faults that a test puts into the writes of a store. */
export class Faults {
  #failing: string | null = null;
  #error = new Error();
  /** Number of writes. */
  writes = 0;
  /** Number of writes that failed. */
  failures = 0;
  /** Where reads of histories began. */
  readonly historiesFrom: number[] = [];
  #gate: Promise<void> | null = null;
  /** Writes that wait for a gate to open. */
  waiting = 0;

  /** Writes that have this text somewhere fail from now on; an empty one is in all of them. */
  fail(text = '', error: Error = new Error('The disk is full.')): void {
    this.#failing = text;
    this.#error = error;
  }

  heal(): void {
    this.#failing = null;
  }

  /** Writes wait until the answered function is called. */
  hold(): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#gate = promise;
    return () => {
      if (this.#gate === promise) this.#gate = null;
      resolve();
    };
  }

  async guard<T>(write: object, work: () => Promise<T>): Promise<T> {
    this.writes += 1;
    if (this.#gate !== null) {
      this.waiting += 1;
      await this.#gate;
      this.waiting -= 1;
    }
    if (this.#isFailing(write)) {
      this.failures += 1;
      throw this.#error;
    }
    return await work();
  }

  #isFailing(write: object): boolean {
    // Events are texts within the write, so their quotes are escaped.
    const text = JSON.stringify(write).replaceAll('\\', '');
    return this.#failing !== null && text.includes(this.#failing);
  }
}

function withFaults(
  store: Store,
  faults: Faults,
  beforeHistory: TestServerOptions['beforeHistory'],
): Store {
  return {
    ...store,
    append: (append) => faults.guard(append, () => store.append(append)),
    write: (write) => faults.guard(write, () => store.write(write)),
    history: async (workflowId, fromSeq, limit) => {
      faults.historiesFrom.push(fromSeq);
      await beforeHistory?.(store, workflowId);
      return await store.history(workflowId, fromSeq, limit);
    },
  };
}

function withLooks(blobs: BlobStore, beforeLook: TestServerOptions['beforeLook']): BlobStore {
  const look = blobs.info.bind(blobs);
  const info: BlobStore['info'] = async (key) => {
    await beforeLook?.();
    return await look(key);
  };
  return Object.assign(blobs, { info });
}

/** A folder for the data of one test. */
export async function dataFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tutti-agentchannel-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

export interface Answer {
  readonly code: number;
  /** The parsed body; null when there is none. */
  readonly body: Loose | null;
  readonly text: string;
}

/** A JSON object of which a test looks at some fields. */
export type Loose = Readonly<Record<string, unknown>>;

interface RequestOptions {
  /** An object is sent as JSON, a text or a stream as it is. */
  readonly body?: object | string | ReadableStream;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

export interface TestServer {
  readonly clock: TestClock;
  readonly faults: Faults;
  readonly store: Store;
  readonly bus: ServerEventBus;
  readonly channel: AgentChannel;
  call(method: string, path: string, options?: RequestOptions): Promise<Answer>;
  readonly blobs: BlobStore;
  /** Starts a run; a list of scripts is a workflow of one job with one step for each. `files` are its resource files. */
  start(
    jobs: WorkflowManifest['jobs'] | readonly string[],
    files?: Readonly<Record<string, string>>,
  ): Promise<WorkflowId>;
  cancel(workflowId: WorkflowId): Promise<void>;
  /** As a server that is told to stop ends; another server may start on the folder. */
  stop(): Promise<void>;
  /** Nothing is said and nothing more is written; another server may start on the folder. */
  crash(): Promise<void>;
}

export interface TestServerOptions {
  readonly folder?: string;
  /** Gets the lines of the log. */
  readonly logged?: Record<string, unknown>[];
  readonly clock?: TestClock;
  readonly hooks?: HookSource;
  readonly synchronousLivenessSeconds?: number;
  readonly agentsMax?: number;
  /** After a restart, no reason for a waiting job is published before this time has passed. It is real time, independent of the clock. */
  readonly disconnectGraceSeconds?: number;
  readonly absenceSeconds?: number;
  /** Called before the server looks whether a file is there, which waits for it. */
  readonly beforeLook?: () => Promise<void>;
  /** Called before the history of a run is read, which waits for it. */
  readonly beforeHistory?: (store: Store, workflowId: WorkflowId) => Promise<void>;
}

function loggerTo(lines: TestServerOptions['logged']): Logger {
  if (lines === undefined) return createLogger({ level: 'silent' });
  const destination = { write: (line: string) => void lines.push(JSON.parse(line)) };
  return createLogger({ level: 'info', destination });
}

export async function startServer(options: TestServerOptions = {}): Promise<TestServer> {
  const folder = options.folder ?? (await dataFolder());
  const clock = options.clock ?? createTestClock();
  const faults = new Faults();
  const opened = await openSqliteStore({ file: join(folder, 'tutti.db') });
  const store = withFaults(opened, faults, options.beforeHistory);
  const ids = createIds(clock);
  const logger = loggerTo(options.logged);
  const deps = { store, clock, ids, logger, apiGroup: API_GROUP };
  const outgoing = new OutgoingPolicy({ privateNetworks: ALL_NETWORKS });
  const dispatcher = new CommitDispatcher(deps);
  const arranger = createArranger({
    ...deps,
    dispatcher,
    project: projectionSteps,
    documents: readHere,
    downloadTags: [],
    memory: new RunMemory(memoryBounds()),
    runBytesMax: LIMITS.runBytes,
  });
  const bus = createEventBus({ dispatcher, gate: arranger, outgoing });
  const files = await openFilesystemBlobStore({ directory: join(folder, 'blobs') });
  const blobs = withLooks(files, options.beforeLook);
  const channel = new AgentChannel({
    ...deps,
    bus,
    runs: arranger,
    blobs,
    pool: createChannelPool(),
    hooks: options.hooks ?? null,
    fileBytesMax: 1024 * 1024,
    agentsMax: options.agentsMax ?? LIMITS.agents,
    agentsBytesMax: memoryBounds().agents,
    namespaceShare: LIMITS.namespaceShare,
    livenessSeconds: 300,
    synchronousLivenessSeconds: options.synchronousLivenessSeconds ?? 3600,
    disconnectGraceSeconds: options.disconnectGraceSeconds ?? 10,
    absenceSeconds: options.absenceSeconds ?? 10,
    timers: new ManualTimers(),
    meters: createMeters(),
  });
  const { app, admin } = await createTestApp({
    routes: [agentChannelRoutes(channel, '1.2.3', readHere)],
  });
  await arranger.start();
  await bus.start();
  await channel.start();
  // `tick` would take a jump of the test's clock for a standstill of the server.
  const sweeper = setInterval(() => channel.sweep(), CHANNEL_LIMITS.sweepMs);
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  const close = async () => {
    clearInterval(sweeper);
    await channel.stop();
    await Promise.allSettled([app.close(), bus.stop(), arranger.stop()]);
    await store.close();
  };
  onTestFinished(close);
  return {
    clock,
    faults,
    store,
    bus,
    channel,
    blobs,
    call: (method, path, request) => callServer(url + path, admin, method, request),
    start: async (jobs, files = {}) => {
      const workflowId = parseWorkflowId(ids.ordered());
      const annotations = annotationEntries({ files: await keepFiles(blobs, workflowId, files) });
      await publish(bus, {
        apiVersion: `${API_GROUP}/v1beta1`,
        kind: 'Workflow',
        metadata: { ...metadataOf(workflowId, clock), annotations },
        jobs: isScripts(jobs) ? oneJob(jobs) : jobs,
      });
      return workflowId;
    },
    cancel: (workflowId) =>
      publish(bus, {
        apiVersion: `${API_GROUP}/v1`,
        kind: 'WorkflowCancellation',
        metadata: metadataOf(workflowId, clock),
      }),
    stop: close,
    crash: async () => {
      await store.close();
      await close();
    },
  };
}

/** Answers the names of the blobs. */
async function keepFiles(
  blobs: BlobStore,
  workflowId: WorkflowId,
  files: Readonly<Record<string, string>>,
): Promise<Readonly<Record<string, string>>> {
  const kept: Record<string, string> = {};
  for (const [index, [name, content]] of Object.entries(files).entries()) {
    kept[name] = `in_${index}`;
    const bytes = Readable.from([Buffer.from(content)]);
    await blobs.put(`${workflowId}/in_${index}`, bytes, { sizeMax: content.length });
  }
  return kept;
}

const isScripts = (jobs: object): jobs is readonly string[] => Array.isArray(jobs);

const oneJob = (scripts: readonly string[]): WorkflowManifest['jobs'] => ({
  main: { 'runs-on': 'linux', steps: scripts.map((run) => ({ run })) },
});

const metadataOf = (workflowId: WorkflowId, clock: TestClock) => ({
  name: 'test',
  workflow_id: workflowId,
  namespace: 'default',
  creationTimestamp: clock.timestamp(),
});

async function publish(bus: ServerEventBus, event: RunEvent): Promise<void> {
  const outcome = await bus.publish(event);
  if (outcome.outcome === 'refused') throw new Error(outcome.why);
}

async function callServer(
  url: string,
  authorization: string,
  method: string,
  { body, headers = {}, signal }: RequestOptions = {},
): Promise<Answer> {
  const isRaw = typeof body === 'string' || body instanceof ReadableStream;
  const isJson = body !== undefined && !isRaw;
  const type = isJson ? { 'content-type': 'application/json' } : {};
  const response = await fetch(url, {
    method,
    headers: { authorization, ...type, ...headers },
    ...(body === undefined ? {} : { body: isRaw ? body : JSON.stringify(body), duplex: 'half' }),
    ...(signal === undefined ? {} : { signal }),
  });
  const text = await response.text();
  const hasJson = response.headers.get('content-type')?.includes('json') === true && text !== '';
  return { code: response.status, text, body: hasJson ? JSON.parse(text) : null };
}

/** Every event of a run, in order. */
export async function eventsOf(server: TestServer, workflowId: WorkflowId) {
  const page = await server.store.events(workflowId, 1, 10_000);
  return (page?.items ?? []).map((json): RunEvent => JSON.parse(json));
}

export async function eventsOfKind<Kind extends RunEventKind>(
  server: TestServer,
  workflowId: WorkflowId,
  kind: Kind,
): Promise<readonly RunEventOf<Kind>[]> {
  const events = await eventsOf(server, workflowId);
  return events.filter((event): event is RunEventOf<Kind> => event.kind === kind);
}

/** The results of the commands of a run, without offers: `[step_sequence_id, status]`. */
export async function resultsOf(server: TestServer, workflowId: WorkflowId) {
  const results = await eventsOfKind(server, workflowId, 'ExecutionResult');
  return results
    .filter(({ metadata }) => metadata.step_sequence_id !== -1)
    .map(({ metadata, status }) => [metadata.step_sequence_id, status]);
}

/** The texts of the execution log, without times and jobs. */
export async function logOf(server: TestServer, workflowId: WorkflowId): Promise<string[]> {
  const slice = await server.store.log(workflowId, 0, Number.MAX_SAFE_INTEGER);
  const lines = Buffer.from(slice?.bytes ?? [])
    .toString('utf8')
    .split('\n');
  return lines.map((line) => line.replace(/^\[[^\]]*\] \[job [^\]]*\] +/, ''));
}

/** Waits for the end of a run; `DONE` or `FAILED`. */
export function ended(server: TestServer, workflowId: WorkflowId): Promise<string> {
  return eventually(async () => {
    const row = await server.store.workflow(workflowId);
    if (row?.completedAt === null || row === null) {
      throw new Error(`Not over:\n${(await logOf(server, workflowId)).join('\n')}`);
    }
    return row.status;
  });
}

/** Why the job of a run waits, each time it was told. */
export async function noticesOf(server: TestServer, workflowId: WorkflowId) {
  const notices = await eventsOfKind(server, workflowId, 'Notification');
  return notices.filter((notice: NotificationEvent) => factOf(notice).type === 'Held');
}

/** Keys of the private records of sessions. */
export async function recordsOf(server: TestServer): Promise<readonly string[]> {
  return (await server.store.documents('agent-commands')).map(({ key }) => key);
}
