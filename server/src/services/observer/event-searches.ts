/** Remembers the events that selectors chose, for repeated questions: the next page, or newer events. */
import type { WorkflowId } from '@tutti/manifests';
import type { HeldBytes } from '../../runtime/byte-gate.ts';
import type { QuestionFacts } from './event-facts.ts';

export const EVENT_SEARCHES_LIMITS = {
  /** Limit of stored sequence numbers for all questions together: 4 MiB. */
  found: 500_000,
  /** Limit of questions; the least recently used one is dropped first, also above. */
  questions: 500,
  /** Questions with longer selectors are answered from the first event on, in characters. */
  selectorsLength: 1_024,
} as const;

/** A selection of events of one run, as texts. */
export interface EventQuestion {
  readonly workflowId: WorkflowId;
  readonly fieldSelector: string;
  readonly labelSelector: string;
  /** Its `maskMark`: newly masked events may no longer match. */
  readonly masks: number;
}

/** Sequence numbers of the chosen ones among the first `seen` events of a run, in order. */
export interface FoundEvents {
  readonly seen: number;
  readonly seqs: readonly number[];
}

export interface EventSearch {
  readonly found: FoundEvents;
  /** Facts that other questions about the run found. */
  readonly facts?: QuestionFacts;
  /** Counts the texts that are found, which are read last. */
  readonly held?: Pick<HeldBytes, 'readNext'>;
  remember(found: FoundEvents): void;
}

/** A search that is never remembered. */
export const NEW_SEARCH: EventSearch = {
  found: { seen: 0, seqs: [] },
  remember: () => undefined,
};

interface Entry extends FoundEvents {
  readonly masks: number;
}

/** Events never change and are only appended, so each is checked once. */
export class EventSearches {
  /** The least recently used question is first. */
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
    // Another search for the same question went further meanwhile.
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
