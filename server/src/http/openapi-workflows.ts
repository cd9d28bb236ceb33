/** Description of starting, observing and cancelling workflows (specification 4.5 to 4.8). */
import { messages } from '@tutti/manifests';
import { EXAMPLES, IDS } from './openapi-examples.ts';
import {
  type Answer,
  BYTES,
  type Content,
  json,
  type Operation,
  RANGE_HEADER,
  type RequestHeader,
  rangeAnswers,
  statusAnswer,
} from './openapi-parts.ts';
import { listOf, mapOf, record, refTo, type Schema, text, uuid } from './openapi-schemas.ts';

const LINES = 'NAME=value, one per line; a field or a file.';

const form: Schema = {
  type: 'object',
  properties: {
    workflow: { type: 'string', description: 'The manifest, JSON or YAML; a field or a file.' },
    variables: { type: 'string', description: LINES },
    inputs: { type: 'string', description: LINES },
  },
  required: ['workflow'],
  additionalProperties: {
    ...BYTES,
    description: 'A file of `resources.files`; the part is named like the entry.',
  },
};

const TRACEPARENT_HEADER: RequestHeader = {
  name: 'traceparent',
  description: 'The trace that the run is part of (W3C Trace Context); other forms are ignored.',
  schema: text,
};

const workflowBody: Content = {
  ...json(refTo('Workflow'), EXAMPLES.workflow),
  'application/x-yaml': { schema: refTo('Workflow'), example: EXAMPLES.workflow },
  'multipart/form-data': {
    schema: form,
    example: { workflow: EXAMPLES.workflowText, variables: 'STAGE=qa\nRETRIES=2' },
  },
};

const byWorkflowId = { workflow_id: '$response.body#/details/workflow_id' } as const;
const PAGES = {
  Link: {
    description:
      'The relations first, prev, next and last (RFC 8288), if there is more than one page.',
    schema: text,
  },
} as const;

/** `details` that are a list with a status. */
const listWithStatus = (items: Schema, statuses: readonly string[]): Schema =>
  record({ items: listOf(items), status: { type: 'string', enum: statuses } });

const started = (optional: Readonly<Record<string, Schema>>): Answer =>
  statusAnswer(
    'Created',
    {
      message: messages.workflowAccepted('nightly', IDS.workflow),
      details: {
        schema: record({ workflow_id: uuid }, optional),
        example: { workflow_id: IDS.workflow },
      },
    },
    {
      links: {
        status: { operationId: 'getWorkflowStatus', parameters: byWorkflowId },
        log: { operationId: 'getWorkflowLog', parameters: byWorkflowId },
        workers: { operationId: 'listWorkers', parameters: byWorkflowId },
        cancel: { operationId: 'cancelWorkflow', parameters: byWorkflowId },
      },
    },
  );

const WARNINGS: Schema = {
  ...listOf(text),
  description:
    'What the workflow does that was probably not meant, with the places; absent if there is nothing. The log of the run has the same lines.',
};

const datasource: Schema = record(
  {
    items: listOf({ anyOf: [refTo('TestCase'), refTo('Job'), refTo('Tag')] }),
    status: { type: 'string', enum: ['ONGOING', 'COMPLETE', 'INTERRUPTED'] },
    workers_count: { type: 'integer', minimum: 0 },
    handled: { type: 'boolean' },
  },
  {
    completionTimestamp: text,
    warnings: {
      ...listOf(text),
      description: 'Reports of which test cases may be missing; absent if there are none.',
    },
  },
);

