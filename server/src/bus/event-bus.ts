/**
 * The event bus (contract in bus.ts). What belongs to a commit is decided here and written there: the arranger asks for outbox
 * rows before it appends, and says when they are durable.
 *
 * Built, then connected to the gate of the runs, then started, then stopped, once each. Events are dispatched in this process as
 * soon as they are committed; what is in the outbox moves only between start and stop, so durable subscribers never meet a run
 * that nobody has loaded yet if the bus starts after the arranger.
 */
import {
  isRunEvent,
  type LoggedEvent,
  type OtherEvent,
  type RunEvent,
  type RunEventKind,
  type RunEventOf,
  type Subscription,
  type SubscriptionId,
} from '@tutti/manifests';
import { asksForLabels, type SubscriptionSelector } from '@tutti/selectors';
import type { Clock, Ids } from '../runtime/clock.ts';
import type { Logger } from '../runtime/logger.ts';
import { createMeters, type Meters } from '../runtime/meters.ts';
import type { OutgoingPolicy } from '../runtime/outgoing-policy.ts';
import type { Service } from '../runtime/service.ts';
import type { OutboxEntry, OutboxWrite, Store } from '../store/store.ts';
import { type Acknowledger, createAcknowledger } from './acknowledger.ts';
import type {
  CommittedEvent,
  Dispatcher,
  EventBus,
  Publication,
  PublicationId,
  PublishOptions,
  PublishOutcome,
  RunGate,
} from './bus.ts';
import { Dispatch } from './dispatch.ts';
import { DurableSubscribers } from './durable-subscribers.ts';
import { createInboxClient } from './inbox-client.ts';
import { BUS_LIMITS, type BusLimits } from './limits.ts';
import { meteredInboxClient } from './metered-inbox-client.ts';
import { createOutboxDelivery, type OutboxDelivery } from './outbox-delivery.ts';
import { discardOutbox, giveUpSurplus, type OutboxRemovalDeps } from './outbox-removal.ts';
import { OutboxRows } from './outbox-rows.ts';
import { PublicationTaps, type Tap } from './publication-taps.ts';
import {
  type ListedSubscription,
  mayCarryOut,
  type NamespaceScope,
  type SubscriptionMaker,
  type SubscriptionRecord,
} from './subscription-record.ts';
import { count, namespaceOf, SubscriptionRegistry } from './subscription-registry.ts';
import { Subscriptions } from './subscriptions.ts';
import { type SubscriptionTokens, SuspendedSubscriptions } from './suspended-subscriptions.ts';
import { systemTimers, type Timers } from './timers.ts';

export interface EventBusDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  readonly apiGroup: string;
  /** Which inboxes may be asked. */
  readonly outgoing: OutgoingPolicy;
  readonly timers?: Timers;
  /** At least 0, below 1; spreads retries. */
  readonly random?: () => number;
  readonly limits?: Partial<BusLimits>;
  /** Where the bearer of a token may carry out commands, for subscriptions of earlier versions. */
  readonly commandsOf?: (token: string) => Promise<NamespaceScope>;
  /** Says which subscriptions count; all do if absent. */
  readonly tokens?: SubscriptionTokens;
  /** Where deliveries are counted. */
  readonly meters?: Pick<Meters, 'deliveries' | 'deliverySeconds' | 'droppedDeliveries'>;
}

