/** Remembers where pages of selected test cases begin, for readers of all pages. */
import type { WorkflowId } from '@tutti/manifests';

/** Limit of stored pages for all questions; the least recently used one is dropped first. */
const PLACES_MAX = 1_000;
/** Questions with longer texts are answered from the first test case on. */
const QUESTION_LENGTH_MAX = 1_024;

/** A selection of test cases of one run, as texts. */
export interface Question {
  readonly workflowId: WorkflowId;
  readonly scope: string | null;
  readonly fieldSelector: string | null;
}

export interface PlacesOfQuestion {
  /** Number among all test cases of the run for a number among the selected; null if unknown. */
  find(chosen: number): number | null;
  remember(chosen: number, place: number): void;
}

/**
 * Without these places, each page would check the first test cases again. Only for finished runs: in others, a test case can
 * enter a scope before a remembered place.
 */
export class PagePlaces {
  readonly #places = new Map<string, number>();

  /** Null for questions that are not remembered. */
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

  /** Stores it as the newest. */
  #remember(key: string, place: number): void {
    this.#places.delete(key);
    this.#places.set(key, place);
    if (this.#places.size <= PLACES_MAX) return;
    const [oldest] = this.#places.keys();
    if (oldest !== undefined) this.#places.delete(oldest);
  }
}
