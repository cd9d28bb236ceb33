/**
 * The event bus (contract in bus.ts). It publishes through the gate of the runs, keeps the subscriptions, and delivers the outbox.
 *
 * Started, then stopped, once each. Events are dispatched in this process as soon as they are committed. Outbox rows move only between
 * start and stop. The bus starts after the arranger, so durable subscribers never meet a run that is not loaded yet. Its subscriptions are
 * there before the arranger, which at once does what was due while no server ran.
 */
import type {
  LoggedEvent,
  OtherEvent,
  RunEvent,
  RunEventKind,
  RunEventOf,
  Subscription,
  SubscriptionId,
} from '@tutti/manifests';
import { asksForLabels, type SubscriptionSelector } from '@tutti/selectors';
import { loadedOnce } from '../runtime/loaded-once.ts';
import type { OutgoingPolicy } from '../runtime/outgoing-policy.ts';
import type { Service } from '../runtime/service.ts';
import type { OutboxEntry } from '../store/store.ts';
import type {
  DurableSubscriber,
  EventBus,
  Publication,
  PublicationId,
  PublishOptions,
  PublishOutcome,
  RunGate,
} from './bus.ts';
import type { CommitDispatcher } from './commit-dispatcher.ts';
import { createInboxClient, meteredInboxClient } from './inbox-client.ts';
import { createOutboxDelivery, type OutboxDelivery } from './outbox-delivery.ts';
import { discardOutbox, giveUpSurplus } from './outbox-removal.ts';
import type { OutboxRows } from './outbox-rows.ts';
import type { Tap } from './publication-taps.ts';
import {
  type ListedSubscription,
  mayCarryOut,
  type NamespaceScope,
  type SubscriptionMaker,
  type SubscriptionRecord,
} from './subscription-record.ts';
import { count, namespaceOf, type SubscriptionRegistry } from './subscription-registry.ts';
import { Subscriptions } from './subscriptions.ts';
import { type SubscriptionTokens, SuspendedSubscriptions } from './suspended-subscriptions.ts';

export interface EventBusDeps {
  readonly dispatcher: CommitDispatcher;
  /** The gate that takes events about runs. */
  readonly gate: RunGate;
  /** Which inboxes may be asked. */
  readonly outgoing: OutgoingPolicy;
  /** Namespaces in which the bearer of a token may carry out commands, for subscriptions of earlier versions. */
  readonly commandsOf?: (token: string) => Promise<NamespaceScope>;
  /** Says which subscriptions count; all do if absent. */
  readonly tokens?: SubscriptionTokens;
}

/** The bus for the rest of the server, which needs more than its ports. */
export interface ServerEventBus extends EventBus, Service {
  /** Reads the subscriptions. Start it before the runs: an event reaches only the inboxes that are known at its commit. */
  readonly subscriptionsLoading: Service;
  /** Like `publish`, for an event of a plugin whose kind no run knows. */
  publishOther(event: OtherEvent): Promise<PublishOutcome>;
  /** Lists a service among the subscriptions under its name; durable subscribers are listed by themselves. */
  registerBuiltIn(name: string, selector?: SubscriptionSelector): void;
  /**
   * Shows each publication without a run to a part of this process, once the inboxes have it durably. The part answers whether the
   * publication is of use to it. It must not throw, and keeps only what its sender repeats. `scope`: namespaces that the sender reaches.
   */
  subscribePublications(takes: (publication: Publication, scope: NamespaceScope) => boolean): void;
  /** Runs `prepare` before a command for an environment goes to an inbox that carries it out; `prepare` must not throw. */
  beforeCommands(prepare: (command: string) => Promise<void>): void;
  /** Lets a reader look on while publications pass; returns the way to end it. */
  tap(tap: Tap): () => void;
  /**
   * Brings a publication that is about no run to its subscribers; resolves with their number once it is durable. `scope`: what its sender
   * reaches.
   */
  distribute(publication: Publication, scope: NamespaceScope): Promise<number>;
  /**
   * Delivers an old event of a log to the durable subscriber of that name. The subscriber did not take such events before. Resolves when it
   * is durable.
   */
  deliverAgain(name: string, event: RunEvent): Promise<void>;
  /** True when some inbox asked for this kind by its name. */
  hasInboxOfKind(kind: RunEventKind): boolean;
  /** Brings a request for an environment once more to the inboxes that asked for such commands and that answer. */
  askAgain(request: RunEventOf<'ExecutionCommand'>): Promise<void>;
  /** True when some inbox gets events like this one. `byLabel`: one that asked for its labels, and may carry out commands. */
  hasInboxFor(event: LoggedEvent, options?: { readonly byLabel: boolean }): boolean;
  /**
   * Sets of labels with which such an event would reach an inbox of its namespace. A set has the labels of the event, changed as the inbox
   * asks.
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
  /** Bytes of publications that wait for the inbox of a subscription. */
  waitingBytes(id: SubscriptionId): number;
}

