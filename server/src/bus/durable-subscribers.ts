/**
 * Subscribers in this process that must not miss an event. Each has rows in the outbox under an id made of its name, so that a restart
 * finds them again. Events of one run are handled in order, those of different runs beside each other.
 */
import { createHash } from 'node:crypto';
import {
  isRunEvent,
  type LoggedEvent,
  parseSubscriptionId,
  type RunEvent,
  type RunEventKind,
  type SubscriptionId,
} from '@tutti/manifests';
import type { OutboxEntry } from '../store/store.ts';
import { backoffDelayMs } from './backoff.ts';
import type { DurableSubscriber } from './bus.ts';
import type { BusLimits } from './limits.ts';
import {
  type AttemptOutcome,
  type ConsumerDeps,
  type Delivery,
  OutboxConsumer,
} from './outbox-consumer.ts';

interface EventOfRun extends Delivery {
  readonly event: RunEvent;
}

interface Known {
  readonly id: SubscriptionId;
  readonly kind: RunEventKind;
  readonly takes: (event: RunEvent) => boolean;
  readonly consumer: OutboxConsumer<EventOfRun>;
}

interface DurableHandler extends DurableSubscriber<RunEvent> {
  readonly name: string;
  readonly kind: RunEventKind;
}

interface DurableSubscribersDeps extends ConsumerDeps {
  /** At least 0, below 1. */
  readonly random: () => number;
  readonly limits: BusLimits;
}

interface Failure {
  readonly error: unknown;
  readonly signal: AbortSignal;
  /** From 1. */
  readonly attempt: number;
}

export class DurableSubscribers {
  readonly #deps: DurableSubscribersDeps;
  readonly #subscribers = new Map<SubscriptionId, Known>();
  readonly #byKind = new Map<RunEventKind, Known[]>();

  constructor(deps: DurableSubscribersDeps) {
    this.#deps = deps;
  }

  add(handler: DurableHandler): void {
    const id = this.idOf(handler.name, handler.kind);
    if (this.#subscribers.has(id)) {
      throw new Error(`${handler.name} subscribes to ${handler.kind} twice.`);
    }
    const subscriber = {
      id,
      kind: handler.kind,
      takes: (event: RunEvent) => this.#takes(handler, event),
      consumer: this.#createConsumer(id, handler),
    };
    this.#subscribers.set(id, subscriber);
    const sameKind = this.#byKind.get(handler.kind) ?? [];
    this.#byKind.set(handler.kind, [...sameKind, subscriber]);
  }

  idOf(name: string, kind: RunEventKind): SubscriptionId {
    return subscriptionIdOf(`${name}/${kind}`);
  }

  has(id: SubscriptionId): boolean {
    return this.#subscribers.has(id);
  }

  wake(id: SubscriptionId): void {
    this.#subscribers.get(id)?.consumer.wake();
  }

  /** Ids under which the event must be in the outbox. */
  idsFor(event: LoggedEvent): readonly SubscriptionId[] {
    if (!isRunEvent(event)) return [];
    const subscribers = this.#byKind.get(event.kind) ?? [];
    return subscribers.filter(({ takes }) => takes(event)).map(({ id }) => id);
  }

  async stop(): Promise<void> {
    const consumers = [...this.#subscribers.values()].map(({ consumer }) => consumer);
    await Promise.all(consumers.map((consumer) => consumer.stop(0)));
  }

  #takes(handler: DurableHandler, event: RunEvent): boolean {
    try {
      return handler.takes(event);
    } catch (error) {
      this.#deps.logger.error({ err: error, subscriber: handler.name }, 'A durable filter threw.');
      return false;
    }
  }