/** What the rest of the server sees of the bus beside its ports. */
export interface ServerEventBus extends EventBus, Dispatcher, Service {
  /** Must be called before the first event is published. */
  connect(gate: RunGate): void;
  /** Like `publish`, for an event of a plugin whose kind no run knows. */
  publishOther(event: OtherEvent): Promise<PublishOutcome>;
  /** Lists a service among the subscriptions under its name; durable subscribers are listed by themselves. */
  registerBuiltIn(name: string, selector?: SubscriptionSelector): void;
  /**
   * Shows to a part of this process each publication that is about no run, after it is durable in the inboxes; the part answers
   * whether it is of use to it. It must not throw, and keeps only what its sender repeats. `scope`: what the sender reaches.
   */
  subscribePublications(takes: (publication: Publication, scope: NamespaceScope) => boolean): void;
  /** What is made ready before a command for an environment goes to an inbox that carries it out; it must not throw. */
  beforeCommands(prepare: (command: string) => Promise<void>): void;
  /** Lets a reader look on while publications pass; returns the way to end it. */
  tap(tap: Tap): () => void;
  /**
   * Brings a publication that is about no run to whoever wants it; resolves with their number once it is durable. `scope`: what
   * its sender reaches.
   */
  distribute(publication: Publication, scope: NamespaceScope): Promise<number>;
  /**
   * Hands an event of a log to the durable subscriber of that name, as if it were new: for one that did not take such events when this
   * one came. Resolves when it is durable.
   */
  deliverAgain(name: string, event: RunEvent): Promise<void>;
  /** True when some inbox asked for this kind by its name. */
  hasInboxOfKind(kind: RunEventKind): boolean;
  /** Brings a request for an environment once more to the inboxes that asked for such commands and that answer. */
  askAgain(request: RunEventOf<'ExecutionCommand'>): Promise<void>;
  /** True when some inbox gets events like this one; `byLabel`: one that asked for its labels, and may carry out commands. */
  hasInboxFor(event: LoggedEvent, options?: { readonly byLabel: boolean }): boolean;
  /**
   * The labels with which an event like this one, of its namespace, would come to an inbox that asked for its kind and for labels:
   * those of the event, but for what the inbox asked for.
   */
  labelsWanted(event: RunEvent): readonly Readonly<Record<string, string>>[];
  createSubscription(
    manifest: Subscription,
    scope: NamespaceScope,
    maker?: SubscriptionMaker,
  ): Promise<SubscriptionId>;
  /** Resolves with the name of a built-in service, which keeps its subscription, and else with null. */
  cancelSubscription(id: SubscriptionId, scope: NamespaceScope): Promise<string | null>;
  /** Suspends subscriptions whose tokens do not count any more, and resumes those whose tokens count again. */
  checkSubscriptions(): Promise<void>;
  /** Suspends those whose tokens have expired since they were looked at. */
  suspendExpired(): Promise<void>;
  /** Subscriptions that reach nothing beyond the scope, and the built-in ones; oldest first. */
  listSubscriptions(scope: NamespaceScope): ReadonlyMap<SubscriptionId, ListedSubscription>;
  /** All of them, as they stand. */
  subscriptions(): Iterable<SubscriptionRecord>;
  /** How many bytes of publications wait for the inbox of a subscription. */
  waitingBytes(id: SubscriptionId): number;
}

export function createEventBus(deps: EventBusDeps): ServerEventBus {
  return new OutboxEventBus(deps);
}

/**
 * A subscription carries out a command if it asked for that kind by its name and its maker has the right. It gets what is hidden
 * from others.
 */
function carriesOut(record: SubscriptionRecord, event: LoggedEvent): boolean {
  const { selector = {} } = record.spec;
  if (selector.matchKind !== event.kind || !isRunEvent(event)) return false;
  if (!mayCarryOut(record, event.metadata.namespace)) return false;
  const { kind } = event;
  // Channels take all commands for environments; functions are asked for by their labels.
  return kind === 'ExecutionCommand' || (kind.endsWith('Command') && asksForLabels(selector));
}

class OutboxEventBus implements ServerEventBus {
  readonly name = 'eventbus';
  readonly #deps: EventBusDeps;
  readonly #limits: BusLimits;
  readonly #timers: Timers;
  readonly #acknowledger: Acknowledger;
  readonly #dispatch: Dispatch;
  readonly #durable: DurableSubscribers;
  readonly #delivery: OutboxDelivery;
  readonly #registry: SubscriptionRegistry;
  readonly #rows: OutboxRows;
  readonly #subscriptions: Subscriptions;
  readonly #suspended: SuspendedSubscriptions;
  readonly #removal: OutboxRemovalDeps;
  readonly #taps = new PublicationTaps();
  readonly #listeners: Parameters<ServerEventBus['subscribePublications']>[0][] = [];
  #gate: RunGate | null = null;
  #beforeCommand: ((command: string) => Promise<void>) | null = null;
  #phase: 'BUILT' | 'STARTED' | 'STOPPED' = 'BUILT';
  #sweeping: Promise<void> = Promise.resolve();
  #cancelSweep: () => void = () => {};

