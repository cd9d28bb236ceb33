/**
 * Requests for the same tags in the same namespace. A channel that serves one of them serves all. So they share a queue, the matching
 * channels, and the reason why they wait. A class follows its channels as they change phase. So no decision about a class looks at its
 * requests one by one.
 */
import type { ChannelState } from './channel-state.ts';
import type { PoolRequest } from './pool-types.ts';
import { type Queued, RequestQueue } from './request-queue.ts';

export interface WaitingRequest extends Queued {
  readonly requestClass: RequestClass;
  /** Signature of the reason that was given last for this request; `NEVER_REPORTED` before the first. */
  reported: string;
}

export const NEVER_REPORTED = '';

export class RequestClass {
  readonly key: string;
  readonly tags: readonly string[];
  readonly namespace: string;
  readonly queue = new RequestQueue<WaitingRequest>();
  readonly taken = new Set<ChannelState>();
  readonly unreachable = new Set<ChannelState>();
  /** Draining channels that match, in any phase. */
  readonly draining = new Set<ChannelState>();
  /** Null while an idle channel matches: then nobody has to wait. Two reasons are the same if their signatures are. */
  signature: string | null = null;
  /** Idle channels by their number of tags. */
  readonly #idle = new Map<number, Set<ChannelState>>();
  #matching = 0;
  #used = 0;
  readonly #byReport = new Map<string, Set<WaitingRequest>>();

  constructor(key: string, tags: readonly string[], namespace: string) {
    this.key = key;
    this.tags = tags;
    this.namespace = namespace;
  }

  /** Number of channels that match, in whatever phase. */
  get matching(): number {
    return this.#matching;
  }

  /** Number of matching channels that run a job of the namespace. */
  get used(): number {
    return this.#used;
  }

  get isReady(): boolean {
    return this.queue.size > 0 && this.#idle.size > 0;
  }

  get hasIdleChannel(): boolean {
    return this.#idle.size > 0;
  }

  enter(channel: ChannelState): void {
    this.#shelf(channel).add(channel);
    this.#matching += 1;
    if (channel.job?.namespace === this.namespace) this.#used += 1;
  }

  /** The channel must be in the phase, drain or not, have the job and carry the tags it entered with. */
  leave(channel: ChannelState): void {
    const shelf = this.#shelf(channel);
    shelf.delete(channel);
    if (shelf.size === 0 && shelf === this.#idle.get(channel.tags.size)) {
      this.#idle.delete(channel.tags.size);
    }
    this.#matching -= 1;
    if (channel.job?.namespace === this.namespace) this.#used -= 1;
  }

  /** Infinite without an idle channel. */
  get fewestIdleTags(): number {
    return Math.min(...this.#idle.keys());
  }

  /** The idle channel to use next: fewest tags, then the preferred one, then idle for longest. */
  firstIdle(preferred: ChannelState | null): ChannelState | null {
    const idle = this.#idle.get(this.fewestIdleTags);
    if (preferred !== null && idle?.has(preferred)) return preferred;
    const [channel] = idle ?? [];
    return channel ?? null;
  }

  add(request: PoolRequest): WaitingRequest {
    const waiting = { request, requestClass: this, reported: NEVER_REPORTED, position: -1 };
    this.queue.add(waiting);
    this.#reportsOf(NEVER_REPORTED).add(waiting);
    return waiting;
  }

  remove(waiting: WaitingRequest): void {
    this.queue.remove(waiting);
    this.#dropReport(waiting);
  }

  /** Up to `limit` requests whose reason was not given yet; they count as reported from then on. */
  takeUnreported(limit: number): WaitingRequest[] {
    const signature = this.signature;
    const taken: WaitingRequest[] = [];
    if (signature === null) return taken;
    for (const [reported, requests] of this.#byReport) {
      if (reported === signature) continue;
      for (const waiting of requests) {
        if (taken.length >= limit) return taken;
        taken.push(waiting);
        this.#dropReport(waiting);
        waiting.reported = signature;
        this.#reportsOf(signature).add(waiting);
      }
    }
    return taken;
  }

  #shelf(channel: ChannelState): Set<ChannelState> {
    if (channel.isDraining) return this.draining;
    if (channel.phase === 'UNREACHABLE') return this.unreachable;
    if (channel.phase !== 'IDLE') return this.taken;
    return ensure(this.#idle, channel.tags.size);
  }

  #reportsOf(signature: string): Set<WaitingRequest> {
    return ensure(this.#byReport, signature);
  }

  #dropReport(waiting: WaitingRequest): void {
    const requests = this.#reportsOf(waiting.reported);
    requests.delete(waiting);
    if (requests.size === 0) this.#byReport.delete(waiting.reported);
  }
}

export function ensure<Key, Item>(sets: Map<Key, Set<Item>>, key: Key): Set<Item> {
  let set = sets.get(key);
  if (set === undefined) {
    set = new Set();
    sets.set(key, set);
  }
  return set;
}
