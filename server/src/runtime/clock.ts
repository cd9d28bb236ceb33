/** Time and identity for the whole process: the only place that reads the clocks or draws an id. */
import { randomUUID } from 'node:crypto';
import { type Brand, formatTimestamp, type Timestamp } from '@tutti/manifests';

/**
 * Two clocks. The time of day follows the system's clock, also when it is set or the machine slept. It is for timestamps, and for
 * times of others such as the expiry of a token. The monotonic clock never jumps: it is for durations and deadlines.
 */
export interface Clock {
  /** The time of day in milliseconds since 1970, with microseconds as a fraction. May go back. */
  now(): number;
  timestamp(): Timestamp;
  /** Milliseconds since a fixed moment of this process. Never goes back. */
  monotonicMs(): number;
}

/** `Date` has whole milliseconds; a larger difference resets the finer clock. */
const TOLERANCE_MS = 2;

/** The time of day in microseconds: the monotonic clock counts them, and is reset when the system's clock differs. */
export function createSystemClock(
  dateMs: () => number = () => Date.now(),
  monotonicMs: () => number = () => performance.now(),
): Clock {
  let offsetMs = dateMs() - monotonicMs();
  const now = () => {
    const ofSystem = dateMs();
    const steady = monotonicMs();
    if (Math.abs(steady + offsetMs - ofSystem) > TOLERANCE_MS) offsetMs = ofSystem - steady;
    return steady + offsetMs;
  };
  return { now, timestamp: () => formatTimestamp(now()), monotonicMs };
}

export const systemClock: Clock = createSystemClock();

export interface Ids {
  /** A random id. */
  random<Id extends Brand<string, string>>(): Id;
  /** An id that sorts by the time it was drawn (UUID version 7), which keeps the store's indexes compact. */
  ordered<Id extends Brand<string, string>>(): Id;
}

export function createIds(clock: Pick<Clock, 'now'>): Ids {
  return {
    random: <Id extends Brand<string, string>>() => randomUUID() as string as Id,
    ordered: <Id extends Brand<string, string>>() => {
      const time = Math.floor(clock.now()).toString(16).padStart(12, '0');
      // Random ids are drawn many at a time, which single random bytes are not.
      const random = randomUUID().slice('xxxxxxxx-xxxx-4'.length);
      return `${time.slice(0, 8)}-${time.slice(8)}-7${random}` as Id;
    },
  };
}
