/** Wakes the followers of a run when it has new events. */
import { OrchestratorError } from '@tutti/manifests';
import type { EventBus } from '../../bus/bus.ts';
import { LIMITS } from '../../runtime/limits.ts';
import { type Holder, type Leave, type ShareFractions, Shares } from '../../runtime/shares.ts';

export interface FeedLimits extends ShareFractions {
  readonly followers: number;
}

export class EventFeed {
  readonly #watchers = new Map<string, Set<() => void>>();
  readonly #followersMax: number;
  readonly #shares: Shares;
  #followers = 0;

  constructor(bus: Pick<EventBus, 'subscribeAll'>, limits: FeedLimits = LIMITS) {
    const { followers: total, subjectShare, namespaceShare } = limits;
    const things = 'answers that stay open (limits.followers)';
    this.#followersMax = total;
    this.#shares = new Shares({ total, things, subjectShare, namespaceShare });
    bus.subscribeAll((event) => {
      for (const wake of this.#watchers.get(event.metadata.workflow_id) ?? []) wake();
    });
  }

  /** `topic` is the id of a run, or another topic that is woken only at the end of the server. */
  watch(topic: string, wake: () => void): () => void {
    const watchers = this.#watchers.get(topic) ?? new Set();
    this.#watchers.set(topic, watchers.add(wake));
    return () => {
      watchers.delete(wake);
      if (watchers.size === 0) this.#watchers.delete(topic);
    };
  }

  /** Counts one more open answer; call the result at its end. Throws `TooManyRequests`. */
  admit(holder: Holder): Leave {
    if (this.#followers >= this.#followersMax) throw tooMany(this.#followersMax);
    const giveBack = this.#shares.take(holder);
    this.#followers += 1;
    return () => {
      this.#followers -= 1;
      giveBack();
    };
  }

  isClosed = false;

  /** Ends all streams when the server stops; readers reconnect to the next one. */
  close(): void {
    this.isClosed = true;
    for (const watchers of this.#watchers.values()) for (const wake of watchers) wake();
  }
}

const tooMany = (limit: number): OrchestratorError =>
  new OrchestratorError(
    'TooManyRequests',
    `${limit} readers follow workflows, which is the limit. Try again later.`,
  );
