/**
 * Dispatches the events of a commit. It makes outbox rows, which the arranger writes with the events. When the events are durable, it calls
 * the subscribers in this process. It knows all subscribers and publishes nothing, so the arranger is built on it, and the bus on both.
 */
import {
  isRunEvent,
  type LoggedEvent,
  type PublicationId,
  type RunEvent,
  type RunEventKind,
  type RunEventOf,
  type SubscriptionId,
} from '@tutti/manifests';
import { asksForLabels } from '@tutti/selectors';
import type { Clock, Ids } from '../runtime/clock.ts';
import type { Logger } from '../runtime/logger.ts';
import { createMeters, type Meters } from '../runtime/meters.ts';
import type { OutboxWrite, Store } from '../store/store.ts';
import { createAcknowledger } from './acknowledger.ts';
import type { CommittedEvent, Dispatcher } from './bus.ts';
import { DurableSubscribers } from './durable-subscribers.ts';
import { BUS_LIMITS, type BusLimits } from './limits.ts';
import { OutboxRows } from './outbox-rows.ts';
import { PublicationTaps } from './publication-taps.ts';
import { mayCarryOut, type SubscriptionRecord } from './subscription-record.ts';
import { SubscriptionRegistry } from './subscription-registry.ts';
import { systemTimers, type Timers } from './timers.ts';

export interface DispatcherDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  readonly apiGroup: string;
  readonly timers?: Timers;
  /** At least 0, below 1; spreads retries. */
  readonly random?: () => number;
  readonly limits?: Partial<BusLimits>;
  /** Counters of deliveries. */
  readonly meters?: Pick<Meters, 'deliveries' | 'deliverySeconds' | 'droppedDeliveries'>;
}

export class CommitDispatcher implements Dispatcher {
  /** The bus uses these parts, too. */
  readonly deps;
  readonly registry: SubscriptionRegistry;
  readonly subscribers: Dispatch;
  readonly durable: DurableSubscribers;
  readonly rows: OutboxRows;
  readonly taps = new PublicationTaps();
  #isStarted = false;

  constructor({ timers = systemTimers, random = Math.random, ...given }: DispatcherDeps) {
    const { store, logger, meters = createMeters() } = given;
    const limits: BusLimits = { ...BUS_LIMITS, ...given.limits };
    const acknowledger = createAcknowledger({ store, timers, logger, limits });
    this.deps = { ...given, timers, random, meters, limits, acknowledger };
    this.registry = new SubscriptionRegistry(given.apiGroup, limits.subscriptionsBytes);
    this.subscribers = new Dispatch(logger);
    this.durable = new DurableSubscribers(this.deps);
    this.rows = new OutboxRows(this.deps);
  }

  /** Before, durable subscribers are not called: what they would look at may not be loaded yet. */
  start(): void {
    this.#isStarted = true;
  }

  async stop(): Promise<void> {
    this.#isStarted = false;
    await this.durable.stop();
  }

  outboxFor(events: readonly CommittedEvent[]): readonly OutboxWrite[] {
    this.taps.prepare(events);
    return events.flatMap((event) => this.#rowsOf(event));
  }

  #rowsOf({ event, json, shown }: CommittedEvent): readonly OutboxWrite[] {
    const services = this.durable.idsFor(event);
    if (services.length === 0 && this.registry.inboxCount === 0) return [];
    const publicationId = this.deps.ids.ordered<PublicationId>();
    const groups = this.registry.readersOf(event).flatMap(({ apiVersion, records }) => {
      const workers = records.filter((record) => carriesOut(record, event));
      const readers = records.filter((record) => !workers.includes(record));
      return [
        ...this.rows.inVersion({ apiVersion, records: workers }, { event, json }, publicationId),
        ...this.rows.inVersion({ apiVersion, records: readers }, shown, publicationId),
      ];
    });
    const toServices = { subscriptionIds: services, publicationId, body: json };
    return services.length === 0 ? groups : [toServices, ...groups];
  }

  committed(events: readonly LoggedEvent[], firstSeq: number): void {
    events.forEach((event, index) => {
      this.registry.countForBuiltIns(event, this.deps.clock.now());
      for (const id of this.durable.idsFor(event)) this.wake(id);
      this.subscribers.call(event, firstSeq + index);
      this.taps.committed(event);
    });
  }

  /** Has a durable subscriber look at what is in the outbox for it. */
  wake(id: SubscriptionId): void {
    if (this.#isStarted) this.durable.wake(id);
  }

  /** Brings a request for an environment once more to the inboxes that asked for such commands and that answer. */
  async askAgain(request: RunEventOf<'ExecutionCommand'>): Promise<void> {
    const publicationId = this.deps.ids.ordered<PublicationId>();
    const json = JSON.stringify(request);
    for (const { apiVersion, records } of this.registry.readersOf(request)) {
      // The backlog of an inbox that does not answer would only grow.
      const asked = records.filter(
        (record) => carriesOut(record, request) && record.activity.failures === 0,
      );
      const readers = { apiVersion, records: asked };
      const outbox = this.rows.inVersion(readers, { event: request, json }, publicationId);
      if (outbox.length > 0) await this.deps.store.write({ outbox });
    }
  }

  /** Stores the event for that durable subscriber, as if it had just been committed. */
  async deliverAgain(name: string, event: RunEvent): Promise<void> {
    const id = this.durable.idOf(name, event.kind);
    const publicationId = this.deps.ids.ordered<PublicationId>();
    const write = { subscriptionIds: [id], publicationId, body: JSON.stringify(event) };
    await this.deps.store.write({ outbox: [write] });
    this.wake(id);
  }
}

/** A subscription carries out a command if it names that kind and its maker has the right. It gets what is hidden from others. */
function carriesOut(record: SubscriptionRecord, event: LoggedEvent): boolean {
  const { selector = {} } = record.spec;
  if (selector.matchKind !== event.kind || !isRunEvent(event)) return false;
  if (!mayCarryOut(record, event.metadata.namespace)) return false;
  const { kind } = event;
  // Channels take all commands for environments; functions are asked for by their labels.
  return kind === 'ExecutionCommand' || (kind.endsWith('Command') && asksForLabels(selector));
}

type EventHandler = (event: LoggedEvent, seq: number) => void;

/** Calls subscribers in this process: synchronously, in the order they subscribed, each event after the one before. */
class Dispatch {
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
