/** Time and identity for the whole process: the only place that reads the clock or draws an id. */
import { randomUUID } from 'node:crypto';
import { type Brand, formatTimestamp, type Timestamp } from '@tutti/manifests';

export interface Clock {
  /** Milliseconds since 1970, with microseconds as a fraction. */
  now(): number;
  timestamp(): Timestamp;
}

export const systemClock: Clock = {
  now: () => performance.timeOrigin + performance.now(),
  timestamp: () => formatTimestamp(performance.timeOrigin + performance.now()),
};

export interface Ids {
  /** A random id. */
  random<Id extends Brand<string, string>>(): Id;
  /** An id that sorts by the time it was drawn (UUID version 7), which keeps the store's indexes compact. */
  ordered<Id extends Brand<string, string>>(): Id;
}

export function createIds(clock: Clock): Ids {
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
