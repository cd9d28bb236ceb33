/** Calls subscribers in this process: synchronously, in the order they subscribed, each event after the one before. */
import { isRunEvent, type LoggedEvent, type RunEventKind } from '@tutti/manifests';
import type { Logger } from '../runtime/logger.ts';

export type EventHandler = (event: LoggedEvent, seq: number) => void;

export class Dispatch {
  readonly #logger: Logger;
  readonly #byKind = new Map<RunEventKind, Set<EventHandler>>();
  readonly #ofAllKinds = new Set<EventHandler>();

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /** Returns the way to end the subscription. Without a kind the handler is called for every event, after those of its kind. */
  add(kind: RunEventKind | null, handler: EventHandler): () => void {
    const handlers = this.#handlersOf(kind);
    // A wrapper makes each subscription its own, also when one function subscribes twice.
    const own: EventHandler = (event, seq) => handler(event, seq);
    handlers.add(own);
    return () => handlers.delete(own);
  }

  call(event: LoggedEvent, seq: number): void {
    const ofKind = isRunEvent(event) ? this.#byKind.get(event.kind) : undefined;
    for (const handler of ofKind ?? []) this.#callOne(handler, event, seq);
    for (const handler of this.#ofAllKinds) this.#callOne(handler, event, seq);
  }

  #handlersOf(kind: RunEventKind | null): Set<EventHandler> {
    if (kind === null) return this.#ofAllKinds;
    const handlers = this.#byKind.get(kind) ?? new Set<EventHandler>();
    this.#byKind.set(kind, handlers);
    return handlers;
  }

  #callOne(handler: EventHandler, event: LoggedEvent, seq: number): void {
    try {
      handler(event, seq);
    } catch (error) {
      const { kind, metadata } = event;
      const about = { err: error, kind, workflowId: metadata.workflow_id };
      this.#logger.error(about, 'A subscriber threw.');
    }
  }
}
