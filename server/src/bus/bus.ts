/**
 * The event bus. Services and plugins talk to each other through it, and in no other way.
 *
 * - `publish` of an event about a run resolves once the event is durable (or was refused). The event passes through the run's mailbox,
 *   where the pure core decides whether to accept it and what follows. Event and consequences are one commit.
 * - In-process subscribers are called after the commit, in the order of the log, synchronously, one after the other. They must not throw
 *   and must not block, and they own the work that they start. A crash between commit and call loses the call, so a subscriber rebuilds its
 *   state at the start. Work that must not be lost uses `subscribeDurably`.
 * - HTTP inboxes get each matching publication at least once, in order per subscription. It comes from the outbox, which is written in the
 *   commit of the events.
 */
import type {
  AgentRegistration,
  LoggedEvent,
  PublicationId,
  RunEvent,
  RunEventKind,
  RunEventOf,
  SubscriptionId,
  WorkflowId,
} from '@tutti/manifests';
import type { Run } from '@tutti/workflow';
import type { DocumentWrite, OutboxWrite } from '../store/store.ts';

export type { AgentRegistration };

/** A publication that came in over HTTP: any JSON object. */
export type Publication = Readonly<Record<string, unknown>>;

export type PublishOutcome =
  | { readonly outcome: 'accepted' }
  /** The run is over, unknown, or the event does not fit its state; nothing was stored. */
  | { readonly outcome: 'refused'; readonly why: string };

export interface PublishOptions {
  /** Private records written in the same commit, if the event is accepted. */
  readonly documents?: readonly DocumentWrite[];
  /** Events of the same run that come right before this one, in the same commit. Refused with it, as it is with any of them. */
  readonly preceding?: readonly RunEvent[];
  /** Each chooses an event that comes right after, in the same commit. */
  readonly following?: readonly Following[];
}

/**
 * Chooses an event from what was decided on the event before, and the run as it would be then. If it chooses none, or the run refuses its
 * event, the commit is without it and those behind. A commit that is tried again asks again.
 */
export type Following = (decided: readonly LoggedEvent[], run: Run) => RunEvent | null;

export interface EventBus {
  publish(event: RunEvent, options?: PublishOptions): Promise<PublishOutcome>;
  subscribe<Kind extends RunEventKind>(
    kind: Kind,
    handler: (event: RunEventOf<Kind>) => void,
  ): () => void;
  subscribeAll(handler: (event: LoggedEvent, seq: number) => void): () => void;
  /**
   * Like `subscribe`, but the outbox keeps an event that the subscriber takes until the handler's promise resolves. A handler that rejects,
   * or that a crash interrupts, is called again, so it must be idempotent. The event is given up after about 20 minutes of rejections. A
   * server bug (a `TypeError`) ends it after a few. Then `giveUp` is called; if a run waits for an answer, it gives one. Commands of runs
   * that are over are not handed over again. Must be called before the bus starts.
   */
  subscribeDurably<Kind extends RunEventKind>(
    name: string,
    kind: Kind,
    subscriber: DurableSubscriber<RunEventOf<Kind>>,
  ): void;
}

export interface DurableSubscriber<Event> {
  takes(event: Event): boolean;
  handle(event: Event, signal: AbortSignal): Promise<void>;
  giveUp?(event: Event): Promise<void>;
}

/** An event of a commit, as it is and as it may leave the server. */
export interface CommittedEvent {
  readonly event: LoggedEvent;
  readonly json: string;
  readonly shown: { readonly event: LoggedEvent; readonly json: string };
}

/** The bus as the arranger uses it at a commit: outbox rows before, calls after. */
export interface Dispatcher {
  /** Outbox rows for the events of one commit, to be written with them. */
  outboxFor(events: readonly CommittedEvent[]): readonly OutboxWrite[];
  /** Calls in-process subscribers and wakes deliveries. `firstSeq` is the sequence number of the first event. */
  committed(events: readonly LoggedEvent[], firstSeq: number): void;
}

/** Takes events about runs from the bus; the arranger implements it. */
export interface RunGate {
  submit(
    workflowId: WorkflowId,
    event: LoggedEvent,
    options: PublishOptions,
  ): Promise<PublishOutcome>;
}

export type { PublicationId, SubscriptionId };

/** Runs as they stand, for services that rebuild their state at start. */
export interface RunDirectory {
  /** The runs in memory: those that are not over, and those that somebody works on. */
  live(): Iterable<Run>;
  /** Number of runs in memory. */
  readonly liveCount: number;
  /** The run if it is in memory. */
  current(workflowId: WorkflowId): Run | null;
  /** A run of any age, folded from its log; null when it is unknown. */
  find(workflowId: WorkflowId): Promise<Run | null>;
}
