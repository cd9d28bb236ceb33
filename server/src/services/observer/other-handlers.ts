/** The last lists of channels from handlers outside of this process (wire facts 2.13). */
import { channelHandlerOf, isUuid, plainNamespaces, type Timestamp } from '@tutti/manifests';
import type { ChannelPhase } from '@tutti/workflow';
import type { Publication } from '../../bus/bus.ts';
import type { ServerEventBus } from '../../bus/event-bus.ts';
import type { NamespaceScope } from '../../bus/subscription-record.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Logger } from '../../runtime/logger.ts';

export interface OtherHandlersDeps {
  readonly bus: Pick<ServerEventBus, 'subscribePublications'>;
  readonly clock: Pick<Clock, 'monotonicMs' | 'timestamp'>;
  readonly logger: Pick<Logger, 'warn'>;
  /** Lowers the memory for channels below `OTHER_HANDLERS_LIMITS`. */
  readonly bounds?: { readonly channels: number };
}

export interface OtherHandler {
  readonly channels: readonly OtherChannel[];
}

/** The stored facts of a channel of another handler. */
export interface OtherChannel {
  readonly name: string;
  readonly namespaces: string;
  readonly tags: readonly string[];
  readonly phase: ChannelPhase;
  readonly currentJobID: string | null;
  /** Time of the handler's last list. */
  readonly at: Timestamp;
}

/** Limits of stored channels; together they take less than 100 MB. */
export const OTHER_HANDLERS_LIMITS = {
  /** A higher number would be a mistake or an attack. */
  handlers: 100,
  channelsOfHandler: 1_000,
  /** Limit for all handlers together: one handler's channels may come in several lists, from senders with different namespaces. */
  channels: 100_000,
  /** Limit for all texts of one channel, in characters. */
  channelLength: 1_024,
  /** Handlers repeat their lists about every minute; a silent one is forgotten after this time, in milliseconds. */
  forgetMs: 60 * 60_000,
} as const;

interface KnownChannel extends OtherChannel {
  /** Time of the monotonic clock. */
  readonly heardMs: number;
}

interface KnownHandler {
  readonly channels: readonly KnownChannel[];
  /** When its last list came, by the monotonic clock. */
  readonly heardMs: number;
}

export class OtherHandlers {
  readonly #deps: OtherHandlersDeps;
  readonly #handlers = new Map<string, KnownHandler>();

  constructor(deps: OtherHandlersDeps) {
    this.#deps = deps;
    deps.bus.subscribePublications((publication, scope) => this.#takes(publication, scope));
  }

  /** By handler id, the one that was silent for longest first. */
  *entries(): Iterable<readonly [string, OtherHandler]> {
    this.#forgetSilent();
    for (const [id, handler] of this.#handlers) yield [id, { channels: this.#current(handler) }];
  }

  /** Each publisher may list channels in its namespaces. The list has no effect on jobs, which go by offers alone. */
  #takes(publication: Publication, scope: NamespaceScope): boolean {
    const sent = channelHandlerOf(publication);
    if (sent === undefined) return false;
    const why = this.#note(sent, scope);
    if (why !== null) this.#deps.logger.warn({ why }, 'List of channels not taken.');
    return why === null;
  }

  /** Returns the reason if the list was refused. */
  #note(sent: unknown, scope: NamespaceScope): string | null {
    const { channelhandler_id, channels } = entriesOf(sent);
    if (!isUuid(channelhandler_id)) return 'Its channelhandler_id is no UUID.';
    if (!Array.isArray(channels)) return 'Its channels are no list.';
    const odd = channels.slice(0, OTHER_HANDLERS_LIMITS.channelsOfHandler).find(hasNoPhase);
    if (odd !== undefined) return `Its channels have a phase that is none: ${phaseText(odd)}.`;
    this.#forgetSilent();
    const id = channelhandler_id.toLowerCase();
    const before = this.#handlers.get(id) ?? null;
    if (before === null && this.#handlers.size >= OTHER_HANDLERS_LIMITS.handlers) {
      return `There are ${OTHER_HANDLERS_LIMITS.handlers} channel handlers already.`;
    }
    // The latest handler moves to the end of the map.
    this.#handlers.delete(id);
    const kept = before === null ? [] : this.#current(before).filter(isBeyond(scope));
    const added = this.#readChannels(id, channels, scope, kept.length);
    this.#handlers.set(id, {
      channels: [...kept, ...added],
      heardMs: this.#deps.clock.monotonicMs(),
    });
    return null;
  }

  /** Channels beyond the sender's namespaces come from other senders: this sender neither adds nor removes them. */
  #readChannels(
    id: string,
    sent: readonly unknown[],
    scope: NamespaceScope,
    kept: number,
  ): readonly KnownChannel[] {
    const { clock, logger } = this.#deps;
    const { channelsOfHandler } = OTHER_HANDLERS_LIMITS;
    const heard = { at: clock.timestamp(), heardMs: clock.monotonicMs() };
    const read = sent.slice(0, channelsOfHandler).flatMap((value) => readChannel(value, heard));
    const reached = read.filter((channel) => !isBeyond(scope)(channel));
    const beyond = read.length - reached.length;
    if (beyond > 0) logger.warn({ handler: id, beyond }, 'Channels of other namespaces left out.');
    const others = [...this.#handlers.values()].reduce(
      (sum, each) => sum + each.channels.length,
      0,
    );
    const channels = reached.slice(0, Math.max(0, this.#channelsMax - others - kept));
    const left = sent.length - beyond - channels.length;
    if (left > 0) logger.warn({ handler: id, left }, 'Channels of a list left out.');
    return channels;
  }

  get #channelsMax(): number {
    const { channels, channelLength } = OTHER_HANDLERS_LIMITS;
    const bytes = this.#deps.bounds?.channels ?? Number.POSITIVE_INFINITY;
    return Math.min(channels, Math.floor(bytes / channelLength));
  }

  #current({ channels }: KnownHandler): readonly KnownChannel[] {
    const oldest = this.#oldestMs();
    return channels.filter(({ heardMs }) => heardMs >= oldest);
  }

  /** The silent ones are at the beginning of the map. */
  #forgetSilent(): void {
    const oldest = this.#oldestMs();
    for (const [id, { heardMs }] of this.#handlers) {
      if (heardMs >= oldest) return;
      this.#handlers.delete(id);
    }
  }

  #oldestMs(): number {
    return this.#deps.clock.monotonicMs() - OTHER_HANDLERS_LIMITS.forgetMs;
  }
}

