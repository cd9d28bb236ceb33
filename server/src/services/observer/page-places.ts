/** Where pages of chosen test cases begin, for who reads one after the other. */
import type { WorkflowId } from '@tutti/manifests';

/** Pages that are remembered, of all questions together; the one that was not used for longest goes first. */
const PLACES_MAX = 1_000;
/** Questions with longer texts are answered from the first test case on. */
const QUESTION_LENGTH_MAX = 1_024;

/** What chooses among the test cases of one run, as texts. */
export interface Question {
  readonly workflowId: WorkflowId;
  readonly scope: string | null;
  readonly fieldSelector: string | null;
}

export interface PlacesOfQuestion {
  /** Number of the test case, among all of the run, that is the one of this number among the chosen; null when unknown. */
  find(chosen: number): number | null;
  remember(chosen: number, place: number): void;
}

/**
 * Without it a reader of all pages would have the first test cases looked at again for each of them. Only for runs that are over:
 * in others a test case can come into a scope later, before a place that is remembered.
 */
export class PagePlaces {
  readonly #places = new Map<string, number>();

  /** Null for what is not remembered. */
  of(question: Question): PlacesOfQuestion | null {
    const text = JSON.stringify([question.workflowId, question.scope, question.fieldSelector]);
    if (text.length > QUESTION_LENGTH_MAX) return null;
    return {
      find: (chosen) => this.#find(`${chosen} ${text}`),
      remember: (chosen, place) => this.#remember(`${chosen} ${text}`, place),
    };
  }

  #find(key: string): number | null {
    const place = this.#places.get(key);
    if (place === undefined) return null;
    this.#remember(key, place);
    return place;
  }

  /** As the newest. */
  #remember(key: string, place: number): void {
    this.#places.delete(key);
    this.#places.set(key, place);
    if (this.#places.size <= PLACES_MAX) return;
    const [oldest] = this.#places.keys();
    if (oldest !== undefined) this.#places.delete(oldest);
  }
}
