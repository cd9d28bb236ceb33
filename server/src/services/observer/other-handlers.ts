/** What channel handlers outside of this process said last about their channels (wire facts 2.13). */
import { isUuid, type NotificationEvent, type Timestamp } from '@tutti/manifests';
import type { EventBus } from '../../bus/bus.ts';
import type { Clock } from '../../runtime/clock.ts';

export interface OtherHandler {
  readonly channels: readonly OtherChannel[];
  readonly at: Timestamp;
}

/** What is kept of a channel that another handler tells of. */
export interface OtherChannel {
  readonly name: string;
  readonly namespaces: string;
  readonly tags: readonly string[];
  readonly phase: string | null;
  readonly currentJobID: string | null;
}

/** Bounds of what is believed; together they keep all of it below 100 MB. */
export const OTHER_HANDLERS_LIMITS = {
  /** More handlers would be a mistake or an attack. */
  handlers: 100,
  channelsOfHandler: 1_000,
  /** All texts of one channel, in characters. */
  channelLength: 1_024,
  /** Handlers repeat their lists every minute or so; one that was not heard of for this long is gone, in milliseconds. */
  forgetMs: 60 * 60_000,
} as const;

interface KnownHandler extends OtherHandler {
  /** Epoch milliseconds. */
  readonly heardMs: number;
}

export class OtherHandlers {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #handlers = new Map<string, KnownHandler>();

  constructor(bus: Pick<EventBus, 'subscribe'>, clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
    bus.subscribe('Notification', (event) => this.#note(event));
  }

  /** By handler id, the one that was silent for longest first. */
  entries(): Iterable<readonly [string, OtherHandler]> {
    this.#forgetSilent();
    return this.#handlers.entries();
  }

  #note(event: NotificationEvent): void {
    const { channelhandler_id: told, channels } = recordOf(event.spec, 'channelHandler');
    if (!isUuid(told)) return;
    this.#forgetSilent();
    const id = told.toLowerCase();
    const isNew = !this.#handlers.delete(id);
    if (isNew && this.#handlers.size >= OTHER_HANDLERS_LIMITS.handlers) return;
    this.#handlers.set(id, {
      channels: readChannels(channels),
      at: event.metadata.creationTimestamp,
      heardMs: this.#clock.now(),
    });
  }

  /** Whoever speaks goes to the end of the map, so the silent ones are at its beginning. */
  #forgetSilent(): void {
    const oldest = this.#clock.now() - OTHER_HANDLERS_LIMITS.forgetMs;
    for (const [id, { heardMs }] of this.#handlers) {
      if (heardMs >= oldest) return;
      this.#handlers.delete(id);
    }
  }
}

function recordOf(value: unknown, name: string): Readonly<Record<string, unknown>> {
  const entry =
    typeof value === 'object' && value !== null && Object.hasOwn(value, name)
      ? Object.getOwnPropertyDescriptor(value, name)?.value
      : undefined;
  return typeof entry === 'object' && entry !== null ? entry : {};
}

const readChannels = (told: unknown): readonly OtherChannel[] =>
  Array.isArray(told)
    ? told.slice(0, OTHER_HANDLERS_LIMITS.channelsOfHandler).flatMap(readChannel)
    : [];

/** A channel without a name or tags, or with more to say than channels have, is none that could be shown. */
function readChannel(value: unknown): readonly OtherChannel[] {
  const { name, namespaces } = recordOf(value, 'metadata');
  const { tags } = recordOf(value, 'spec');
  const { phase, currentJobID } = recordOf(value, 'status');
  if (typeof name !== 'string' || !isTextList(tags)) return [];
  const channel = {
    name,
    namespaces: textOf(namespaces) || 'default',
    tags,
    phase: textOf(phase),
    currentJobID: textOf(currentJobID),
  };
  return JSON.stringify(channel).length <= OTHER_HANDLERS_LIMITS.channelLength ? [channel] : [];
}

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);

const isTextList = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string');
