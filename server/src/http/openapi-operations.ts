/** Every operation of the interface, by method and path: what is described of it beside what its route declares. */
import { messages, status } from '@tutti/manifests';
import { AGENT_OPERATIONS } from './openapi-agents.ts';
import { EXAMPLES, IDS } from './openapi-examples.ts';
import { json, type Operation, statusAnswer } from './openapi-parts.ts';
import { REPORT_OPERATIONS } from './openapi-reports.ts';
import { listOf, record, refTo, type Schema, text, uuid } from './openapi-schemas.ts';
import { WORKFLOW_OPERATIONS } from './openapi-workflows.ts';

const BY_SUBSCRIPTION_ID = { subscription_id: '$response.body#/details/uuid' } as const;

const BUS_OPERATIONS: Readonly<Record<string, Operation>> = {
  'POST /publications': {
    id: 'publish',
    description: 'Any JSON object; whoever subscribed to events like it gets it at its inbox.',
    body: json({ type: 'object' }, EXAMPLES.publication),
    answers: { OK: statusAnswer('OK', { message: messages.publicationReceived() }) },
  },
  'GET /publications': {
    id: 'watchPublications',
    answers: {
      OK: statusAnswer(
        'OK',
        { message: messages.publicationsAreStreamed() },
        { content: { 'text/event-stream': { schema: text } } },
      ),
    },
    failures: ['Invalid', 'TooManyRequests'],
  },
  'GET /subscriptions': {
    id: 'listSubscriptions',
    description: 'A subscription with several holders is listed once for each of them.',
    answers: {
      OK: {
        description: 'A SubscriptionList.',
        content: json(refTo('SubscriptionList'), {
          apiVersion: 'v1',
          kind: 'SubscriptionList',
          items: { [IDS.subscription]: EXAMPLES.listedSubscription },
        }),
      },
    },
    failures: ['Invalid'],
  },
  'POST /subscriptions': {
    id: 'subscribe',
    description:
      'Whoever makes a subscription that there is becomes one more holder of it, with an id of its own: the inbox gets each event once.',
    body: json(refTo('Subscription'), EXAMPLES.subscription),
    answers: {
      Created: statusAnswer(
        'Created',
        {
          message: messages.subscriptionRegistered('checkout', IDS.subscription),
          details: { schema: record({ uuid }), example: { uuid: IDS.subscription } },
        },
        { links: { cancel: { operationId: 'unsubscribe', parameters: BY_SUBSCRIPTION_ID } } },
      ),
    },
    failures: ['Invalid', 'TooManyRequests'],
  },
  'DELETE /subscriptions/{subscription_id}': {
    id: 'unsubscribe',
    description:
      'Removes one holder; the subscription ends with the last one. Those of built-in services are kept, which the message says.',
    answers: {
      OK: statusAnswer('OK', { message: messages.subscriptionCanceled(IDS.subscription) }),
    },
    failures: ['NotFound'],
  },
};

/** A listing in a Status manifest: `details.items`. */
const listing = (id: string, message: string, items: Schema, example: unknown): Operation => ({
  id,
  answers: {
    OK: statusAnswer('OK', {
      message,
      details: { schema: record({ items }), example: { items: example } },
    }),
  },
});

/** What only its plugin knows of a function is null. */
const listedFunction: Schema = {
  type: 'object',
  properties: {
    name: text,
    origin: { type: 'string', enum: ['built-in', 'file', 'bus'] },
    description: { type: ['string', 'null'] },
    inputs: { type: ['object', 'null'] },
    systems: { type: ['array', 'null'], items: text },
    source: { type: ['string', 'null'] },
  },
  required: ['name', 'origin', 'description', 'inputs', 'systems', 'source'],
};

const OTHER_OPERATIONS: Readonly<Record<string, Operation>> = {
  'GET /health': {
    id: 'getHealth',
    answers: {
      OK: {
        description: 'The server works. With `ready`, a Status: it can do its work.',
        content: {
          'text/plain': { schema: { type: 'string', const: 'OK' }, example: 'OK' },
          ...json(
            refTo('Status'),
            status('OK', 'The server is ready.', { failing: [], notes: [] }),
          ),
        },
      },
    },
    failures: ['ServiceUnavailable'],
  },
  'GET /metrics': {
    id: 'getMetrics',
    description:
      'Counters and measurements of the whole server, for those who may see all namespaces.',
    answers: {
      OK: {
        description: 'The text format of Prometheus.',
        content: {
          'text/plain': { schema: text, example: 'tutti_runs_accepted_total 3\n' },
        },
      },
    },
  },
  'GET /docs': {
    id: 'getDocs',
    answers: {
      OK: { description: 'This page.', content: { 'text/html': { schema: text } } },
    },
  },
  'GET /schemas/workflow.json': {
    id: 'getWorkflowSchema',
    answers: {
      OK: {
        description: 'JSON Schema, draft 7.',
        content: { 'application/schema+json': { schema: { type: 'object' } } },
      },
    },
  },
  'GET /schemas/provider.json': {
    id: 'getProviderSchema',
    answers: {
      OK: {
        description: 'JSON Schema, draft 7.',
        content: { 'application/schema+json': { schema: { type: 'object' } } },
      },
    },
  },
  'GET /providers': listing('listProviders', 'Known functions', listOf(listedFunction), [
    {
      name: 'pytest/execute@v1',
      origin: 'built-in',
      description: 'Runs tests of pytest.',
      inputs: { test: { description: 'A file.', type: 'string', required: true } },
      systems: ['linux', 'macos', 'windows'],
      source: null,
    },
  ]),
  'GET /channelhandlers': listing('listChannelHandlers', 'Known channel handlers', listOf(uuid), [
    IDS.handler,
  ]),
  'GET /channels': {
    ...listing('listChannels', 'Known channels', listOf(refTo('Channel')), [EXAMPLES.channel]),
    failures: ['Invalid'],
  },
  'GET /namespaces': {
    ...listing('listNamespaces', 'Accessible namespaces', listOf(text), ['*']),
    failures: ['Invalid'],
  },
  'GET /version': listing('getVersion', 'BOM', refTo('BOM'), EXAMPLES.bom),
};

export const OPERATIONS: Readonly<Record<string, Operation>> = {
  ...AGENT_OPERATIONS,
  ...BUS_OPERATIONS,
  ...WORKFLOW_OPERATIONS,
  ...REPORT_OPERATIONS,
  ...OTHER_OPERATIONS,
};
