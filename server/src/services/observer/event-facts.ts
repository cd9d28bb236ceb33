/** What is known of the events of runs that have many, between one question about them and the next. */
import type { WorkflowId } from '@tutti/manifests';
import type { Condition } from '@tutti/selectors';
import { type Decided, RunFacts } from './run-facts.ts';

export const EVENT_FACTS_LIMITS = {
  /** Of runs with fewer events nothing is kept: reading all of them takes milliseconds. */
  eventsMin: 1_000,
  /** Memory that it takes, roughly: of some hundred thousand events. The run that was not asked about for longest goes first. */
  bytes: 32 * 1024 * 1024,
} as const;

/** What is known for one question about the events of a run. */
export interface QuestionFacts {
  /** Events that are known: so many from the first on. */
  readonly seen: number;
  /** Which of the known events from `first` on are chosen. */
  decide(first: number): Decided;
  /** Events come in the order of the log; any other is passed over. */
  learn(seq: number, event: object): void;
}

/** Of a question of which nothing is ever known. */
export const NO_FACTS: QuestionFacts = {
  seen: 0,
  decide: () => ({ chosen: [], open: [] }),
  learn: () => undefined,
};

/** `masks` is the `maskMark` of the run: an event in which more is masked may be another one. */
interface Entry {
  readonly masks: number;
  readonly facts: RunFacts;
}

export class EventFacts {
  /** The run that was asked about last at the end. */
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
      decide: (first) => facts.decide(conditions, first),
      learn: (seq, event) => {
        if (facts.bytes > EVENT_FACTS_LIMITS.bytes) return;
        facts.learn(seq, event);
        if (seq === EVENT_FACTS_LIMITS.eventsMin) this.#keep(workflowId, entry);
      },
    };
  }

  /** As the newest. */
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
