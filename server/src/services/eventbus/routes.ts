/** Publications and subscriptions over HTTP (specification 4.4). */
import {
  acceptedApiVersions,
  messages,
  status,
  subscriptionIdInPath,
  subscriptionSchema,
  withApiVersions,
} from '@tutti/manifests';
import { matches, parseFieldSelector, parseLabelSelector } from '@tutti/selectors';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { notAuthorized } from '../../auth/access.ts';
import { tokenIn } from '../../auth/bearer-token.ts';
import { isOfMachine } from '../../auth/login.ts';
import type { ServerEventBus } from '../../bus/event-bus.ts';
import type { Audited } from '../../http/audit-log.ts';
import { tenantOf } from '../../http/holder.ts';
import { parseJson } from '../../http/json.ts';
import { sendList } from '../../http/list-answer.ts';
import { queryText } from '../../http/query.ts';
import { sendStatus } from '../../http/reply.ts';
import type { DescribedOperation, Routes } from '../../http/routes.ts';
import { createValidator } from '../../http/validate.ts';
import { isLarge, READ_PUBLICATION } from './publication-tasks.ts';
import { publicationIn, type ReadPublication } from './read-publication.ts';
import { type ReceiveDeps, receivePublication } from './receive-publication.ts';

export interface EventbusRoutesDeps extends ReceiveDeps {
  readonly bus: ServerEventBus;
  readonly apiGroup: string;
}

/** Limits for publications, in bytes. */
export const EVENTBUS_LIMITS = {
  /**
   * Size of one event. Existing channel handlers publish a step's output with its result: 4 MiB are about 50 000 lines. It is
   * stored once for all its inboxes.
   */
  publicationBytes: 4 * 1024 * 1024,
  /** Size of one subscription; its labels and annotations are stored unchanged. */
  subscriptionBytes: 64 * 1024,
} as const;

const TAGS = ['eventbus'];
const LIST = { apiVersion: 'v1', kind: 'SubscriptionList' };

export function eventbusRoutes(deps: EventbusRoutesDeps): Routes {
  return (app) => {
    registerPublications(app, deps);
    registerListing(app, deps.bus);
    registerCreation(app, deps);
    registerCancellation(app, deps.bus);
  };
}

function registerPublications(app: FastifyInstance, deps: EventbusRoutesDeps): void {
  app.post(
    '/publications',
    {
      config: { access: { resource: 'publications', verb: 'create' }, body: 'json-bytes' },
      bodyLimit: bytesMax(app, EVENTBUS_LIMITS.publicationBytes),
      schema: {
        summary: 'Publish an event to whoever subscribed to events like it',
        tags: TAGS,
        operation: ({ anything, json, EXAMPLES }) => ({
          id: 'publish',
          description:
            'Any JSON object; whoever subscribed to events like it gets it at its inbox.',
          body: json(anything, EXAMPLES.publication),
          answers: { OK: { message: messages.publicationReceived() } },
        }),
      },
    },
    async (request, reply) => {
      const publication = await read(deps, request);
      const noteRun = (about: Audited) => {
        request.audited = about;
      };
      const isMatched = await receivePublication(deps, publication, request.access, noteRun);
      const message = isMatched ? messages.publicationReceived() : messages.publicationUnmatched();
      return sendStatus(reply, status('OK', message));
    },
  );
}

/** An operator's limit for all bodies holds here, too. */
const bytesMax = (app: FastifyInstance, bytes: number): number =>
  Math.min(app.initialConfig.bodyLimit ?? bytes, bytes);

function registerListing(app: FastifyInstance, bus: ServerEventBus): void {
  app.get(
    '/subscriptions',
    {
      config: { access: { resource: 'subscriptions', verb: 'list' } },
      schema: {
        summary: 'List subscriptions (a SubscriptionList, not a Status)',
        tags: TAGS,
        parameters: { fieldSelector: { type: 'string' }, labelSelector: { type: 'string' } },
        operation: ({ json, refTo, EXAMPLES, IDS }) => {
          const items = { [IDS.subscription]: EXAMPLES.listedSubscription };
          const content = json(refTo('SubscriptionList'), { ...LIST, items });
          return {
            id: 'listSubscriptions',
            description: 'A subscription with several holders is listed once for each of them.',
            answers: { OK: { description: 'A SubscriptionList.', content } },
          };
        },
      },
    },
    async (request, reply) => {
      const isSelected = parseSelectors(request);
      // A token may have expired since the last delivery.
      await bus.suspendExpired();
      const listed = bus.listSubscriptions(request.access.namespaces('subscriptions', 'list'));
      const document = { ...LIST, items: {} };
      return await sendList(request, reply, { document, items: entriesOf(listed, isSelected) });
    },
  );
}

