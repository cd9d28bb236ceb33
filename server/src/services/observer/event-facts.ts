/** Facts about the events of large runs, kept between two questions. */
import type { Steps, WorkflowId } from '@tutti/manifests';
import type { Condition } from '@tutti/selectors';
import { type Decided, RunFacts } from './run-facts.ts';

export const EVENT_FACTS_LIMITS = {
  /** Smaller runs keep nothing: reading all their events takes milliseconds. */
  eventsMin: 1_000,
  /** Approximate memory: some hundred thousand events. The least recently used run is dropped first. */
  bytes: 32 * 1024 * 1024,
} as const;

/** The known facts for one question about the events of a run. */
export interface QuestionFacts {
  /** Number of known events, from the first on. */
  readonly seen: number;
  /** The selected events from `first` to `last`, which are known. */
  decide(first: number, last: number): Steps<Decided>;
  /** Takes events in the order of the log; others are ignored. */
  learn(seq: number, event: object): void;
}

/** The facts of a question about which nothing is known. */
export const NO_FACTS: QuestionFacts = {
  seen: 0,
  decide: () => new RunFacts().decide([], 1, 0),
  learn: () => undefined,
};

/** `masks` is the `maskMark` of the run: with new masks, an event may differ. */
interface Entry {
  readonly masks: number;
  readonly facts: RunFacts;
}

export class EventFacts {
  /** The least recently used run is first. */
  readonly #entries = new Map<WorkflowId, Entry>();

  of(workflowId: WorkflowId, masks: number, conditions: readonly Condition[]): QuestionFacts {
    const known = this.#entries.get(workflowId);
    const isKnown = known !== undefined && known.masks === masks;
    const entry = isKnown ? known : { masks, facts: new RunFacts() };
    if (isKnown) this.#keep(workflowId, entry);
    const { facts } = entry;
    return {
      get seen() {
        return facts.seen;
      },
      decide: (first, last) => facts.decide(conditions, first, last),
      learn: (seq, event) => {
        if (facts.bytes > EVENT_FACTS_LIMITS.bytes) return;
        facts.learn(seq, event);
        if (seq === EVENT_FACTS_LIMITS.eventsMin) this.#keep(workflowId, entry);
      },
    };
  }

  /** Stores it as the newest. */
  #keep(workflowId: WorkflowId, entry: Entry): void {
    this.#entries.delete(workflowId);
    this.#entries.set(workflowId, entry);
    let bytes = 0;
    for (const { facts } of this.#entries.values()) bytes += facts.bytes;
    for (const [oldest, { facts }] of this.#entries) {
      if (bytes <= EVENT_FACTS_LIMITS.bytes || oldest === workflowId) return;
      this.#entries.delete(oldest);
      bytes -= facts.bytes;
    }
  }
}
