/** What the parts of the agent channel share. */
import type { AgentId, Hook, JobId, WorkflowId } from '@tutti/manifests';
import type { ChannelPool } from '@tutti/workflow';
import type { HeldTokens } from '../../auth/held-tokens.ts';
import type { BlobStore } from '../../blobs/blob-store.ts';
import type { EventBus, RunDirectory } from '../../bus/bus.ts';
import type { Clock, Ids } from '../../runtime/clock.ts';
import type { Logger } from '../../runtime/logger.ts';
import type { Meters } from '../../runtime/meters.ts';
import type { Store } from '../../store/store.ts';
import type { Agent } from './agent.ts';
import type { AgentBounds, AgentShares } from './agent-shares.ts';

/** The hooks that the operator wants around each job here; see `HookFile`. */
export interface HookSource {
  hooks(): Promise<readonly Hook[]>;
}

export interface AgentChannelDeps extends AgentBounds {
  readonly apiGroup: string;
  readonly bus: EventBus;
  readonly runs: RunDirectory;
  readonly store: Store;
  readonly blobs: BlobStore;
  readonly pool: ChannelPool;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  /** Null when there are none. */
  readonly hooks: HookSource | null;
  /** Largest file that an agent may send, in bytes. */
  readonly fileBytesMax: number;
  readonly livenessSeconds: number;
  readonly synchronousLivenessSeconds: number;
  readonly disconnectGraceSeconds: number;
  readonly absenceSeconds: number;
  readonly meters: Pick<Meters, 'dispatchSeconds'>;
  /** Says when the tokens of agents end; absent where no token does. */
  readonly heldTokens?: Pick<HeldTokens, 'hold' | 'release'>;
  /** There are the agents of this process and no others: a job that none of them fits does not wait for one. */
  readonly isLocal?: boolean;
}

export interface AgentChannelContext extends AgentChannelDeps {
  readonly agents: Map<AgentId, Agent>;
  readonly agentShares: AgentShares;
  /** To be called after any change of channels or requests in the pool. */
  readonly poolChanged: () => void;
  /** What could not be stored and has no sender who tries again; at most one entry per job and agent. */
  readonly unfinished: Set<() => Promise<void>>;
  /** Of jobs that were given an environment that does not exist: the tags that no agent has. */
  readonly missingTags: Map<JobId, readonly string[]>;
}

/** The id of this channel handler: the same after every restart and in every replica. */
export const HANDLER_ID = '5f0c0e0a-7f0e-4b6e-9d53-a6c4a3f2b1d0';

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

/** Tries again what failed before. */
export function retryUnfinished({ unfinished }: AgentChannelContext): void {
  const again = [...unfinished];
  unfinished.clear();
  for (const work of again) void work();
}
