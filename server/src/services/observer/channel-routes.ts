/** Channels and channel handlers, as the channel pool and the notifications of other handlers tell of them (specification 4.5). */
import { formatTimestamp, type NotificationEvent, status, type Timestamp } from '@tutti/manifests';
import type { ChannelPool, PooledChannel } from '@tutti/workflow';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { EventBus } from '../../bus/bus.ts';
import { setProcessedQuery } from '../../http/query.ts';
import { sendStatus } from '../../http/reply.ts';
import type { Clock } from '../../runtime/clock.ts';
import { readSelectors } from './workflow-routes.ts';

interface OtherHandler {
  readonly channels: readonly OtherChannel[];
  readonly at: Timestamp;
}

/** What is kept of a channel that another handler tells of. */
interface OtherChannel {
  readonly name: string;
  readonly namespaces: string;
  readonly tags: readonly string[];
  readonly phase: string | null;
  readonly currentJobID: string | null;
}

/** Handlers that may announce themselves, and channels of each; more would be a mistake or an attack. */
const HANDLERS_MAX = 1000;
const CHANNELS_MAX = 1000;

/** What channel handlers outside of this process said last about their channels. */
export class OtherHandlers {
  readonly #handlers = new Map<string, OtherHandler>();

  constructor(bus: EventBus) {
    bus.subscribe('Notification', (event) => this.#note(event));
  }

  entries(): Iterable<readonly [string, OtherHandler]> {
    return this.#handlers.entries();
  }

  #note(event: NotificationEvent): void {
    const { channelhandler_id: id, channels: told } = recordOf(event.spec, 'channelHandler');
    if (typeof id !== 'string') return;
    if (!this.#handlers.has(id) && this.#handlers.size >= HANDLERS_MAX) return;
    const channels = Array.isArray(told) ? told.slice(0, CHANNELS_MAX).flatMap(readChannel) : [];
    this.#handlers.set(id, { channels, at: event.metadata.creationTimestamp });
  }
}

export interface ChannelRoutesDeps {
  readonly apiGroup: string;
  readonly clock: Clock;
  readonly pool: ChannelPool;
  readonly others: OtherHandlers;
  /** Ids of the handlers in this process. */
  readonly handlerIds: readonly string[];
  /** Epoch milliseconds of the last contact with a channel of ours. */
  lastContact(channelId: PooledChannel['channelId']): number | null;
}

export function channelRoutes(app: FastifyInstance, deps: ChannelRoutesDeps): void {
  const tags = ['observer'];
  app.get(
    '/channelhandlers',
    {
      config: { access: { resource: 'channelhandlers', verb: 'list' } },
      schema: { summary: 'List channel handlers', tags },
    },
    async (_request, reply) => {
      const others = [...deps.others.entries()].map(([id]) => id);
      const items = [...new Set([...deps.handlerIds, ...others])];
      return sendStatus(reply, status('OK', 'Known channel handlers', { items }));
    },
  );
  app.get(
    '/channels',
    {
      config: { access: { resource: 'channels', verb: 'list' } },
      schema: {
        summary: 'List channels',
        tags,
        querystring: {
          type: 'object',
          properties: { fieldSelector: { type: 'string' }, labelSelector: { type: 'string' } },
        },
      },
    },
    async (request, reply) => {
      const selectors = readSelectors(request);
      setProcessedQuery(request, reply, ['fieldSelector', 'labelSelector']);
      const items = channelsFor(deps, request).filter(selectors.matches);
      return sendStatus(reply, status('OK', 'Known channels', { items }));
    },
  );
}

function channelsFor(deps: ChannelRoutesDeps, request: FastifyRequest): readonly object[] {
  const allowed = request.access.namespaces('channels', 'list');
  const isVisible = (namespaces: string): boolean => {
    if (allowed === '*') return true;
    const names = namespaces.split(',').map((name) => name.trim());
    return names.includes('*') || names.some((name) => allowed.has(name));
  };
  const ours = [...deps.pool.channels()]
    .filter(({ namespaces }) => isVisible(namespaces))
    .map((channel) => channelManifest(deps, channel));
  const others = [...deps.others.entries()].flatMap(([id, { channels, at }]) =>
    channels
      .filter(({ namespaces }) => isVisible(namespaces))
      .map((channel) => otherManifest(deps.apiGroup, id, channel, at)),
  );
  return [...ours, ...others];
}

function channelManifest(deps: ChannelRoutesDeps, channel: PooledChannel): object {
  const contact = deps.lastContact(channel.channelId) ?? deps.clock.now();
  return {
    apiVersion: `${deps.apiGroup}/v1alpha1`,
    kind: 'Channel',
    metadata: {
      name: channel.name,
      namespaces: channel.namespaces || 'default',
      channelhandler_id: channel.handlerId,
      channel_id: channel.channelId,
    },
    spec: { tags: channel.tags },
    status: {
      lastCommunicationTimestamp: formatTimestamp(contact),
      phase: channel.phase,
      currentJobID: channel.job?.jobId ?? null,
    },
  };
}

function recordOf(value: unknown, name: string): Readonly<Record<string, unknown>> {
  const entry =
    typeof value === 'object' && value !== null && Object.hasOwn(value, name)
      ? Object.getOwnPropertyDescriptor(value, name)?.value
      : undefined;
  return typeof entry === 'object' && entry !== null ? entry : {};
}

/** A channel without a name or tags is none that could be shown. */
function readChannel(value: unknown): readonly OtherChannel[] {
  const { name, namespaces } = recordOf(value, 'metadata');
  const { tags } = recordOf(value, 'spec');
  const { phase, currentJobID } = recordOf(value, 'status');
  if (typeof name !== 'string' || !isTextList(tags)) return [];
  return [
    {
      name,
      namespaces: textOf(namespaces) || 'default',
      tags,
      phase: textOf(phase),
      currentJobID: textOf(currentJobID),
    },
  ];
}

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);

const isTextList = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string');

function otherManifest(apiGroup: string, handlerId: string, channel: OtherChannel, at: Timestamp) {
  const { name, namespaces, tags, phase, currentJobID } = channel;
  return {
    apiVersion: `${apiGroup}/v1alpha1`,
    kind: 'Channel',
    metadata: { name, namespaces, channelhandler_id: handlerId },
    spec: { tags },
    status: { lastCommunicationTimestamp: at, phase, currentJobID },
  };
}
