/** When access files are checked: with some of the requests that need them, and on demand. */
import type { Clock } from '../runtime/clock.ts';
import { AUTH_LIMITS } from './limits.ts';

export class FileLooks {
  readonly #look: () => Promise<unknown>;
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  #lookedAtMs: number;
  #looking: Promise<unknown> | null = null;

  /** `look` must not reject. The files were read just now. */
  constructor(look: () => Promise<unknown>, clock: Pick<Clock, 'monotonicMs'>) {
    this.#look = look;
    this.#clock = clock;
    this.#lookedAtMs = clock.monotonicMs();
  }

  /** A look that is due or under way, to be waited for; null for most requests. */
  due(): Promise<unknown> | null {
    const passedMs = this.#clock.monotonicMs() - this.#lookedAtMs;
    return passedMs >= AUTH_LIMITS.fileCheckMs ? this.now() : this.#looking;
  }

  now(): Promise<unknown> {
    this.#lookedAtMs = this.#clock.monotonicMs();
    this.#looking ??= this.#look().finally(() => {
      this.#looking = null;
    });
    return this.#looking;
  }
}
