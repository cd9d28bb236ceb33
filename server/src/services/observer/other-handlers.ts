/** What channel handlers outside of this process said last about their channels (wire facts 2.13). */
import { channelHandlerOf, isUuid, type Timestamp } from '@tutti/manifests';
import type { ChannelPhase } from '@tutti/workflow';
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
  readonly phase: ChannelPhase;
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
    const odd = channels.slice(0, OTHER_HANDLERS_LIMITS.channelsOfHandler).find(hasNoPhase);
    if (odd !== undefined) return `Its channels have a phase that is none: ${phaseText(odd)}.`;
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
  const phase = phaseOf(status);
  if (typeof name !== 'string' || !isTextList(tags) || phase === null) return [];
  const channel = {
    name,
    namespaces: textOf(namespaces) || 'default',
    tags,
    phase,
    currentJobID: currentJobOf(status),
  };
  return JSON.stringify(channel).length <= OTHER_HANDLERS_LIMITS.channelLength ? [channel] : [];
}

const PHASES: readonly string[] = [
  'IDLE',
  'PENDING',
  'BUSY',
  'UNREACHABLE',
] satisfies readonly ChannelPhase[];

const isPhase = (value: unknown): value is ChannelPhase =>
  typeof value === 'string' && PHASES.includes(value);

/** The phase that is shown (specification 2.3): handlers may leave it open, and know one more. Null for what is no phase. */
function phaseOf(status: unknown): ChannelPhase | null {
  const { phase = null } = entriesOf(status);
  if (phase === null) return currentJobOf(status) === null ? 'IDLE' : 'BUSY';
  // It takes no job before its end has come.
  if (phase === 'TERMINATING') return 'BUSY';
  return isPhase(phase) ? phase : null;
}

const hasNoPhase = (channel: unknown): boolean => phaseOf(entriesOf(channel).status) === null;

/** As much of it as tells what it is. */
const phaseText = (channel: unknown): string =>
  JSON.stringify(entriesOf(entriesOf(channel).status).phase).slice(0, 100);

function currentJobOf(status: unknown): string | null {
  const { currentJobID } = entriesOf(status);
  return isUuid(currentJobID) ? currentJobID : null;
}

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);

const isTextList = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string');