  constructor(deps: EventBusDeps) {
    const limits = { ...BUS_LIMITS, ...deps.limits };
    const { timers = systemTimers, random = Math.random, store, logger } = deps;
    this.#deps = deps;
    this.#registry = new SubscriptionRegistry(deps.apiGroup, limits.subscriptionsBytes);
    this.#limits = limits;
    this.#timers = timers;
    this.#dispatch = new Dispatch(logger);
    this.#acknowledger = createAcknowledger({ store, timers, logger, limits });
    const shared = { store, timers, logger, random, limits, acknowledger: this.#acknowledger };
    this.#durable = new DurableSubscribers(shared);
    const { meters = createMeters(), clock } = deps;
    const client = meteredInboxClient(
      createInboxClient(timers, limits, deps.outgoing),
      clock,
      meters,
    );
    const mayReceive = (record: SubscriptionRecord) => this.#suspended.mayReceive(record);
    const prepare = (record: SubscriptionRecord, body: string | Uint8Array) =>
      this.#prepare(record, body);
    this.#delivery = createOutboxDelivery({ ...shared, client, mayReceive, prepare });
    this.#suspended = new SuspendedSubscriptions({
      tokens: deps.tokens ?? null,
      registry: this.#registry,
      delivery: this.#delivery,
      logger,
    });
    this.#rows = new OutboxRows({ logger, limits, meters });
    this.#removal = { store, limits, logger, meters };
    this.#subscriptions = new Subscriptions({
      commandsOf: async () => '*',
      ...deps,
      limits,
      timers,
      registry: this.#registry,
      delivery: this.#delivery,
    });
    store.watchOutbox({
      added: (entry) => this.#wasStored(entry),
      removed: (id, size) => this.#rows.removed(id, size),
    });
  }

  connect(gate: RunGate): void {
    this.#gate = gate;
  }

  async start(): Promise<void> {
    await this.#subscriptions.load();
    await this.checkSubscriptions();
    await this.#loadBacklogs();
    this.#phase = 'STARTED';
    await this.#sweep();
    this.#sweepLater();
  }

  async stop(): Promise<void> {
    this.#phase = 'STOPPED';
    this.#cancelSweep();
    await Promise.all([this.#sweeping, this.#subscriptions.stop()]);
    await Promise.all([this.#durable.stop(), this.#delivery.stop()]);
    await this.#acknowledger.stop();
  }

  publish(event: RunEvent, options: PublishOptions = {}): Promise<PublishOutcome> {
    return this.#submit(event, options);
  }

  publishOther(event: OtherEvent): Promise<PublishOutcome> {
    return this.#submit(event, {});
  }

  async #submit(event: LoggedEvent, options: PublishOptions): Promise<PublishOutcome> {
    if (this.#gate === null) throw new Error('The bus is not connected to the runs.');
    return await this.#gate.submit(event.metadata.workflow_id, event, options);
  }

  subscribe<Kind extends RunEventKind>(
    kind: Kind,
    handler: (event: RunEventOf<Kind>) => void,
  ): () => void {
    // Handlers of a kind are called with events of this kind alone.
    return this.#dispatch.add(kind, (event) => handler(event as RunEventOf<Kind>));
  }

  subscribeAll(handler: (event: LoggedEvent, seq: number) => void): () => void {
    return this.#dispatch.add(null, handler);
  }

  subscribeDurably<Kind extends RunEventKind>(
    name: string,
    kind: Kind,
    filter: (event: RunEventOf<Kind>) => boolean,
    handler: (event: RunEventOf<Kind>, signal: AbortSignal) => Promise<void>,
    giveUp: (event: RunEventOf<Kind>) => Promise<void> = async () => undefined,
  ): void {
    if (this.#phase !== 'BUILT') throw new Error(`${name} subscribes after the bus has started.`);
    this.#durable.add({
      name,
      kind,
      // As above: all are only called with events of this kind.
      filter: (event) => filter(event as RunEventOf<Kind>),
      handle: (event, signal) => handler(event as RunEventOf<Kind>, signal),
      giveUp: (event) => giveUp(event as RunEventOf<Kind>),
    });
    this.registerBuiltIn(name, { matchKind: kind });
  }

  async deliverAgain(name: string, event: RunEvent): Promise<void> {
    const id = this.#durable.idOf(name, event.kind);
    const publicationId = this.#deps.ids.ordered<PublicationId>();
    const write = { subscriptionIds: [id], publicationId, body: JSON.stringify(event) };
    await this.#deps.store.write({ outbox: [write] });
    if (this.#phase === 'STARTED') this.#durable.wake(id);
  }

  registerBuiltIn(name: string, selector: SubscriptionSelector = {}): void {
    this.#subscriptions.addBuiltIn(name, selector);
  }

  outboxFor(events: readonly CommittedEvent[]): readonly OutboxWrite[] {
    this.#taps.prepare(events);
    return events.flatMap((event) => this.#rowsOf(event));
  }

  #rowsOf({ event, json, shown }: CommittedEvent): readonly OutboxWrite[] {
    const services = this.#durable.idsFor(event);
    if (services.length === 0 && this.#registry.inboxCount === 0) return [];
    const publicationId = this.#deps.ids.ordered<PublicationId>();
    const groups = this.#registry.readersOf(event).flatMap(({ apiVersion, records }) => {
      const workers = records.filter((record) => carriesOut(record, event));
      const readers = records.filter((record) => !workers.includes(record));
      return [
        ...this.#rows.inVersion({ apiVersion, records: workers }, { event, json }, publicationId),
        ...this.#rows.inVersion({ apiVersion, records: readers }, shown, publicationId),
      ];
    });
    const toServices = { subscriptionIds: services, publicationId, body: json };
    return services.length === 0 ? groups : [toServices, ...groups];
  }

  committed(events: readonly LoggedEvent[], firstSeq: number): void {
    events.forEach((event, index) => {
      const nowMs = this.#deps.clock.now();
      this.#registry.countForBuiltIns(event, nowMs);
      if (this.#phase === 'STARTED') this.#wakeDurable(event);
      this.#dispatch.call(event, firstSeq + index);
      this.#taps.committed(event);
    });
  }

  async distribute(publication: Publication, scope: NamespaceScope): Promise<number> {
    const namespace = namespaceOf(publication);
    // Without a namespace it would reach inboxes of all, which its sender may not.
    const isForInboxes = scope === '*' || namespace !== null;
    const inboxes = isForInboxes ? await this.#deliver(publication) : 0;
    if (isForInboxes) this.#taps.distributed(publication, namespace);
    return inboxes + this.#listeners.filter((takes) => takes(publication, scope)).length;
  }

  beforeCommands(prepare: (command: string) => Promise<void>): void {
    this.#beforeCommand = prepare;
  }

  async #prepare({ spec }: SubscriptionRecord, body: string | Uint8Array): Promise<void> {
    if (this.#beforeCommand === null || spec.selector?.matchKind !== 'ExecutionCommand') return;
    await this.#beforeCommand(typeof body === 'string' ? body : Buffer.from(body).toString());
  }

  tap(tap: Tap): () => void {
    return this.#taps.add(tap);
  }

  subscribePublications(takes: (publication: Publication, scope: NamespaceScope) => boolean): void {
    this.#listeners.push(takes);
  }

  async #deliver(publication: Publication): Promise<number> {
    const records = this.#registry.inboxesFor(publication);
    if (records.length === 0) return 0;
    const publicationId = this.#deps.ids.ordered<PublicationId>();
    const body = () => JSON.stringify(publication);
    const outbox = this.#rows.forInboxes(records, body, publicationId);
    if (outbox.length > 0) await this.#deps.store.write({ outbox });
    return records.length;
  }

  hasInboxOfKind(kind: RunEventKind): boolean {
    return this.#registry.hasInboxOfKind(kind);
  }

  async askAgain(request: RunEventOf<'ExecutionCommand'>): Promise<void> {
    const publicationId = this.#deps.ids.ordered<PublicationId>();
    const json = JSON.stringify(request);
    for (const { apiVersion, records } of this.#registry.readersOf(request)) {
      // What waits for one that does not answer would only become more.
      const asked = records.filter(
        (record) => carriesOut(record, request) && record.activity.failures === 0,
      );
      const outbox = this.#rows.inVersion(
        { apiVersion, records: asked },
        { event: request, json },
        publicationId,
      );
      if (outbox.length === 0) continue;
      await this.#deps.store.write({ outbox });
    }
  }

  hasInboxFor(event: LoggedEvent, { byLabel } = { byLabel: false }): boolean {
    const inboxes = this.#registry.readersOf(event).flatMap(({ records }) => records);
    const { namespace } = event.metadata;
    return inboxes.some(
      (record) =>
        !byLabel || (asksForLabels(record.spec.selector ?? {}) && mayCarryOut(record, namespace)),
    );
  }

  labelsWanted(event: RunEvent): readonly Readonly<Record<string, string>>[] {
    return this.#registry.labelsWanted(event);
  }

  createSubscription(
    manifest: Subscription,
    scope: NamespaceScope,
    maker: SubscriptionMaker = {},
  ): Promise<SubscriptionId> {
    return this.#subscriptions.create(manifest, scope, maker);
  }

  cancelSubscription(id: SubscriptionId, scope: NamespaceScope): Promise<string | null> {
    return this.#subscriptions.cancel(id, scope);
  }

  suspendExpired(): Promise<void> {
    return this.#suspended.suspendExpired();
  }

  checkSubscriptions(): Promise<void> {
    return this.#suspended.checkAll(this.#phase === 'STARTED');
  }

  listSubscriptions(scope: NamespaceScope): ReadonlyMap<SubscriptionId, ListedSubscription> {
    return this.#subscriptions.list(scope);
  }

  subscriptions(): Iterable<SubscriptionRecord> {
    return this.#registry.all();
  }

  waitingBytes(id: SubscriptionId): number {
    return this.#rows.bytesOf(id);
  }

  async #loadBacklogs(): Promise<void> {
    for (const [id, size] of await this.#deps.store.outboxSizes()) {
      const record = this.#registry.get(id);
      if (record?.isBuiltIn === false) this.#rows.load(record, size);
    }
  }

  /** Durable subscribers are woken later: they may look at what the event did to its run. */
  #wasStored(entry: OutboxEntry): void {
    const record = this.#registry.get(entry.subscriptionId);
    if (record?.isBuiltIn !== false) return;
    count(record, this.#deps.clock.now());
    this.#rows.stored(record, entry);
    const isDelivered = this.#phase === 'STARTED' && record.activity.suspended === null;
    if (isDelivered) this.#delivery.offer(record, entry);
  }

  #wakeDurable(event: LoggedEvent): void {
    for (const id of this.#durable.idsFor(event)) this.#durable.wake(id);
  }

  #sweepLater(): void {
    if (this.#phase !== 'STARTED') return;
    this.#cancelSweep = this.#timers.after(this.#limits.sweepMs, () => {
      this.#sweeping = this.#sweep()
        .catch((error) =>
          this.#deps.logger.error({ err: error }, 'The outbox could not be looked through.'),
        )
        .then(() => this.#sweepLater());
    });
  }

  /** Wakes who has entries, and removes the entries of those who are gone, or have too many. */
  async #sweep(): Promise<void> {
    for (const id of await this.#deps.store.outboxSubscriptions()) {
      if (this.#phase !== 'STARTED') return;
      const record = this.#registry.get(id);
      if (this.#durable.has(id)) this.#durable.wake(id);
      else if (record !== null) await this.#sweepInbox(record);
      else await discardOutbox(this.#removal, id);
    }
  }

  async #sweepInbox(record: SubscriptionRecord): Promise<void> {
    await giveUpSurplus(this.#removal, record);
    const isDelivered = this.#phase === 'STARTED' && record.activity.suspended === null;
    if (isDelivered) this.#delivery.wake(record);
  }
}
