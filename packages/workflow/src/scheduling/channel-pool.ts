/**
 * The channel pool. Indexes bound the cost of a change by the number of request classes that the changed channel could serve. The numbers
 * of channels and of waiting requests do not matter.
 *
 * - Channels are indexed by tag, to find the channels of a new class. Classes are indexed by tag, to find the classes of a new channel.
 * - A class whose last request left is kept for a while: jobs with the same needs come again.
 */
import type { ChannelId, JobId, WaitingReason } from '@tutti/manifests';
import { NO_QUEUE, queueOf, waitingIn } from './channel-queue.ts';
import {
  type ChannelPlace,
  type ChannelState,
  canServe,
  createChannelState,
  describeChannel,
  parseNamespaces,
} from './channel-state.ts';
import { ClassCounts } from './class-counts.ts';
import type {
  Assignment,
  ChannelPhase,
  ChannelPool,
  ChannelQueue,
  PoolChannel,
  PooledChannel,
  PoolRequest,
  QueueQuery,
  WaitingChange,
  WaitingList,
} from './pool-types.ts';
import { ensure, RequestClass, type WaitingRequest } from './request-class.ts';
import { compareRequests } from './request-queue.ts';
import { ServedNamespaces } from './served-namespaces.ts';
import { TagCensus } from './tag-census.ts';
import { reasonOf, signatureOf } from './waiting-reason.ts';

export type {
  Assignment,
  ChannelJob,
  ChannelPhase,
  ChannelPool,
  PoolChannel,
  PooledChannel,
  PoolRequest,
  WaitingChange,
} from './pool-types.ts';

/** Classes without requests that are kept; each costs one set entry per channel it matches. */
const UNUSED_CLASSES_MAX = 256;
/** Requests of one queue that learn which jobs hold the environments they wait for. */
const NEXT_IN_LINE_MAX = 10;
/** The index entry of channels and classes without tags; no tag is empty. */
const NO_TAG = '';

/** `changed` is told the namespaces of each channel that comes, goes, or is in another phase. It must not change the pool. */
export function createChannelPool(changed: (namespaces: string) => void = () => {}): ChannelPool {
  return new IndexedChannelPool(changed);
}

class IndexedChannelPool implements ChannelPool {
  readonly #channels = new Map<ChannelId, ChannelState>();
  readonly #channelsByTag = new Map<string, Set<ChannelState>>();
  readonly #census = new TagCensus();
  readonly #requests = new Map<JobId, WaitingRequest>();
  readonly #classes = new Map<string, RequestClass>();
  readonly #classesByTag = new Map<string, Set<RequestClass>>();
  readonly #classesOf = new Map<ChannelState, Set<RequestClass>>();
  readonly #unused = new Set<RequestClass>();
  readonly #counts = new ClassCounts();
  /** Classes with a request and an idle channel. */
  readonly #ready = new Set<RequestClass>();
  /** Classes that may have requests whose reason was not given yet. */
  readonly #unreported = new Set<RequestClass>();
  /** Classes with a request whose channels or whose first ones may have changed since `nextInLine`. */
  readonly #moved = new Set<RequestClass>();
  readonly #served = new ServedNamespaces();
  /** The channel whose job ended last. The next job of a chain begins there, in the answer to the release. */
  #lastDone: ChannelState | null = null;
  readonly #changed: (namespaces: string) => void;

  constructor(changed: (namespaces: string) => void) {
    this.#changed = changed;
  }

  upsertChannel(channel: PoolChannel): void {
    const state = this.#channels.get(channel.channelId);
    if (state === undefined) {
      this.#link(createChannelState(channel));
    } else if (servesTheSame(state.channel, channel)) {
      state.channel = channel;
    } else {
      this.#unlink(state);
      state.channel = channel;
      state.tags = new Set(channel.tags);
      state.namespaces = parseNamespaces(channel.namespaces);
      this.#link(state);
    }
  }

  removeChannel(channelId: ChannelId): void {
    const state = this.#channels.get(channelId);
    if (state === undefined) return;
    this.#unlink(state);
  }

  setPhase(...[channelId, phase, more = {}]: Parameters<ChannelPool['setPhase']>): void {
    const state = this.#channels.get(channelId);
    if (state === undefined) return;
    const job = more.job === undefined ? state.job : more.job;
    if (state.phase === 'BUSY' && phase === 'IDLE') this.#lastDone = state;
    // Without a new date, a repeated phase keeps the date it began.
    state.since = more.since ?? (state.phase === phase ? state.since : null);
    this.#move(state, { phase, job: phase === 'IDLE' ? null : job });
  }