function* entriesOf(
  listed: ReadonlyMap<string, object>,
  isSelected: (subscription: object) => boolean,
): Iterable<string | null> {
  for (const [id, subscription] of listed) {
    const isLeftOut = !isSelected(subscription);
    yield isLeftOut ? null : `${JSON.stringify(id)}:${JSON.stringify(subscription)}`;
  }
}

function registerCreation(app: FastifyInstance, { bus, apiGroup }: EventbusRoutesDeps): void {
  const versions = acceptedApiVersions('Subscription', apiGroup);
  const validator = createValidator(withApiVersions(subscriptionSchema, versions));
  app.post(
    '/subscriptions',
    {
      config: { access: { resource: 'subscriptions', verb: 'create' } },
      bodyLimit: bytesMax(app, EVENTBUS_LIMITS.subscriptionBytes),
      schema: { summary: 'Subscribe an inbox to events', tags: TAGS, operation: subscribe },
    },
    async (request, reply) => {
      const manifest = validator.parse(request.body, messages.subscriptionInvalid());
      const scope = request.access.namespaces('subscriptions', 'create');
      const id = await bus.createSubscription(manifest, scope, {
        token: tokenIn(request.headers.authorization ?? ''),
        subject: request.access.subject,
        commands: request.access.namespaces('results', 'create'),
        asker: isOfMachine(request.socket.remoteAddress, request.headers) ? 'machine' : 'anybody',
      });
      request.audited = { subscriptionId: id };
      const message = messages.subscriptionRegistered(manifest.metadata.name, id);
      return sendStatus(reply, status('Created', message, { uuid: id }));
    },
  );
}

const subscribe: DescribedOperation = ({ json, linksTo, record, refTo, uuid, EXAMPLES, IDS }) => ({
  id: 'subscribe',
  description:
    'Whoever makes a subscription that there is becomes one more holder of it, with an id of its own: the inbox gets each event once.',
  body: json(refTo('Subscription'), EXAMPLES.subscription),
  answers: {
    Created: {
      message: messages.subscriptionRegistered('checkout', IDS.subscription),
      schema: record({ uuid }),
      example: { uuid: IDS.subscription },
      links: linksTo({ cancel: 'unsubscribe' }, 'subscription_id', 'uuid'),
    },
  },
  failures: ['Invalid', 'TooManyRequests'],
});

function registerCancellation(app: FastifyInstance, bus: ServerEventBus): void {
  app.delete<{ Params: { subscription_id: string } }>(
    '/subscriptions/:subscription_id',
    {
      config: { access: { resource: 'subscriptions', verb: 'delete' } },
      schema: {
        summary: 'Cancel a subscription',
        tags: TAGS,
        operation: ({ IDS }) => ({
          id: 'unsubscribe',
          description:
            'Removes one holder; the subscription ends with the last one. Those of built-in services are kept, which the message says.',
          answers: { OK: { message: messages.subscriptionCanceled(IDS.subscription) } },
        }),
      },
    },
    async (request, reply) => {
      const id = subscriptionIdInPath(request.params.subscription_id);
      const scope = request.access.namespaces('subscriptions', 'delete');
      // Specification part 5, rule 4: a hidden subscription is not "not known".
      if (!bus.listSubscriptions(scope).has(id) && bus.listSubscriptions('*').has(id)) {
        throw notAuthorized(request.access, 'delete', 'subscriptions');
      }
      const keptBy = await bus.cancelSubscription(id, scope);
      const message =
        keptBy === null ? messages.subscriptionCanceled(id) : messages.subscriptionKept(id, keptBy);
      return sendStatus(reply, status('OK', message));
    },
  );
}

async function read(
  { documents, clock }: EventbusRoutesDeps,
  request: FastifyRequest,
): Promise<ReadPublication> {
  const content = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
  if (!isLarge(content)) return { publication: publicationIn(parseJson(content)), checked: null };
  const asker = { what: 'The publication', share: tenantOf(request), bytes: content.length };
  const input = { content, now: clock.timestamp() };
  const publication = await documents.run(READ_PUBLICATION, input, { ...asker, given: content });
  // Other documents may have delayed this one.
  await request.grant.check();
  return publication;
}

function parseSelectors(request: FastifyRequest): (item: object) => boolean {
  const fields = parseFieldSelector(queryText(request, 'fieldSelector') ?? '');
  const labels = parseLabelSelector(queryText(request, 'labelSelector') ?? '');
  return (item) => matches(fields, item) && matches(labels, item);
}
