/** Moments at which the server confirms that it has stored something. Killing the server right then finds premature confirmations. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Confirmation } from './fault-plan.ts';

export class Moments {
  readonly #waiting = new Map<Confirmation, Set<() => void>>();

  /** True at the next such moment; false when there is none within this time. */
  async next(confirmation: Confirmation, withinMs: number): Promise<boolean> {
    const waiting = this.#waiting.get(confirmation) ?? new Set();
    this.#waiting.set(confirmation, waiting);
    let come: () => void = () => undefined;
    const moment = new Promise<true>((resolve) => {
      come = () => resolve(true);
      waiting.add(come);
    });
    const late = new AbortController();
    const end = pause(withinMs, false, { signal: late.signal }).catch(() => false);
    const hasCome = await Promise.race([moment, end]);
    late.abort();
    waiting.delete(come);
    return hasCome;
  }

  now(confirmation: Confirmation): void {
    const waiting = this.#waiting.get(confirmation);
    this.#waiting.delete(confirmation);
    for (const come of waiting ?? []) come();
  }
}