export const WORKFLOW_OPERATIONS: Readonly<Record<string, Operation>> = {
  'POST /workflows': {
    id: 'startWorkflow',
    headers: [TRACEPARENT_HEADER],
    body: workflowBody,
    answers: {
      OK: statusAnswer('OK', { message: messages.pong() }),
      Created: started({ warnings: WARNINGS }),
    },
    failures: ['Conflict', 'Invalid', 'TooManyRequests', 'ServiceUnavailable'],
  },
  'POST /workflows/{workflow_id}/rerun': {
    id: 'rerunWorkflow',
    headers: [TRACEPARENT_HEADER],
    answers: { Created: started({}) },
    failures: ['NotFound', 'Conflict', 'Invalid', 'TooManyRequests', 'ServiceUnavailable'],
  },
  'GET /workflows': {
    id: 'listWorkflows',
    answers: {
      OK: statusAnswer('OK', {
        message: 'Running and recent workflows',
        details: {
          schema: record({
            items: {
              description: 'Ids; with `expand=manifest` the manifests by id.',
              anyOf: [listOf(uuid), mapOf(refTo('Event'))],
            },
          }),
          example: { items: [IDS.workflow] },
        },
      }),
    },
    failures: ['Invalid'],
  },
  'GET /workflows/status': {
    id: 'getOrchestratorStatus',
    answers: {
      OK: statusAnswer('OK', {
        message: '1 workflow in progress',
        details: {
          schema: listWithStatus(uuid, ['IDLE', 'BUSY']),
          example: { items: [IDS.workflow], status: 'BUSY' },
        },
      }),
    },
  },
  'GET /workflows/{workflow_id}/status': {
    id: 'getWorkflowStatus',
    headers: [
      {
        name: 'Last-Event-ID',
        description: 'Of a stream that broke off: the id of the last event that was read.',
        schema: text,
      },
    ],
    answers: {
      OK: statusAnswer(
        'OK',
        {
          message: 'Workflow nightly in progress',
          details: {
            schema: listWithStatus(refTo('Event'), ['PENDING', 'RUNNING', 'DONE', 'FAILED']),
            example: { items: [EXAMPLES.workflowEvent], status: 'RUNNING' },
          },
        },
        { headers: PAGES, content: { 'text/event-stream': { schema: text } } },
      ),
    },
    failures: ['NotFound', 'Invalid', 'TooManyRequests'],
  },
  'GET /workflows/{workflow_id}/workers': {
    id: 'listWorkers',
    answers: {
      OK: statusAnswer('OK', {
        message: messages.activeWorkers(1),
        details: {
          schema: listWithStatus(text, ['BUSY', 'IDLE']),
          example: { items: ['interpreter-surefire'], status: 'BUSY' },
        },
      }),
    },
    failures: ['NotFound'],
  },
  'GET /workflows/{workflow_id}/datasources/{kind}': {
    id: 'getDatasource',
    answers: {
      OK: statusAnswer(
        'OK',
        {
          message: '',
          details: {
            schema: datasource,
            example: {
              items: [EXAMPLES.testCase, EXAMPLES.job, EXAMPLES.tag],
              status: 'COMPLETE',
              workers_count: 0,
              handled: true,
            },
          },
        },
        { headers: PAGES },
      ),
      Accepted: statusAnswer('Accepted', {
        message: 'There is nothing yet for this data source.',
        details: { schema: { type: 'object' }, example: {} },
      }),
    },
    failures: ['NotFound', 'Invalid'],
  },
  'GET /workflows/{workflow_id}/logs': {
    id: 'getWorkflowLog',
    headers: [RANGE_HEADER],
    answers: rangeAnswers({ 'text/plain': { schema: text, example: EXAMPLES.log } }),
    failures: ['NotFound', 'Invalid', 'RangeNotSatisfiable', 'TooManyRequests'],
  },
  'GET /workflows/{workflow_id}/files/{attachment_id}': {
    id: 'getAttachment',
    headId: 'getAttachmentHeaders',
    description: 'The content type is that of the attachment.',
    headers: [RANGE_HEADER],
    answers: rangeAnswers({ '*/*': { schema: BYTES } }),
    failures: ['NotFound', 'RangeNotSatisfiable'],
  },
  'DELETE /workflows/{workflow_id}': {
    id: 'cancelWorkflow',
    answers: { OK: statusAnswer('OK', { message: messages.workflowCanceled(IDS.workflow) }) },
    failures: ['NotFound', 'Invalid'],
  },
  'DELETE /workflows/{workflow_id}/history': {
    id: 'forgetWorkflow',
    answers: { OK: statusAnswer('OK', { message: messages.workflowForgotten(IDS.workflow) }) },
    failures: ['NotFound', 'Conflict', 'ServiceUnavailable'],
  },
};
