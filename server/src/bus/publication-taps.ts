/**
 * Readers in this process that watch publications. Each gets what an inbox of its maker would get, once it is durable. Nothing is kept for
 * them, so that a reader that is not there misses what passes.
 */
import { type LoggedEvent, publishedEvent } from '@tutti/manifests';
import type { CommittedEvent } from './bus.ts';
import type { NamespaceScope } from './subscription-record.ts';

export interface Tap {
  /** Namespaces that the reader reaches. */
  readonly scope: NamespaceScope;
  /** Must not throw and must not block. */
  take(publication: object, json: string): void;
}

export class PublicationTaps {
  readonly #taps = new Set<Tap>();
  /** Events on their way to the disk, as they may be shown. */
  readonly #shown = new WeakMap<LoggedEvent, CommittedEvent['shown']>();

  /** Returns the way to end it. */
  add(tap: Tap): () => void {
    this.#taps.add(tap);
    return () => this.#taps.delete(tap);
  }

  /** Before the events are durable; where nobody looks on, nothing is kept. */
  prepare(events: readonly CommittedEvent[]): void {
    if (this.#taps.size === 0) return;
    for (const { event, shown } of events) this.#shown.set(event, shown);
  }

  /** An event that was prepared before the first reader came is not shown: it is older than the reader. */
  committed(event: LoggedEvent): void {
    if (this.#taps.size === 0) return;
    const shown = this.#shown.get(event);
    if (shown === undefined) return;
    const published = publishedEvent(shown.event);
    const json = published === shown.event ? shown.json : JSON.stringify(published);
    this.#offer(published, json, event.metadata.namespace);
  }

  /** A publication that is about no run. */
  distributed(publication: object, namespace: string | null): void {
    if (this.#taps.size === 0) return;
    this.#offer(publication, JSON.stringify(publication), namespace);
  }

  #offer(publication: object, json: string, namespace: string | null): void {
    for (const { scope, take } of this.#taps) {
      if (scope === '*' || (namespace !== null && scope.has(namespace))) take(publication, json);
    }
  }
}