/** Whether a channel serves a namespace that the scope does not reach. */
const isBeyond =
  (scope: NamespaceScope) =>
  ({ namespaces }: OtherChannel): boolean =>
    scope !== '*' && !namespaces.split(',').every((name) => scope.has(name));

/** Empty if the value has no entries. */
function entriesOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

/** A channel without name or tags, or with too much text, cannot be shown. */
function readChannel(
  value: unknown,
  heard: Pick<KnownChannel, 'at' | 'heardMs'>,
): readonly KnownChannel[] {
  const { metadata, spec, status } = entriesOf(value);
  const { name, namespaces } = entriesOf(metadata);
  const { tags } = entriesOf(spec);
  const phase = phaseOf(status);
  if (typeof name !== 'string' || !isTextList(tags) || phase === null) return [];
  const channel = {
    name,
    namespaces: plainNamespaces(textOf(namespaces) ?? '') || 'default',
    tags,
    phase,
    currentJobID: currentJobOf(status),
  };
  return JSON.stringify(channel).length <= OTHER_HANDLERS_LIMITS.channelLength
    ? [{ ...channel, ...heard }]
    : [];
}

const PHASES: readonly string[] = [
  'IDLE',
  'PENDING',
  'BUSY',
  'UNREACHABLE',
] satisfies readonly ChannelPhase[];

const isPhase = (value: unknown): value is ChannelPhase =>
  typeof value === 'string' && PHASES.includes(value);

/** The shown phase (specification 2.3): handlers may omit it, and know one more. Null for an invalid phase. */
function phaseOf(status: unknown): ChannelPhase | null {
  const { phase = null } = entriesOf(status);
  if (phase === null) return currentJobOf(status) === null ? 'IDLE' : 'BUSY';
  // A terminating channel takes no job before it is idle.
  if (phase === 'TERMINATING') return 'BUSY';
  return isPhase(phase) ? phase : null;
}

const hasNoPhase = (channel: unknown): boolean => phaseOf(entriesOf(channel).status) === null;

/** The start of the phase, enough to recognize it. */
const phaseText = (channel: unknown): string =>
  JSON.stringify(entriesOf(entriesOf(channel).status).phase).slice(0, 100);

function currentJobOf(status: unknown): string | null {
  const { currentJobID } = entriesOf(status);
  return isUuid(currentJobID) ? currentJobID : null;
}

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);

const isTextList = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string');
