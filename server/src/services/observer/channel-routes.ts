/** Channels and channel handlers, from the channel pool and from notifications of other handlers (specification 4.5). */
import { formatTimestamp, status } from '@tutti/manifests';
import type { PooledChannel } from '@tutti/workflow';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { sendList } from '../../http/list-answer.ts';
import { sendStatus } from '../../http/reply.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { OtherChannel, OtherHandlers } from './other-handlers.ts';
import { readSelectors, SELECTORS } from './selectors.ts';

export interface ChannelRoutesDeps {
  readonly apiGroup: string;
  readonly clock: Clock;
  /** The channels of this process. */
  channels(): Iterable<PooledChannel>;
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
      schema: {
        summary: 'List channel handlers',
        tags,
        operation: ({ listing, listOf, uuid, IDS }) => ({
          id: 'listChannelHandlers',
          answers: listing('Known channel handlers', listOf(uuid), [IDS.handler]),
        }),
      },
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
        parameters: SELECTORS,
        operation: ({ listing, listOf, refTo, EXAMPLES }) => ({
          id: 'listChannels',
          answers: listing('Known channels', listOf(refTo('Channel')), [EXAMPLES.channel]),
        }),
      },
    },
    async (request, reply) => {
      const selectors = readSelectors(request);
      const items = channelsFor(deps, request, selectors.matches);
      const document = status('OK', 'Known channels', { items: [] });
      return await sendList(request, reply, { document, items });
    },
  );
}

interface NamespaceView {
  readonly isVisible: boolean;
  /** The channel may work for any of its namespaces. So only users with rights in all of them see its job. */
  readonly showsJob: boolean;
}

function viewOf(allowed: ReadonlySet<string> | '*', namespaces: string): NamespaceView {
  if (allowed === '*') return { isVisible: true, showsJob: true };
  const names = (namespaces || 'default').split(',').map((name) => name.trim());
  return {
    isVisible: names.includes('*') || names.some((name) => allowed.has(name)),
    showsJob: names.every((name) => allowed.has(name)),
  };
}

/** JSON of each; null for one that is left out. */
function* channelsFor(
  deps: ChannelRoutesDeps,
  request: FastifyRequest,
  isSelected: (channel: object) => boolean,
): Iterable<string | null> {
  const textOf = (channel: object) => (isSelected(channel) ? JSON.stringify(channel) : null);
  const allowed = request.access.namespaces('channels', 'list');
  for (const channel of [...deps.channels()]) {
    const { isVisible, showsJob } = viewOf(allowed, channel.namespaces);
    const shown = showsJob ? channel : { ...channel, job: null };
    yield isVisible ? textOf(channelManifest(deps, shown)) : null;
  }
  for (const [id, { channels }] of [...deps.others.entries()]) {
    for (const channel of channels) {
      const { isVisible, showsJob } = viewOf(allowed, channel.namespaces);
      const shown = showsJob ? channel : { ...channel, currentJobID: null };
      yield isVisible ? textOf(otherManifest(deps.apiGroup, id, shown)) : null;
    }
  }
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
      ...(channel.isDraining && { draining: true }),
    },
  };
}

function otherManifest(apiGroup: string, handlerId: string, channel: OtherChannel) {
  const { name, namespaces, tags, phase, currentJobID, at } = channel;
  return {
    apiVersion: `${apiGroup}/v1alpha1`,
    kind: 'Channel',
    metadata: { name, namespaces, channelhandler_id: handlerId },
    spec: { tags },
    status: { lastCommunicationTimestamp: at, phase, currentJobID },
  };
}
