/** Parts for tests of the arranger. They are a real store in a folder, a real bus, and workflows. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type ChannelId,
  type ExecutionCommandEvent,
  type ExecutionResultEvent,
  parseWorkflowId,
  type RunEvent,
  type RunEventKind,
  type RunEventOf,
  STEP_SEQUENCE,
  type WorkflowEvent,
  type WorkflowId,
  type WorkflowManifest,
} from '@tutti/manifests';
import { onTestFinished, vi } from 'vitest';
import { CommitDispatcher } from '../../bus/commit-dispatcher.ts';
import { createEventBus, type ServerEventBus } from '../../bus/event-bus.ts';
import { readHere } from '../../http/document-tasks.ts';
import { type Clock, createIds, systemClock } from '../../runtime/clock.ts';
import { LIMITS } from '../../runtime/limits.ts';
import { createLogger } from '../../runtime/logger.ts';
import { memoryBounds } from '../../runtime/memory-bounds.ts';
import { ALL_NETWORKS, OutgoingPolicy } from '../../runtime/outgoing-policy.ts';
import { RunMemory } from '../../runtime/run-memory.ts';
import { openSqliteStore } from '../../store/sqlite/sqlite-store.ts';
import type { Store } from '../../store/store.ts';
import { type Arranger, createArranger } from './arranger.ts';
import { projectionSteps } from './projection.ts';

const API_GROUP = 'opentestfactory.org';
const ids = createIds(systemClock);
const logger = createLogger({ level: 'silent' });

/** Tries until the check passes; a busy machine may take its time. */
export function eventually<Result>(check: () => Result | Promise<Result>): Promise<Result> {
  return vi.waitFor(check, { timeout: 20_000, interval: 5 });
}

export interface RunningArranger {
  readonly store: Store;
  readonly bus: ServerEventBus;
  readonly arranger: Arranger;
  /** Simulates a crash: only the store is closed. */
  crash(): Promise<void>;
  start(jobs: WorkflowManifest['jobs'], more?: Partial<WorkflowManifest>): Promise<WorkflowId>;
  events(workflowId: WorkflowId): Promise<readonly RunEvent[]>;
  /** Resolves with the first matching event of that kind. */
  event<Kind extends RunEventKind>(
    workflowId: WorkflowId,
    kind: Kind,
    fits?: (event: RunEventOf<Kind>) => boolean,
  ): Promise<RunEventOf<Kind>>;
  /** Answers a command as its channel would. */
  answer(
    command: ExecutionCommandEvent,
    more?: Partial<ExecutionResultEvent['metadata']>,
  ): ReturnType<ServerEventBus['publish']>;
}

/** A data directory for one test. */
export async function dataFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tutti-arranger-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

interface ArrangerParts {
  /** Adds subscriptions before the bus starts. */
  readonly prepare?: (bus: ServerEventBus) => void;
  /** Makes the store fail at the test's wish. */
  readonly around?: (store: Store) => Store;
  readonly runBytesMax?: number;
  readonly memory?: RunMemory;
  readonly clock?: Clock;
}

export async function startArranger(
  folder: string,
  {
    prepare,
    around = (store) => store,
    runBytesMax = LIMITS.runBytes,
    memory = new RunMemory(memoryBounds()),
    clock = systemClock,
  }: ArrangerParts = {},
): Promise<RunningArranger> {
  const store = around(await openSqliteStore({ file: join(folder, 'tutti.db') }));
  const deps = { store, clock, ids, logger };
  const outgoing = new OutgoingPolicy({ privateNetworks: ALL_NETWORKS });
  const dispatcher = new CommitDispatcher({ ...deps, apiGroup: API_GROUP });
  const arranger = createArranger({
    ...deps,
    dispatcher,
    project: projectionSteps,
    documents: readHere,
    downloadTags: [],
    runBytesMax,
    memory,
    retryMs: 5,
  });
  const bus = createEventBus({ dispatcher, gate: arranger, outgoing });
  prepare?.(bus);
  await arranger.start();
  await bus.start();
  onTestFinished(async () => {
    await bus.stop();
    await arranger.stop();
    await store.close();
  });
  const events = async (workflowId: WorkflowId): Promise<readonly RunEvent[]> => {
    const page = await store.events(workflowId, 1, 1000);
    return (page?.items ?? []).map((json) => JSON.parse(json));
  };
  return {
    store,
    bus,
    arranger,
    crash: () => store.close(),
    start: (jobs, more = {}) => startRun(bus, jobs, more),
    events,
    event: (workflowId, kind, fits = () => true) =>
      eventually(async () => findEvent(await events(workflowId), kind, fits)),
    answer: (command, more = {}) => bus.publish(answerTo(command, more)),
  };
}

function findEvent<Kind extends RunEventKind>(
  events: readonly RunEvent[],
  kind: Kind,
  fits: (event: RunEventOf<Kind>) => boolean,
): RunEventOf<Kind> {
  // The kind decides the type.
  const found = events.find((event) => event.kind === kind && fits(event as RunEventOf<Kind>));
  if (found === undefined) {
    throw new Error(`No ${kind} among ${events.map((event) => event.kind).join(', ')}.`);
  }
  return found as RunEventOf<Kind>;
}

async function startRun(
  bus: ServerEventBus,
  jobs: WorkflowManifest['jobs'],
  more: Partial<WorkflowManifest>,
): Promise<WorkflowId> {
  const workflowId = parseWorkflowId(ids.ordered());
  const event: WorkflowEvent = {
    ...more,
    apiVersion: `${API_GROUP}/v1beta1`,
    kind: 'Workflow',
    metadata: {
      name: 'test',
      workflow_id: workflowId,
      namespace: more.metadata?.namespace ?? 'default',
      creationTimestamp: systemClock.timestamp(),
    },
    jobs,
  };
  const outcome = await bus.publish(event);
  if (outcome.outcome === 'refused') throw new Error(outcome.why);
  return workflowId;
}

function answerTo(
  command: ExecutionCommandEvent,
  more: Partial<ExecutionResultEvent['metadata']>,
): ExecutionResultEvent {
  const isRequest = command.metadata.step_sequence_id === STEP_SEQUENCE.request;
  return {
    apiVersion: `${API_GROUP}/v1alpha1`,
    kind: 'ExecutionResult',
    metadata: {
      ...command.metadata,
      creationTimestamp: systemClock.timestamp(),
      ...(isRequest ? { channel_id: ids.random<ChannelId>(), channel_os: 'linux' } : {}),
      ...more,
    },
    status: 0,
  };
}
