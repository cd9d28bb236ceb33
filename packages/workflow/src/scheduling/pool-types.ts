/** Input and output of the channel pool. */

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
  /** Namespace of the run: readers of other namespaces do not learn which job it is. */
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
  /** The channel takes no further job; its current job goes on to its end. */
  readonly isDraining: boolean;
}

/** A job that waits for a channel. */
export interface PoolRequest {
  readonly jobId: JobId;
  readonly workflowId: WorkflowId;
  readonly jobName: string;
  readonly namespace: string;
  readonly tags: readonly string[];
  /** Age of the request: the lower number goes first. */
  readonly order: number;
}

/** A waiting request that a channel does not serve. */
export interface UnservedRequest {
  readonly request: PoolRequest;
  /** The tags that the channel lacks; empty where it has all, and only its namespaces are others. */
  readonly missingTags: readonly string[];
}

export interface ChannelQueue {
  /** Requests that the channel serves, next one first. */
  readonly served: readonly PoolRequest[];
  /** Number of all such requests; `served` names at most `limit`. */
  readonly servedCount: number;
  /** Requests of its namespaces whose tags it lacks, and of other namespaces whose tags it has; oldest first. */
  readonly unserved: readonly UnservedRequest[];
  readonly unservedCount: number;
}

export interface QueueQuery {
  readonly limit: number;
  /** Whether the reader may know of requests of this namespace. */
  readonly sees: (namespace: string) => boolean;
}

/** A request of the list of all that wait. */
export interface ListedRequest {
  readonly request: PoolRequest;
  /** Its place among the requests of its namespace with the same tags, from 1. */
  readonly place: number;
  /** Null when it is being placed. */
  readonly reason: WaitingReason | null;
}

export interface WaitingList {
  readonly items: readonly ListedRequest[];
  /** Number of all of them; `items` names at most `limit`. */
  readonly total: number;
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
 * Decides which waiting job gets which channel. A request takes only a channel that carries all its tags and is accessible from its
 * namespace. First goes a request whose namespace has jobs on the fewest of the channels that fit. Its jobs on other channels do not count.
 * Then goes the namespace that got a channel least recently, then the oldest request. It gets a fitting idle channel with the fewest tags,
 * so that special environments stay free. Among these it gets the one whose job ended last, then the one idle for longest.
 *
 * A pool belongs to one caller and is not told the time. After any change the caller takes the assignments, then asks which waiting reasons
 * changed.
 */
export interface ChannelPool {
  /** Adds an idle channel, or changes its data without changing its phase. */
  upsertChannel(channel: PoolChannel): void;
  removeChannel(channelId: ChannelId): void;
  /** An idle channel has no job. In other phases the job stays unless a new one is given. Ignores unknown channels. */
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

  /**
   * True if there is room for a request with these tags. Each set of tags in a namespace takes memory, and so does each channel with these
   * tags.
   */
  hasRoomFor(request: Pick<PoolRequest, 'namespace' | 'tags'>): boolean;
  /** Whether one of these namespaces has too many channels for what its jobs ask for; never of `*`. */
  isCrowded(namespaces: string): boolean;
  /** Does nothing when the job has a request already. */
  addRequest(request: PoolRequest): void;
  removeRequest(jobId: JobId): void;
  hasRequest(jobId: JobId): boolean;
  /** Gives up to `limit` idle channels to waiting requests: these requests are gone then, their channels `PENDING`. */
  takeAssignments(limit: number): Assignment[];
  /**
   * Takes out the request of this run that gets the busy channel when its job ends. `asked`: requests that will come with that end. Null if
   * a request of another run is first, or if the pool must be asked then.
   */
  takeNext(
    channelId: ChannelId,
    next: { readonly workflowId: WorkflowId; readonly asked: readonly PoolRequest[] },
  ): PoolRequest | null;
  /** Removes one set of tags that no job asks for any more, unless few are kept; answers whether it did. */
  forgetUnused(): boolean;

  /** Requests that wait for a channel, in the order in which they would get it now. None for an unknown channel. */
  queueOf(channelId: ChannelId, query: QueueQuery): ChannelQueue;
  /** All requests, in the order in which they would get a channel that fits now. */
  waiting(query: QueueQuery): WaitingList;
  /** Null when nothing waits under this id, or only for the next `takeAssignments`. */
  waitingReason(jobId: JobId): WaitingReason | null;
  /**
   * Up to `limit` requests with a new kind of reason, or with other missing tags. Each is given once per change. A busy environment that
   * now runs another job is no change.
   */
  waitingChanged(limit: number): WaitingChange[];
  /**
   * The next requests for environments that are all taken, with the jobs that hold these. Gives the first ten of each queue that changed
   * since the last call, `limit` (at least ten) in all. The caller compares each reason with the one given last.
   */
  nextInLine(limit: number): WaitingChange[];
}
