/** What the channel pool is told, and what it answers. */

import type { ChannelId, JobId, Timestamp, WaitingReason, WorkflowId } from '@tutti/manifests';

/** Specification 3.1. */
export type ChannelPhase = 'IDLE' | 'PENDING' | 'BUSY' | 'UNREACHABLE';

export interface PoolChannel {
  readonly channelId: ChannelId;
  readonly handlerId: string;
  readonly name: string;
  /** `*`, one name, or names separated by commas; empty means `default`. */
  readonly namespaces: string;
  readonly tags: readonly string[];
}

export interface ChannelJob {
  /** That of its run: jobs of other namespaces are not told which job it is. */
  readonly namespace: string;
  readonly workflowId: WorkflowId;
  readonly jobId: JobId;
}

/** A channel and where it stands. */
export interface PooledChannel extends PoolChannel {
  readonly phase: ChannelPhase;
  readonly job: ChannelJob | null;
  /** Since when it is in its phase, as far as the caller of `setPhase` said so. */
  readonly since: Timestamp | null;
  /** It takes no further job; what it does goes on to its end. */
  readonly isDraining: boolean;
}

/** A job that waits for a channel. */
export interface PoolRequest {
  readonly jobId: JobId;
  readonly workflowId: WorkflowId;
  readonly jobName: string;
  readonly namespace: string;
  readonly tags: readonly string[];
  /** Its age: lower goes first. */
  readonly order: number;
}

/** A waiting request that a channel does not serve. */
export interface UnservedRequest {
  readonly request: PoolRequest;
  /** The tags that the channel lacks; empty where it has all, and only its namespaces are others. */
  readonly missingTags: readonly string[];
}

export interface ChannelQueue {
  /** Those it serves, the first one first. */
  readonly served: readonly PoolRequest[];
  /** How many they are; `served` names at most `limit`. */
  readonly servedCount: number;
  /** Those of its namespaces whose tags it lacks, and those of other namespaces whose tags it has; the oldest first. */
  readonly unserved: readonly UnservedRequest[];
  readonly unservedCount: number;
}

export interface QueueQuery {
  readonly limit: number;
  /** Whether the reader may know of requests of this namespace. */
  readonly sees: (namespace: string) => boolean;
}

export interface Assignment {
  readonly request: PoolRequest;
  readonly channelId: ChannelId;
}

export interface WaitingChange {
  readonly jobId: JobId;
  readonly workflowId: WorkflowId;
  readonly reason: WaitingReason;
}

/**
 * Decides which waiting job gets which channel. A request takes only a channel that carries all its tags and is accessible from
 * its namespace. First goes a request whose namespace has jobs on the fewest of the channels that fit the request: what the namespace
 * has elsewhere takes nothing from others. Then goes the namespace that got a channel least recently, then the oldest request. Of the idle channels that fit, a request gets one with the fewest tags, so that special environments stay free for
 * those who need them, and among these the one idle for longest.
 *
 * A pool belongs to one caller and is not told the time: after any change the caller takes the assignments, then asks which
 * waiting reasons changed.
 */
export interface ChannelPool {
  /** Adds an idle channel, or changes what is known of a channel without changing its phase. */
  upsertChannel(channel: PoolChannel): void;
  removeChannel(channelId: ChannelId): void;
  /** An idle channel has no job; for other phases the job stays what it was unless one is given. Ignores unknown channels. */
  setPhase(
    channelId: ChannelId,
    phase: ChannelPhase,
    more?: { readonly job?: ChannelJob | null; readonly since?: Timestamp },
  ): void;
  /** A channel that drains is given to no request, whatever its phase. Ignores unknown channels. */
  setDraining(channelId: ChannelId, isDraining: boolean): void;
  phaseOf(channelId: ChannelId): ChannelPhase | null;
  channelOf(channelId: ChannelId): PooledChannel | null;
  channels(): Iterable<PooledChannel>;

  /** Whether there is room for a request with these tags: each set of tags in a namespace takes memory, and so does each channel that has them. */
  hasRoomFor(request: Pick<PoolRequest, 'namespace' | 'tags'>): boolean;
  /** Whether one of these namespaces has too many channels for what its jobs ask for; never of `*`. */
  isCrowded(namespaces: string): boolean;
  /** Does nothing when the job has a request already. */
  addRequest(request: PoolRequest): void;
  removeRequest(jobId: JobId): void;
  hasRequest(jobId: JobId): boolean;
  /** Gives up to `limit` idle channels to waiting requests: these requests are gone then, their channels `PENDING`. */
  takeAssignments(limit: number): Assignment[];
  /** Removes one set of tags that no job asks for any more, unless few are kept; answers whether it did. */
  forgetUnused(): boolean;

  /** What waits for a channel, in the order in which it would be given to it now; nothing for an unknown one. */
  queueOf(channelId: ChannelId, query: QueueQuery): ChannelQueue;
  /** Null when nothing waits under this id, or only for the next `takeAssignments`. */
  waitingReason(jobId: JobId): WaitingReason | null;
  /**
   * Up to `limit` requests whose reason differs in kind from the one given last, or that miss other tags than then; each is given
   * once per change. That a busy environment now runs another job is none.
   */
  waitingChanged(limit: number): WaitingChange[];
  /**
   * Those next in line for environments that are all taken, with who has them now: the first ten of each queue in which something
   * moved since the last call, queue by queue as far as `limit` reaches (at least ten). Whether a reason differs from the one
   * given last is for the caller to see.
   */
  nextInLine(limit: number): WaitingChange[];
}
