/** The keys of one authority, as they were fetched last. */
import type { Clock } from '../runtime/clock.ts';
import type { Logger } from '../runtime/logger.ts';
import type { OutgoingPolicy } from '../runtime/outgoing-policy.ts';
import { parseKeySet } from './key-set.ts';
import { fetchKeySet } from './key-set-fetch.ts';
import { AUTH_LIMITS } from './limits.ts';
import type { NamespaceSet } from './token-claims.ts';
import type { TrustedKey } from './trusted-keys.ts';

export interface KeySetDeps {
  /** As `keySetAddress` answers it. */
  readonly address: URL;
  readonly namespaces: NamespaceSet;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly logger: Logger;
  readonly outgoing: OutgoingPolicy;
}

export interface FetchedKeys {
  readonly keys: readonly TrustedKey[];
  /** Time of the monotonic clock until which the keys need no new request. */
  readonly freshUntilMs: number;
}

export class KeySetCache {
  #keys: readonly TrustedKey[] = [];
  #freshUntilMs = -Infinity;
  #triedAtMs = -Infinity;
  #fetching: Promise<void> | null = null;
  readonly #deps: KeySetDeps;

  constructor(deps: KeySetDeps) {
    this.#deps = deps;
  }

  /**
   * The keys for a token that names that one (null for a token that names none). Waits for a fetch if the keys are old or lack this one. A
   * fetch that was tried a moment ago is not repeated. When it fails, the keys stay what they were.
   */
  async keysFor(keyId: string | null): Promise<FetchedKeys> {
    const { clock } = this.#deps;
    const isOld = clock.monotonicMs() >= this.#freshUntilMs;
    const isUnknown = keyId !== null && this.#keys.every(({ id }) => id !== keyId);
    if (isOld || isUnknown) {
      if (clock.monotonicMs() - this.#triedAtMs >= AUTH_LIMITS.keySetRetryMs) this.#startFetch();
      if (this.#fetching !== null) await this.#fetching;
    }
    const freshUntilMs = Math.max(this.#freshUntilMs, this.#triedAtMs + AUTH_LIMITS.keySetRetryMs);
    return { keys: this.#keys, freshUntilMs };
  }

  #startFetch(): void {
    this.#triedAtMs = this.#deps.clock.monotonicMs();
    this.#fetching ??= this.#fetch().finally(() => {
      this.#fetching = null;
    });
  }

  async #fetch(): Promise<void> {
    const { address, namespaces, clock, logger, outgoing } = this.#deps;
    try {
      this.#keys = parseKeySet(await fetchKeySet(address, outgoing), namespaces);
      this.#freshUntilMs = clock.monotonicMs() + AUTH_LIMITS.keySetFreshMs;
    } catch (error) {
      const known = this.#keys.length;
      logger.warn({ err: error, known }, `The key set ${address.href} cannot be fetched.`);
    }
  }
}
