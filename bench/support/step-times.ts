/** When results went out and the commands after them came in. */
import type { AgentObserver } from './synthetic-agent.ts';

export interface Turn {
  /** From the result was sent to the next command was there. */
  readonly fromSentMs: number;
  /** From the answer to the result to the next command; 0 when the command came first. */
  readonly fromConfirmedMs: number;
}

interface Step {
  sentMs: number;
  confirmedMs: number | null;
  nextMs: number | null;
}

export class StepTimes {
  readonly turns: Turn[] = [];
  /** Resolves when that many jobs have ended. */
  readonly allReleased: Promise<void>;
  readonly #jobsEnded = Promise.withResolvers<void>();
  readonly #steps = new Map<string, Step>();
  #jobsLeft: number;

  constructor(jobs: number) {
    this.#jobsLeft = jobs;
    this.allReleased = this.#jobsEnded.promise;
  }

  readonly observer: AgentObserver = {
    posted: (commandId, atMs) => {
      this.#steps.set(commandId, { sentMs: atMs, confirmedMs: null, nextMs: null });
    },
    confirmed: (commandId, atMs) => {
      const step = this.#steps.get(commandId);
      if (commandId.endsWith('/-2')) this.#ended(commandId);
      else if (step !== undefined) {
        step.confirmedMs = atMs;
        this.#conclude(commandId, step);
      }
    },
    received: (commandId, atMs) => {
      const [jobId, sequence] = commandId.split('/');
      // The release follows the last step as quickly, but is no step.
      const before = `${jobId}/${Number(sequence) - 1}`;
      const step = this.#steps.get(before);
      if (step === undefined || Number(sequence) < 1) return;
      step.nextMs = atMs;
      this.#conclude(before, step);
    },
  };

  #conclude(commandId: string, { sentMs, confirmedMs, nextMs }: Step): void {
    if (confirmedMs === null || nextMs === null) return;
    this.#steps.delete(commandId);
    this.turns.push({
      fromSentMs: nextMs - sentMs,
      fromConfirmedMs: Math.max(0, nextMs - confirmedMs),
    });
  }

  #ended(commandId: string): void {
    this.#steps.delete(commandId);
    this.#jobsLeft -= 1;
    if (this.#jobsLeft === 0) this.#jobsEnded.resolve();
  }
}
