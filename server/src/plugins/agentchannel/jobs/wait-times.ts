/** Times that jobs waited for an environment since the server started, by namespace and tags. */
import { parseTimestamp } from '@tutti/manifests';
import type { Job, PoolRequest } from '@tutti/workflow';

export const WAIT_TIMES_LIMITS = {
  /** Sets of tags; the one that was used least recently leaves. */
  sets: 1_000,
  /** Newest times of each: a queue may be longer today than it was yesterday. */
  times: 20,
} as const;

type Asked = Pick<PoolRequest, 'namespace' | 'tags'>;

const keyOf = ({ namespace, tags }: Asked): string =>
  [namespace, ...new Set(tags)].sort().join('\0');

export class WaitTimes {
  /** In milliseconds, the newest last. */
  readonly #times = new Map<string, readonly number[]>();

  /** The job gets an environment at that time, in epoch milliseconds. */
  note(asked: Asked, job: Job | null, nowMs: number): void {
    const sinceMs = job?.requestedAt == null ? null : parseTimestamp(job.requestedAt);
    if (sinceMs === null) return;
    const key = keyOf(asked);
    const times = [...(this.#times.get(key) ?? []), Math.max(0, nowMs - sinceMs)];
    this.#times.delete(key);
    this.#times.set(key, times.slice(-WAIT_TIMES_LIMITS.times));
    const [oldest] = this.#times.keys();
    if (this.#times.size > WAIT_TIMES_LIMITS.sets && oldest !== undefined)
      this.#times.delete(oldest);
  }

  /** The median in milliseconds; null if nobody waited. */
  usual(asked: Asked): number | null {
    const times = this.#times.get(keyOf(asked))?.toSorted((left, right) => left - right) ?? [];
    const median = times[Math.floor(times.length / 2)];
    return median === undefined ? null : Math.round(median);
  }
}
