/** Which events of runs selectors chose, for who asks the same again: for the next page, or for what came since. */
import type { WorkflowId } from '@tutti/manifests';
import type { HeldBytes } from '../../runtime/byte-gate.ts';
import type { QuestionFacts } from './event-facts.ts';

export const EVENT_SEARCHES_LIMITS = {
  /** Sequence numbers that are remembered, of all questions together: 4 MiB. */
  found: 500_000,
  /** Questions; the one that was not asked for longest goes first, here and above. */
  questions: 500,
  /** Questions with longer selectors are answered from the first event on, in characters. */
  selectorsLength: 1_024,
} as const;

/** What chooses among the events of one run, as texts. */
export interface EventQuestion {
  readonly workflowId: WorkflowId;
  readonly fieldSelector: string;
  readonly labelSelector: string;
  /** Its `maskMark`: an event in which more is masked may not be chosen any more. */
  readonly masks: number;
}

/** Sequence numbers of the chosen ones among the first `seen` events of a run, in order. */
export interface FoundEvents {
  readonly seen: number;
  readonly seqs: readonly number[];
}

export interface EventSearch {
  readonly found: FoundEvents;
  /** What other questions about the run brought. */
  readonly facts?: QuestionFacts;
  /** Counts the texts that are found, which are read last. */
  readonly held?: Pick<HeldBytes, 'readNext'>;
  remember(found: FoundEvents): void;
}

/** Of a question that is never remembered. */
export const NEW_SEARCH: EventSearch = {
  found: { seen: 0, seqs: [] },
  remember: () => undefined,
};

interface Entry extends FoundEvents {
  readonly masks: number;
}

/** Events never change and none comes before another that is there, so what was looked at once need not be looked at again. */
export class EventSearches {
  /** The question that was asked last at the end. */
  readonly #entries = new Map<string, Entry>();
  #foundCount = 0;

  of({ workflowId, fieldSelector, labelSelector, masks }: EventQuestion): EventSearch {
    const { selectorsLength } = EVENT_SEARCHES_LIMITS;
    if (fieldSelector.length + labelSelector.length > selectorsLength) return NEW_SEARCH;
    const key = JSON.stringify([workflowId, fieldSelector, labelSelector]);
    const entry = this.#entries.get(key);
    const found = entry !== undefined && entry.masks === masks ? entry : NEW_SEARCH.found;
    return {
      found,
      remember: ({ seen, seqs }) => this.#remember(key, { masks, seen, seqs }),
    };
  }

  #remember(key: string, entry: Entry): void {
    const known = this.#entries.get(key);
    // Another search for the same has come further meanwhile.
    const isOlder = known !== undefined && known.masks === entry.masks && known.seen > entry.seen;
    this.#forget(key);
    this.#entries.set(key, isOlder ? known : entry);
    this.#foundCount += (isOlder ? known : entry).seqs.length;
    const { found, questions } = EVENT_SEARCHES_LIMITS;
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= questions && this.#foundCount <= found) return;
      this.#forget(oldest);
    }
  }

  #forget(key: string): void {
    this.#foundCount -= this.#entries.get(key)?.seqs.length ?? 0;
    this.#entries.delete(key);
  }
}