export function createEventBus(deps: EventBusDeps): ServerEventBus {
  return new OutboxEventBus(deps);
}

class OutboxEventBus implements ServerEventBus {
  readonly name = 'eventbus';
  readonly subscriptionsLoading: Service = {
    name: 'subscriptions',
    start: () => this.#load(),
    stop: async () => {},
  };
  readonly #gate: RunGate;
  readonly #dispatcher: CommitDispatcher;
  /** The dispatcher has the same ones. */
  readonly #deps: CommitDispatcher['deps'];
  readonly #registry: SubscriptionRegistry;
  readonly #rows: OutboxRows;
  readonly #delivery: OutboxDelivery;
  readonly #subscriptions: Subscriptions;
  readonly #suspended: SuspendedSubscriptions;
  readonly #listeners: Parameters<ServerEventBus['subscribePublications']>[0][] = [];
  #beforeCommand: ((command: string) => Promise<void>) | null = null;
  readonly #load = loadedOnce(async () => {
    await this.#subscriptions.load();
    await this.#loadBacklogs();
  });
  #phase: 'BUILT' | 'STARTED' | 'STOPPED' = 'BUILT';
  #sweeping: Promise<void> = Promise.resolve();
  #cancelSweep: () => void = () => {};

  constructor(deps: EventBusDeps) {
    const { dispatcher, gate, outgoing } = deps;
    const { deps: shared, registry } = dispatcher;
    const { timers, limits, clock, meters } = shared;
    this.#gate = gate;
    this.#dispatcher = dispatcher;
    this.#deps = shared;
    this.#registry = registry;
    this.#rows = dispatcher.rows;
    const client = meteredInboxClient(createInboxClient(timers, limits, outgoing), clock, meters);
    const mayReceive = (record: SubscriptionRecord) => this.#suspended.mayReceive(record);
    const prepare = (record: SubscriptionRecord, body: string | Uint8Array) =>
      this.#prepare(record, body);
    this.#delivery = createOutboxDelivery({ ...shared, client, mayReceive, prepare });
    const delivery = this.#delivery;
    const { tokens = null, commandsOf = async () => '*' as const } = deps;
    this.#suspended = new SuspendedSubscriptions({ ...shared, tokens, registry, delivery });
    this.#subscriptions = new Subscriptions({
      ...shared,
      commandsOf,
      outgoing,
      registry,
      delivery,
    });
    shared.store.watchOutbox({
      added: (entry) => this.#wasStored(entry),
      removed: (id, size) => this.#rows.removed(id, size),
    });
  }

  async start(): Promise<void> {
    await this.#load();
    await this.checkSubscriptions();
    this.#phase = 'STARTED';
    this.#dispatcher.start();
    await this.#sweep();
    this.#sweepLater();
  }

  async stop(): Promise<void> {
    this.#phase = 'STOPPED';
    this.#cancelSweep();
    await Promise.all([this.#sweeping, this.#subscriptions.stop()]);
    await Promise.all([this.#dispatcher.stop(), this.#delivery.stop()]);
    await this.#deps.acknowledger.stop();
  }

  publish(event: RunEvent, options: PublishOptions = {}): Promise<PublishOutcome> {
    return this.#submit(event, options);
  }

  publishOther(event: OtherEvent): Promise<PublishOutcome> {
    return this.#submit(event, {});
  }

  async #submit(event: LoggedEvent, options: PublishOptions): Promise<PublishOutcome> {
    return await this.#gate.submit(event.metadata.workflow_id, event, options);
  }

  subscribe<Kind extends RunEventKind>(
    kind: Kind,
    handler: (event: RunEventOf<Kind>) => void,
  ): () => void {
    // Handlers of a kind are called with events of this kind alone.
    return this.#dispatcher.subscribers.add(kind, (event) => handler(event as RunEventOf<Kind>));
  }

  subscribeAll(handler: (event: LoggedEvent, seq: number) => void): () => void {
    return this.#dispatcher.subscribers.add(null, handler);
  }

  subscribeDurably<Kind extends RunEventKind>(
    name: string,
    kind: Kind,
    subscriber: DurableSubscriber<RunEventOf<Kind>>,
  ): void {
    if (this.#phase !== 'BUILT') throw new Error(`${name} subscribes after the bus has started.`);
    // As above: all are only called with events of this kind.
    this.#dispatcher.durable.add({ name, kind, ...(subscriber as DurableSubscriber<RunEvent>) });
    this.registerBuiltIn(name, { matchKind: kind });
  }

  deliverAgain(name: string, event: RunEvent): Promise<void> {
    return this.#dispatcher.deliverAgain(name, event);
  }

  registerBuiltIn(name: string, selector: SubscriptionSelector = {}): void {
    this.#subscriptions.addBuiltIn(name, selector);
  }

  async distribute(publication: Publication, scope: NamespaceScope): Promise<number> {
    const namespace = namespaceOf(publication);
    // Without a namespace it would reach inboxes of all, which its sender may not.
    const isForInboxes = scope === '*' || namespace !== null;
    const inboxes = isForInboxes ? await this.#deliver(publication) : 0;
    if (isForInboxes) this.#dispatcher.taps.distributed(publication, namespace);
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
    return this.#dispatcher.taps.add(tap);
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

  askAgain(request: RunEventOf<'ExecutionCommand'>): Promise<void> {
    return this.#dispatcher.askAgain(request);
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

  /** Durable subscribers are woken later: they may look at the run after the event. */
  #wasStored(entry: OutboxEntry): void {
    const record = this.#registry.get(entry.subscriptionId);
    if (record?.isBuiltIn !== false) return;
    count(record, this.#deps.clock.now());
    this.#rows.stored(record, entry);
    const isDelivered = this.#phase === 'STARTED' && record.activity.suspended === null;
    if (isDelivered) this.#delivery.offer(record, entry);
  }

  #sweepLater(): void {
    if (this.#phase !== 'STARTED') return;
    this.#cancelSweep = this.#deps.timers.after(this.#deps.limits.sweepMs, () => {
      this.#sweeping = this.#sweep()
        .catch((error) =>
          this.#deps.logger.error({ err: error }, 'The outbox could not be looked through.'),
        )
        .then(() => this.#sweepLater());
    });
  }

  /** Wakes subscriptions with entries, and removes the entries of ended subscriptions, or of those with too many. */
  async #sweep(): Promise<void> {
    for (const id of await this.#deps.store.outboxSubscriptions()) {
      if (this.#phase !== 'STARTED') return;
      const record = this.#registry.get(id);
      if (this.#dispatcher.durable.has(id)) this.#dispatcher.durable.wake(id);
      else if (record !== null) await this.#sweepInbox(record);
      else await discardOutbox(this.#deps, id);
    }
  }

  async #sweepInbox(record: SubscriptionRecord): Promise<void> {
    await giveUpSurplus(this.#deps, record);
    const isDelivered = this.#phase === 'STARTED' && record.activity.suspended === null;
    if (isDelivered) this.#delivery.wake(record);
  }
}
