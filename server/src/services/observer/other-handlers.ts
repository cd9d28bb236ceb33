/** What channel handlers outside of this process said last about their channels (wire facts 2.13). */
import { channelHandlerOf, isUuid, type Timestamp } from '@tutti/manifests';
import type { Publication } from '../../bus/bus.ts';
import type { ServerEventBus } from '../../bus/event-bus.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Logger } from '../../runtime/logger.ts';

export interface OtherHandlersDeps {
  readonly bus: Pick<ServerEventBus, 'subscribePublications'>;
  readonly clock: Pick<Clock, 'now' | 'timestamp'>;
  readonly logger: Pick<Logger, 'warn'>;
}

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
  readonly #deps: OtherHandlersDeps;
  readonly #handlers = new Map<string, KnownHandler>();

  constructor(deps: OtherHandlersDeps) {
    this.#deps = deps;
    deps.bus.subscribePublications((publication) => this.#takes(publication));
  }

  /** By handler id, the one that was silent for longest first. */
  entries(): Iterable<readonly [string, OtherHandler]> {
    this.#forgetSilent();
    return this.#handlers.entries();
  }

  /** Whoever may publish may tell of channels: what is listed leads to nothing, since jobs go by offers alone. */
  #takes(publication: Publication): boolean {
    const told = channelHandlerOf(publication);
    if (told === undefined) return false;
    const why = this.#note(told);
    if (why !== null) this.#deps.logger.warn({ why }, 'List of channels not taken.');
    return why === null;
  }

  /** Answers why the list was not taken. */
  #note(told: unknown): string | null {
    const { channelhandler_id, channels } = entriesOf(told);
    if (!isUuid(channelhandler_id)) return 'Its channelhandler_id is no UUID.';
    if (!Array.isArray(channels)) return 'Its channels are no list.';
    this.#forgetSilent();
    const id = channelhandler_id.toLowerCase();
    const isNew = !this.#handlers.has(id);
    if (isNew && this.#handlers.size >= OTHER_HANDLERS_LIMITS.handlers) {
      return `There are ${OTHER_HANDLERS_LIMITS.handlers} channel handlers already.`;
    }
    // Whoever speaks goes to the end of the map.
    this.#handlers.delete(id);
    const { clock } = this.#deps;
    this.#handlers.set(id, {
      channels: this.#readChannels(id, channels),
      at: clock.timestamp(),
      heardMs: clock.now(),
    });
    return null;
  }

  #readChannels(id: string, told: readonly unknown[]): readonly OtherChannel[] {
    const channels = told.slice(0, OTHER_HANDLERS_LIMITS.channelsOfHandler).flatMap(readChannel);
    const left = told.length - channels.length;
    if (left > 0) this.#deps.logger.warn({ handler: id, left }, 'Channels of a list left out.');
    return channels;
  }

  /** The silent ones are at the beginning of the map. */
  #forgetSilent(): void {
    const oldest = this.#deps.clock.now() - OTHER_HANDLERS_LIMITS.forgetMs;
    for (const [id, { heardMs }] of this.#handlers) {
      if (heardMs >= oldest) return;
      this.#handlers.delete(id);
    }
  }
}

/** Empty for what has none. */
function entriesOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

/** A channel without a name or tags, or with more to say than channels have, is none that could be shown. */
function readChannel(value: unknown): readonly OtherChannel[] {
  const { metadata, spec, status } = entriesOf(value);
  const { name, namespaces } = entriesOf(metadata);
  const { tags } = entriesOf(spec);
  const { phase, currentJobID } = entriesOf(status);
  if (typeof name !== 'string' || !isTextList(tags)) return [];
  const channel = {
    name,
    namespaces: textOf(namespaces) || 'default',
    tags,
    phase: textOf(phase),
    currentJobID: isUuid(currentJobID) ? currentJobID : null,
  };
  return JSON.stringify(channel).length <= OTHER_HANDLERS_LIMITS.channelLength ? [channel] : [];
}

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);

const isTextList = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string');
