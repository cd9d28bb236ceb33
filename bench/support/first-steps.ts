/** When the first steps of jobs came to their agents. */
import type { AgentObserver } from './synthetic-agent.ts';

const FIRST_STEP = '/0';

export class FirstSteps {
  #atMs: number[] = [];
  #awaited: { readonly count: number; readonly resolve: (atMs: readonly number[]) => void } | null =
    null;

  readonly observer: AgentObserver = {
    received: (commandId, atMs) => {
      if (!commandId.endsWith(FIRST_STEP)) return;
      this.#atMs.push(atMs);
      const { count, resolve } = this.#awaited ?? {};
      if (this.#atMs.length === count) resolve?.(this.#atMs);
    },
  };

  /** Resolves with the times of the next `count` first steps. */
  next(count: number): Promise<readonly number[]> {
    this.#atMs = [];
    return new Promise((resolve) => {
      this.#awaited = { count, resolve };
    });
  }
}
