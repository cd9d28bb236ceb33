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
import { whileSeen } from './seen.ts';

/** The connection of the page with the run. Times are epoch milliseconds. */
export type RunLink =
  | { readonly phase: 'opening' | 'live' | 'ended' }
  | { readonly phase: 'lost'; readonly since: number; readonly retryAt: number }
  | { readonly phase: 'failed'; readonly error: unknown };

/** The state of the stream for its readers: a new object after each change. */
export interface RunNews {
  /** Number of events so far. */
  readonly total: number;
  /** All events are here that there were at the start. */
  readonly isCaughtUp: boolean;
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
  #news: RunNews = { total: 0, isCaughtUp: false, link: { phase: 'opening' } };
  #link: RunLink = { phase: 'opening' };
  #known = 0;
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

  /** Follows the run from its beginning, until the returned function is called. `known` is the number of its events. */
  start(known: number): () => void {
    this.#known = known;
    this.#moments = new Moments(COUNTED_STORY);
    this.#marks = [];
    this.#link = { phase: 'opening' };
    let end: AbortController | null = null;
    const open = () => {
      if (end !== null || this.#link.phase === 'ended') return;
      end = new AbortController();
      void this.#follow(end.signal);
    };
    const close = () => {
      end?.abort();
      end = null;
    };
    open();
    const leave = whileSeen({ open, close });
    return () => {
      leave();
      close();
      clearTimeout(this.#timer);
      this.#timer = undefined;
    };
  }

  async #follow(signal: AbortSignal): Promise<void> {
    const client = createClient({
      baseUrl: SERVER,
      // A stream that is opened again goes on behind the events that are here.
      fetch: (url, { headers, ...request }) =>
        pageFetch(url, {
          ...request,
          headers: { 'last-event-id': String(this.#moments.length), ...headers },
        }),
      sleep: (ms) => {
        if (this.#link.phase === 'lost') {
          this.#link = { ...this.#link, retryAt: Date.now() + ms };
          this.#publish();
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
        this.#publish();
      }
    } catch (error) {
      if (signal.aborted) return;
      this.#link = { phase: 'failed', error };
      this.#publish();
    }
  }

  #add(event: LoggedEvent): void {
    this.#moments.add([event]);
    const seq = this.#moments.length;
    const mark = markOf(event, this.#moments.at(seq).view, seq);
    if (mark !== null) this.#marks.push(mark);
    if (this.#link.phase !== 'live') this.#link = { phase: 'live' };
  }

  #publish(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      const total = this.#moments.length;
      this.#news = { total, isCaughtUp: total > 0 && total >= this.#known, link: this.#link };
      for (const reader of this.#readers) reader();
    }, NEWS_INTERVAL_MS);
  }
}
