/** The events of one run, folded as they come: with the same functions as the command line, at any moment. */
import { createClient } from '@tutti/client';
import type { LoggedEvent } from '@tutti/manifests';
import {
  emptyRunStory,
  type Mark,
  Moments,
  markOf,
  type RunStory,
  reduceRunStory,
  reduceRunView,
} from '@tutti/run-view';
import { pageFetch, SERVER } from './api.ts';

/** How the page is connected with the run. Times are epoch milliseconds. */
export type RunLink =
  | { readonly phase: 'opening' | 'live' | 'ended' }
  | { readonly phase: 'lost'; readonly since: number; readonly retryAt: number }
  | { readonly phase: 'failed'; readonly error: unknown };

/** What readers see of the stream. It is a new object after each change. */
export interface RunNews {
  /** Number of events so far. */
  readonly total: number;
  readonly link: RunLink;
}

/** At most four times a second: more would cost time and tell nobody more. */
const NEWS_INTERVAL_MS = 250;

const isResults = (event: LoggedEvent): boolean =>
  event.kind === 'Notification' &&
  (event as { readonly spec?: { readonly testResults?: unknown } }).spec?.testResults !== undefined;

/** The story with counts of test cases, which it leaves to servers otherwise. */
const COUNTED_STORY = {
  empty: emptyRunStory,
  next: (story: RunStory, event: LoggedEvent): RunStory =>
    isResults(event)
      ? { ...story, view: reduceRunView(story.view, event) }
      : reduceRunStory(story, event),
};

const pause = (ms: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    signal?.addEventListener('abort', abort, { once: true });
  });

export class RunStream {
  readonly #runId: string;
  readonly #readers = new Set<() => void>();
  #moments = new Moments(COUNTED_STORY);
  #marks: Mark[] = [];
  #news: RunNews = { total: 0, link: { phase: 'opening' } };
  #link: RunLink = { phase: 'opening' };
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(runId: string) {
    this.#runId = runId;
  }

  readonly subscribe = (reader: () => void): (() => void) => {
    this.#readers.add(reader);
    return () => this.#readers.delete(reader);
  };

  readonly news = (): RunNews => this.#news;

  get marks(): readonly Mark[] {
    return this.#marks;
  }

  at(seq: number): RunStory {
    return this.#moments.at(seq);
  }

  events(from: number, to: number): readonly LoggedEvent[] {
    return this.#moments.events(from, to);
  }

  /** Follows the run from its beginning, until the returned function is called. */
  start(): () => void {
    const end = new AbortController();
    this.#moments = new Moments(COUNTED_STORY);
    this.#marks = [];
    this.#link = { phase: 'opening' };
    void this.#follow(end.signal);
    return () => {
      end.abort();
      clearTimeout(this.#timer);
      this.#timer = undefined;
    };
  }

  async #follow(signal: AbortSignal): Promise<void> {
    const client = createClient({
      baseUrl: SERVER,
      fetch: pageFetch,
      sleep: (ms) => {
        if (this.#link.phase === 'lost') {
          this.#link = { ...this.#link, retryAt: Date.now() + ms };
          this.#tell();
        }
        return pause(ms, signal);
      },
    });
    try {
      for await (const item of client.watch(this.#runId, { signal })) {
        if (item.type === 'event') this.#add(item.event);
        else if (item.type === 'end') this.#link = { phase: 'ended' };
        else if (item.phase === 'back') this.#link = { phase: 'live' };
        else this.#link = { phase: 'lost', since: Date.now(), retryAt: Date.now() };
        this.#tell();
      }
    } catch (error) {
      if (signal.aborted) return;
      this.#link = { phase: 'failed', error };
      this.#tell();
    }
  }

  #add(event: LoggedEvent): void {
    this.#moments.add([event]);
    const seq = this.#moments.length;
    const mark = markOf(event, this.#moments.at(seq).view, seq);
    if (mark !== null) this.#marks.push(mark);
    if (this.#link.phase !== 'live') this.#link = { phase: 'live' };
  }

  #tell(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#news = { total: this.#moments.length, link: this.#link };
      for (const reader of this.#readers) reader();
    }, NEWS_INTERVAL_MS);
  }
}
