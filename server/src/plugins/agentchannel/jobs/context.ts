/** What the parts of the agent channel share. */
import type { AgentId, Hook, JobId, WorkflowId } from '@tutti/manifests';
import type { HeldTokens } from '../../../auth/held-tokens.ts';
import type { BlobStore } from '../../../blobs/blob-store.ts';
import type { EventBus, RunDirectory } from '../../../bus/bus.ts';
import type { Ids } from '../../../runtime/clock.ts';
import type { Logger } from '../../../runtime/logger.ts';
import type { Meters } from '../../../runtime/meters.ts';
import type { Store } from '../../../store/store.ts';
import type { Agent, AgentHost, LivenessTimes } from './agent.ts';
import type { AgentBounds, AgentShares } from './agent-shares.ts';
import type { Command } from './command.ts';
import type { JobSession } from './job-session.ts';

/** The hooks that the operator wants around each job here; see `HookFile`. */
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
  readonly ids: Ids;
  readonly logger: Logger;
  /** Null when there are none. */
  readonly hooks: HookSource | null;
  /** Largest file that an agent may send, in bytes. */
  readonly fileBytesMax: number;
  readonly meters: Pick<Meters, 'dispatchSeconds'>;
  /** Says when the tokens of agents end; absent where no token does. */
  readonly heldTokens?: Pick<HeldTokens, 'hold' | 'release'>;
  /** There are the agents of this process and no others: a job that none of them fits does not wait for one. */
  readonly isLocal?: boolean;
}

export interface AgentChannelContext extends AgentChannelDeps, AgentHost {
  readonly agents: Map<AgentId, Agent>;
  readonly agentShares: AgentShares;
  /** What could not be stored and has no sender who tries again; at most one entry per job and agent. */
  readonly unfinished: Set<() => Promise<void>>;
  /** Of jobs that were given an environment that does not exist: the tags that no agent has. */
  readonly missingTags: Map<JobId, readonly string[]>;
}

/** A job on an agent, to be worked on in its turn. */
export interface AgentJob {
  readonly context: AgentChannelContext;
  readonly agent: Agent;
  readonly session: JobSession;
}

/** The same for one of its commands. */
export interface Work extends AgentJob {
  readonly command: Command;
}

/** What a line of the log is about. */
export interface AboutWork {
  readonly workflowId?: WorkflowId;
  readonly jobId?: JobId;
  readonly agentId?: AgentId;
}

/** Runs what nobody waits for; its failure is logged, since there is no one to tell. */
export function detach(
  context: AgentChannelContext,
  what: string,
  about: AboutWork,
  work: Promise<unknown>,
): void {
  work.catch((error) => context.logger.error({ err: error, ...about }, `${what} failed.`));
}

/**
 * Does what a run waits for and nobody would ask for again. What fails is done again by `retryUnfinished`, so `work` must be safe
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

/** The same in the turn of the job. */
export const insistInTurn = (
  { context, session }: Omit<AgentJob, 'agent'>,
  what: string,
  work: () => Promise<unknown>,
): Promise<void> => insist(context, what, session.about, () => session.inOrder(work));

/** Tries again what failed before. */
export function retryUnfinished({ unfinished }: AgentChannelContext): void {
  const again = [...unfinished];
  unfinished.clear();
  for (const work of again) void work();
}