  setDraining(channelId: ChannelId, isDraining: boolean): void {
    const state = this.#channels.get(channelId);
    if (state !== undefined) this.#move(state, { isDraining });
  }

  phaseOf(channelId: ChannelId): ChannelPhase | null {
    return this.#channels.get(channelId)?.phase ?? null;
  }

  channelOf(channelId: ChannelId): PooledChannel | null {
    const state = this.#channels.get(channelId);
    return state === undefined ? null : describeChannel(state);
  }

  *channels(): Iterable<PooledChannel> {
    for (const state of this.#channels.values()) yield describeChannel(state);
  }

  hasRoomFor({ namespace, tags }: Pick<PoolRequest, 'namespace' | 'tags'>): boolean {
    return this.#classes.has(keyOf(namespace, sortedTags(tags))) || this.#counts.hasRoom(namespace);
  }

  isCrowded(namespaces: string): boolean {
    return [...parseNamespaces(namespaces)].some((each) => this.#counts.isCrowded(each));
  }

  addRequest(request: PoolRequest): void {
    if (this.#requests.has(request.jobId)) return;
    const requestClass = this.#classFor(request);
    this.#requests.set(request.jobId, requestClass.add(request));
    this.#unused.delete(requestClass);
    this.#unreported.add(requestClass);
    this.#refresh(requestClass);
  }

  removeRequest(jobId: JobId): void {
    const waiting = this.#requests.get(jobId);
    if (waiting === undefined) return;
    const { requestClass } = waiting;
    this.#requests.delete(jobId);
    requestClass.remove(waiting);
    this.#refresh(requestClass);
    if (requestClass.queue.size > 0) return;
    this.#unreported.delete(requestClass);
    this.#moved.delete(requestClass);
    this.#unused.add(requestClass);
  }

  hasRequest(jobId: JobId): boolean {
    return this.#requests.has(jobId);
  }

  takeAssignments(limit: number): Assignment[] {
    const assignments: Assignment[] = [];
    while (assignments.length < limit) {
      const request = this.#next();
      const state = request?.requestClass.firstIdle(this.#lastDone);
      if (request === null || state === undefined || state === null) break;
      assignments.push(this.#assign(request.request, state));
    }
    return assignments;
  }

  takeNext(
    ...[channelId, { workflowId, asked }]: Parameters<ChannelPool['takeNext']>
  ): PoolRequest | null {
    const state = this.#channels.get(channelId);
    if (state === undefined || state.isDraining || state.phase !== 'BUSY') return null;
    const request = this.#firstOf(state) ?? this.#firstAsked(state, asked);
    if (request?.workflowId !== workflowId) return null;
    this.removeRequest(request.jobId);
    this.#served.add(request.namespace);
    return request;
  }

  /** The waiting request that the channel gets when its job ends. Then that job counts for its namespace no more. */
  #firstOf(state: ChannelState): PoolRequest | null {
    let best: WaitingRequest | null = null;
    for (const { queue } of this.#classesOf.get(state) ?? []) {
      const candidate = queue.first();
      if (candidate !== null && (best === null || this.#compare(candidate, best, state) < 0))
        best = candidate;
    }
    return best?.request ?? null;
  }

  /** A channel with more tags than an idle one stays free. */
  #firstAsked(state: ChannelState, asked: readonly PoolRequest[]): PoolRequest | null {
    const isNext = ({ namespace, tags }: PoolRequest) => {
      const requestClass = this.#classes.get(keyOf(namespace, sortedTags(tags)));
      const isServed = requestClass !== undefined && this.#classesOf.get(state)?.has(requestClass);
      return isServed === true && requestClass.fewestIdleTags >= state.tags.size;
    };
    return asked.find(isNext) ?? null;
  }

  queueOf(channelId: ChannelId, query: QueueQuery): ChannelQueue {
    const state = this.#channels.get(channelId);
    if (state === undefined) return NO_QUEUE;
    return queueOf(state, this.#classes.values(), query, (left, right) =>
      this.#compare(left, right),
    );
  }

  waiting({ limit, sees }: QueueQuery): WaitingList {
    const seen = [...this.#classes.values()].filter(
      ({ queue, namespace }) => queue.size > 0 && sees(namespace),
    );
    const listed = waitingIn(seen, limit, (left, right) => this.#compare(left, right));
    // Requests of one class share their reason.
    const reasons = new Map<RequestClass, WaitingReason | null>();
    const items = listed.map((each) => {
      const requestClass = this.#requests.get(each.request.jobId)?.requestClass;
      if (requestClass === undefined) return { ...each, reason: null };
      const reason = reasons.get(requestClass) ?? reasonOf(requestClass, this.#census);
      reasons.set(requestClass, reason);
      return { ...each, reason };
    });
    return { items, total: seen.reduce((sum, { queue }) => sum + queue.size, 0) };
  }

  waitingReason(jobId: JobId): WaitingReason | null {
    const waiting = this.#requests.get(jobId);
    return waiting === undefined ? null : reasonOf(waiting.requestClass, this.#census);
  }

  waitingChanged(limit: number): WaitingChange[] {
    const changes: WaitingChange[] = [];
    for (const requestClass of this.#unreported) {
      const room = limit - changes.length;
      const reason = reasonOf(requestClass, this.#census);
      const waiting = requestClass.takeUnreported(room);
      if (waiting.length < room) this.#unreported.delete(requestClass);
      if (reason === null) continue;
      for (const { request } of waiting) {
        changes.push({ jobId: request.jobId, workflowId: request.workflowId, reason });
      }
      if (changes.length >= limit) break;
    }
    return changes;
  }

  nextInLine(limit: number): WaitingChange[] {
    const waiting: WaitingChange[] = [];
    for (const requestClass of this.#moved) {
      if (waiting.length + NEXT_IN_LINE_MAX > limit) break;
      this.#moved.delete(requestClass);
      const reason = reasonOf(requestClass, this.#census);
      if (reason?.reason !== 'busy') continue;
      for (const { request } of requestClass.queue.firstOnes(NEXT_IN_LINE_MAX)) {
        waiting.push({ jobId: request.jobId, workflowId: request.workflowId, reason });
      }
    }
    return waiting;
  }

  #next(): WaitingRequest | null {
    let best: WaitingRequest | null = null;
    for (const { queue } of this.#ready) {
      const candidate = queue.first();
      if (candidate !== null && (best === null || this.#compare(candidate, best) < 0))
        best = candidate;
    }
    return best;
  }

  /** Negative when `left` is served first. Both fit the channel that is `freed`, if there is one. */
  #compare(left: WaitingRequest, right: WaitingRequest, freed: ChannelState | null = null): number {
    const [one, other] = [left.requestClass, right.requestClass];
    const usedBy = ({ used, namespace }: RequestClass) =>
      freed?.job?.namespace === namespace ? used - 1 : used;
    return (
      usedBy(one) - usedBy(other) ||
      this.#served.lastOf(one.namespace) - this.#served.lastOf(other.namespace) ||
      compareRequests(left.request, right.request)
    );
  }

  #assign(request: PoolRequest, state: ChannelState): Assignment {
    const { jobId, workflowId, namespace } = request;
    this.removeRequest(jobId);
    state.since = null;
    this.#served.add(namespace);
    this.#move(state, { phase: 'PENDING', job: { namespace, workflowId, jobId } });
    return { request, channelId: state.channel.channelId };
  }

  #move(state: ChannelState, to: Partial<ChannelPlace>): void {
    const place = { phase: state.phase, isDraining: state.isDraining, job: state.job, ...to };
    const { phase, isDraining, job } = place;
    if (phase === state.phase && isDraining === state.isDraining && job === state.job) return;
    const classes = this.#classesOf.get(state) ?? [];
    for (const requestClass of classes) requestClass.leave(state);
    Object.assign(state, place);
    this.#changed(state.channel.namespaces);
    for (const requestClass of classes) {
      requestClass.enter(state);
      this.#refresh(requestClass);
    }
  }

  #link(state: ChannelState): void {
    this.#channels.set(state.channel.channelId, state);
    this.#changed(state.channel.namespaces);
    for (const tag of [NO_TAG, ...state.tags]) ensure(this.#channelsByTag, tag).add(state);
    this.#census.add(state);
    for (const requestClass of this.#classesSharingTags(state)) {
      if (canServe(state, requestClass.tags, requestClass.namespace))
        this.#join(state, requestClass);
      this.#refresh(requestClass);
    }
  }

  #unlink(state: ChannelState): void {
    this.#channels.delete(state.channel.channelId);
    this.#changed(state.channel.namespaces);
    for (const tag of [NO_TAG, ...state.tags]) drop(this.#channelsByTag, tag, state);
    this.#census.remove(state);
    const classes = this.#classesOf.get(state);
    this.#classesOf.delete(state);
    for (const requestClass of classes ?? []) {
      requestClass.leave(state);
      this.#counts.add(requestClass.namespace, { classes: 0, matches: -1 });
    }
    // Refreshes classes that the channel did not serve, too. It may have been the last to carry one of their tags.
    for (const requestClass of this.#classesSharingTags(state)) this.#refresh(requestClass);
  }

  #classesSharingTags(state: ChannelState): Set<RequestClass> {
    const classes = new Set<RequestClass>();
    for (const tag of [NO_TAG, ...state.tags]) {
      for (const requestClass of this.#classesByTag.get(tag) ?? []) classes.add(requestClass);
    }
    return classes;
  }

  #join(state: ChannelState, requestClass: RequestClass): void {
    requestClass.enter(state);
    ensure(this.#classesOf, state).add(requestClass);
    this.#counts.add(requestClass.namespace, { classes: 0, matches: 1 });
  }

  #classFor(request: PoolRequest): RequestClass {
    const tags = sortedTags(request.tags);
    const key = keyOf(request.namespace, tags);
    const known = this.#classes.get(key);
    if (known !== undefined) return known;
    const requestClass = new RequestClass(key, tags, request.namespace);
    this.#classes.set(key, requestClass);
    this.#counts.add(request.namespace, { classes: 1, matches: 0 });
    for (const tag of indexTags(tags)) ensure(this.#classesByTag, tag).add(requestClass);
    for (const state of this.#rarest(tags)) {
      if (canServe(state, tags, request.namespace)) this.#join(state, requestClass);
    }
    return requestClass;
  }

  /** Channels that carry the one of these tags that the fewest channels carry. */
  #rarest(tags: readonly string[]): ReadonlySet<ChannelState> {
    let rarest = this.#channelsByTag.get(NO_TAG) ?? new Set<ChannelState>();
    for (const tag of tags) {
      const channels = this.#channelsByTag.get(tag) ?? new Set<ChannelState>();
      if (channels.size < rarest.size) rarest = channels;
    }
    return rarest;
  }

  /** Follows up on any change of a class's queue or channels. */
  #refresh(requestClass: RequestClass): void {
    const signature = signatureOf(requestClass, this.#census);
    if (signature !== requestClass.signature) {
      requestClass.signature = signature;
      if (requestClass.queue.size > 0) this.#unreported.add(requestClass);
    }
    if (requestClass.queue.size > 0) this.#moved.add(requestClass);
    if (requestClass.isReady) this.#ready.add(requestClass);
    else this.#ready.delete(requestClass);
  }

  forgetUnused(): boolean {
    const [oldest] = this.#unused;
    if (oldest === undefined || this.#unused.size <= UNUSED_CLASSES_MAX) return false;
    this.#forget(oldest);
    return true;
  }

  #forget(requestClass: RequestClass): void {
    const { key, namespace, matching } = requestClass;
    this.#unused.delete(requestClass);
    this.#classes.delete(key);
    this.#counts.add(namespace, { classes: -1, matches: -matching });
    for (const tag of indexTags(requestClass.tags)) drop(this.#classesByTag, tag, requestClass);
    for (const state of this.#rarest(requestClass.tags)) drop(this.#classesOf, state, requestClass);
  }
}

function servesTheSame(left: PoolChannel, right: PoolChannel): boolean {
  return (
    left.namespaces === right.namespaces &&
    left.tags.length === right.tags.length &&
    left.tags.every((tag, index) => tag === right.tags[index])
  );
}

const sortedTags = (tags: readonly string[]): readonly string[] => [...new Set(tags)].sort();

const keyOf = (namespace: string, tags: readonly string[]): string =>
  [namespace, ...tags].join('\0');

function indexTags(tags: readonly string[]): readonly string[] {
  return tags.length === 0 ? [NO_TAG] : tags;
}

function drop<Key, Item>(sets: Map<Key, Set<Item>>, key: Key, item: Item): void {
  const set = sets.get(key);
  set?.delete(item);
  if (set?.size === 0) sets.delete(key);
}