  #createConsumer(
    subscriptionId: SubscriptionId,
    handler: DurableHandler,
  ): OutboxConsumer<EventOfRun> {
    const { limits } = this.#deps;
    return new OutboxConsumer<EventOfRun>(this.#deps, {
      subscriptionId,
      concurrency: limits.durableConcurrency,
      window: limits.durableWindow,
      windowBytes: limits.durableWindowBytes,
      unremoved: limits.unremoved,
      retryDelayMs: limits.retryDelayMs,
      prepare: (entry) => {
        const event = parseEvent(entry);
        return { lane: event.metadata.workflow_id, event };
      },
      attempt: async ([{ event }], { signal, number }) => {
        try {
          await handler.handle(event, signal);
          return { outcome: 'done' };
        } catch (error) {
          return await this.#failed(handler, event, { error, signal, attempt: number });
        }
      },
    });
  }

  async #failed(
    handler: DurableHandler,
    event: RunEvent,
    { error, signal, attempt }: Failure,
  ): Promise<AttemptOutcome> {
    const { limits, logger, random } = this.#deps;
    const about = {
      err: error,
      attempt,
      subscriber: handler.name,
      workflowId: event.metadata.workflow_id,
    };
    if (!signal.aborted) {
      if (attempt >= attemptsMax(error, limits)) {
        logger.error(about, 'An event was given up: its handler fails every time.');
        if (await this.#gaveUp(handler, event, about)) return { outcome: 'done' };
        if (attempt >= limits.durableAttempts) return { outcome: 'done' };
      }
      if (await this.#isForNobody(event)) {
        logger.warn(about, 'A handler failed, for a run that is over.');
        return { outcome: 'done' };
      }
    }
    if (!signal.aborted) logger.warn(about, 'A handler failed; it is called again.');
    const bounds = { firstMs: limits.retryDelayMs, maxMs: limits.retryDelayMaxMs };
    return { outcome: 'retry', afterMs: backoffDelayMs(attempt, random(), bounds) };
  }

  /** Somebody waits for the answer of the handler. Until they are told that there is none, the event is not done. */
  async #gaveUp(handler: DurableHandler, event: RunEvent, about: object): Promise<boolean> {
    try {
      await handler.giveUp?.(event);
      return true;
    } catch (error) {
      this.#deps.logger.error({ ...about, err: error }, 'Giving up an event failed, too.');
      return false;
    }
  }

  /** A command asks for an answer, and a run that is over takes none. Other events of such a run may still be of use. */
  async #isForNobody({ kind, metadata }: RunEvent): Promise<boolean> {
    if (!kind.endsWith('Command')) return false;
    try {
      const row = await this.#deps.store.workflow(metadata.workflow_id);
      return row === null || row.status === 'DONE' || row.status === 'FAILED';
    } catch {
      // The store may not be there for a while: then nothing is known of the run.
      return false;
    }
  }
}

/** Errors of a store or a network may pass, so they are retried longer. A mistake of the server repeats at each call. */
function attemptsMax(error: unknown, limits: BusLimits): number {
  return isMistake(error)
    ? Math.min(limits.durableMistakeAttempts, limits.durableAttempts)
    : limits.durableAttempts;
}

const MISTAKES = [TypeError, RangeError, ReferenceError, SyntaxError];

/** Errors of the language itself: those of networks are some of them, too, but have a cause or a code. */
function isMistake(error: unknown): boolean {
  if (!MISTAKES.some((type) => error instanceof type)) return false;
  return error instanceof Error && error.cause === undefined && !('code' in error);
}

/** Derives the id from the name, so that it is the same in every process. */
export function subscriptionIdOf(name: string): SubscriptionId {
  const digest = createHash('sha256').update(`tutti subscription ${name}`).digest();
  // Version 8 of a UUID: its content is ours to choose.
  digest.writeUInt8(((digest[6] ?? 0) & 0x0f) | 0x80, 6);
  digest.writeUInt8(((digest[8] ?? 0) & 0x3f) | 0x80, 8);
  const hex = digest.toString('hex');
  const groups = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20)];
  return parseSubscriptionId([...groups, hex.slice(20, 32)].join('-'));
}

/** The bodies under the ids of durable subscribers are written by the bus alone, from events of runs. */
function parseEvent(entry: OutboxEntry): RunEvent {
  return JSON.parse(entry.body) as RunEvent;
}
