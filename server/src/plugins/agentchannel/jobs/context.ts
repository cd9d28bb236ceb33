/** The state and services that all parts of the agent channel share. */
import type {
  AgentId,
  ChannelId,
  ExecutionCommandEvent,
  Hook,
  JobId,
  WorkflowId,
} from '@tutti/manifests';
import type { HeldTokens } from '../../../auth/held-tokens.ts';
import type { BlobStore } from '../../../blobs/blob-store.ts';
import type { EventBus, Following, RunDirectory } from '../../../bus/bus.ts';
import type { Timers } from '../../../bus/timers.ts';
import type { Ids } from '../../../runtime/clock.ts';
import type { Logger } from '../../../runtime/logger.ts';
import type { Meters } from '../../../runtime/meters.ts';
import type { Store } from '../../../store/store.ts';
import type { Agent, AgentHost, LivenessTimes } from './agent.ts';
import type { AgentBounds, AgentShares } from './agent-shares.ts';
import type { Command } from './command.ts';
import type { JobSession } from './job-session.ts';
import type { WaitTimes } from './wait-times.ts';

/** The operator's hooks around each job; see `HookFile`. */
export interface HookSource {
  hooks(): Promise<readonly Hook[]>;
}

export interface AgentChannelDeps
  extends AgentBounds,
    LivenessTimes,
    Pick<AgentHost, 'pool' | 'clock'> {
  readonly apiGroup: string;
  readonly bus: EventBus;
  readonly runs: RunDirectory;
  readonly store: Store;
  readonly blobs: BlobStore;
  /** The same files, and waits while they are away. Absent where a failure does not pass by itself. */
  readonly patientBlobs?: BlobStore;
  readonly ids: Ids;
  readonly logger: Logger;
  /** Delays between two looks at all agents. */
  readonly timers: Timers;
  /** Null when there are none. */
  readonly hooks: HookSource | null;
  /** Largest file that an agent may send, in bytes. */
  readonly fileBytesMax: number;
  readonly meters: Pick<Meters, 'dispatchSeconds'>;
  /** Reports when the tokens of agents end; absent where tokens never end. */
  readonly heldTokens?: Pick<HeldTokens, 'hold' | 'release'>;
  /** Only the agents of this process exist, so a job that fits none of them need not wait. */
  readonly isLocal?: boolean;
}

export interface AgentChannelContext extends AgentChannelDeps, AgentHost {
  readonly agents: Map<AgentId, Agent>;
  readonly agentShares: AgentShares;
  /** A job asks for an environment. */
  readonly requestReceived: (event: ExecutionCommandEvent) => void;
  /** A job that asked for an environment got one. */
  readonly requestAnswered: (jobId: JobId) => void;
  /** Before the release of a job is published: with it, the agent may get the next job of the run. */
  readonly handOn: (agent: Agent, session: JobSession) => Promise<HandOn>;
  /** Resolves when an idle channel has got its next job, if there is one for it. */
  readonly placed: (channelId: ChannelId) => Promise<void>;
  /** Work that failed to be stored and that no sender repeats; at most one entry per job and agent. */
  readonly unfinished: Set<() => Promise<void>>;
  readonly waits: WaitTimes;
  /** Tags that no agent has, by jobs that got an environment that does not exist. */
  readonly missingTags: Map<JobId, readonly string[]>;
}

/** The offer of an agent that comes with the release of its job. */
export interface HandOn {
  readonly following: Following;
  /** Call it when the release was published, or was not. */
  end(): void;
}

/** A job on an agent. Its work is done in order. */
export interface AgentJob {
  readonly context: AgentChannelContext;
  readonly agent: Agent;
  readonly session: JobSession;
}

/** A command of a job on an agent. */
export interface Work extends AgentJob {
  readonly command: Command;
}

/** The subject of a line of the log. */
interface AboutWork {
  readonly workflowId?: WorkflowId;
  readonly jobId?: JobId;
  readonly agentId?: AgentId;
}

/** The files of runs. An existing agent takes any answer for the last word, so it is kept waiting. */
export const blobsFor = (
  { blobs, patientBlobs = blobs }: AgentChannelContext,
  { keepsWork }: Agent,
): BlobStore => (keepsWork ? blobs : patientBlobs);

/** Runs work in the background. It logs a failure, since no caller waits. */
export function detach(
  context: AgentChannelContext,
  what: string,
  about: AboutWork,
  work: Promise<unknown>,
): void {
  work.catch((error) => context.logger.error({ err: error, ...about }, `${what} failed.`));
}

/**
 * Does work that a run waits for and that nobody would ask for again. `retryUnfinished` repeats failed work, so `work` must be safe
 * to repeat. Never rejects; resolves after the first try.
 */
export async function insist(
  context: AgentChannelContext,
  what: string,
  about: AboutWork,
  work: () => Promise<unknown>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    context.logger.error({ err: error, ...about }, `${what} failed, and is tried again.`);
    context.unfinished.add(() => insist(context, what, about, work));
  }
}

/** Like `insist`, in the order of the job's work. */
export const insistInTurn = (
  { context, session }: Omit<AgentJob, 'agent'>,
  what: string,
  work: () => Promise<unknown>,
): Promise<void> => insist(context, what, session.about, () => session.inOrder(work));

/** Repeats work that failed before. */
export function retryUnfinished({ unfinished }: AgentChannelContext): void {
  const again = [...unfinished];
  unfinished.clear();
  for (const work of again) void work();
}
