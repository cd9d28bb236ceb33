/** Counts the steps that agents have done. */
import type { AgentObserver } from './synthetic-agent.ts';

/** Commands for setup and release of a job: they are no steps. */
const NO_STEP = /\/-\d+$/;

export class StepCount {
  #done = 0;
  #awaited: { readonly count: number; readonly resolve: () => void } | null = null;

  readonly observer: AgentObserver = {
    confirmed: (commandId) => {
      if (NO_STEP.test(commandId)) return;
      this.#done += 1;
      if (this.#done === this.#awaited?.count) this.#awaited.resolve();
    },
  };

  /** Resolves when `count` more steps are done. */
  more(count: number): Promise<void> {
    return new Promise((resolve) => {
      this.#awaited = { count: this.#done + count, resolve };
    });
  }
}
