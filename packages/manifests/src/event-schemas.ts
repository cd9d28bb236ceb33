/**
 * JSON Schemas of the events that may come from outside, from the plugins of existing installations (wire facts part 2). They are
 * loose where plugins differ: other entries are allowed everywhere, `apiVersion` may be of any generation, and what the server
 * knows itself (namespace, time) need not be there.
 */
import type { JSONSchema } from 'json-schema-to-ts';
import type { RunEventKind } from './events.ts';
import { HOOK_LIMITS, hookSchema, stepSchema } from './workflow-manifest.ts';

const uuid = {
  type: 'string',
  pattern: '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$',
} as const;
const text = { type: 'string' } as const;
const texts = { type: 'array', items: text } as const;
const uuids = { type: 'array', items: uuid } as const;
/** A UUID where the server or a provider made it up, otherwise the id that the author of the step gave it. */
const stepId = text;
const textMap = { type: 'object', additionalProperties: text } as const;

/** Path to what is known of the file. */
const attachmentMap = {
  type: 'object',
  additionalProperties: {
    type: 'object',
    properties: { uuid },
    required: ['uuid'],
    additionalProperties: text,
  },
} as const satisfies JSONSchema;

const runMetadata = {
  name: text,
  workflow_id: uuid,
  creationTimestamp: text,
  namespace: text,
  labels: textMap,
  annotations: { type: 'object' },
} as const;
const stepMetadata = {
  ...runMetadata,
  job_id: uuid,
  job_origin: uuids,
  step_id: stepId,
  step_origin: { type: 'array', items: stepId },
} as const;

type Properties = Readonly<Record<string, JSONSchema>>;

/** An event of a kind: what it has beside its version and metadata, and what of both must be there. */
const event = (
  kind: RunEventKind,
  metadata: Properties,
  needed: readonly string[],
  properties: Properties,
  required: readonly string[] = [],
) =>
  ({
    $id: kind.replace(/(?!^)[A-Z]/g, '-$&').toLowerCase(),
    title: kind,
    type: 'object',
    properties: {
      apiVersion: text,
      metadata: {
        type: 'object',
        properties: metadata,
        required: ['name', 'workflow_id', ...needed],
      },
      ...properties,
    },
    required: ['apiVersion', 'metadata', ...required],
  }) satisfies JSONSchema;

const { step_id: _s, step_origin: _o, ...jobMetadata } = stepMetadata;

const testResultDetails = {
  type: 'object',
  properties: { message: text, type: text, text },
} as const satisfies JSONSchema;

const testResultSchema = {
  type: 'object',
  properties: {
    id: text,
    name: text,
    status: { enum: ['SUCCESS', 'FAILURE', 'ERROR', 'SKIPPED'] },
    duration: { type: 'number', minimum: 0 },
    attachment_origin: uuid,
    suite: text,
    failureDetails: testResultDetails,
    errorDetails: testResultDetails,
    warningDetails: testResultDetails,
    errorsList: {
      type: 'array',
      items: {
        type: 'object',
        properties: { message: text, timestamp: text },
        required: ['message'],
      },
    },
  },
  // Which attachment it was found in may be said once, in the metadata; errors may come without a test.
  if: {
    properties: { name: { const: '' }, errorsList: { type: 'array' } },
    required: ['errorsList'],
  },
  else: { required: ['id', 'name', 'status', 'duration'] },
} as const satisfies JSONSchema;

const notificationSpec = {
  type: 'object',
  properties: {
    logs: texts,
    worker: {
      type: 'object',
      properties: {
        worker_id: { type: 'string', minLength: 1 },
        status: { enum: ['setup', 'teardown'] },
      },
      required: ['worker_id', 'status'],
    },
    testResults: { type: 'array', items: testResultSchema },
    outcome: text,
    conclusion: text,
  },
} as const satisfies JSONSchema;

const channelMetadata = {
  step_sequence_id: { type: 'integer', minimum: -9 },
  channel_id: uuid,
  channel_os: { enum: ['linux', 'macos', 'windows'] },
  channel_temp: text,
  attachments: attachmentMap,
} as const;

/** By kind, for every kind of event that a run takes from outside; the server alone makes the others. */
export const externalEventSchemas = {
  ExecutionResult: event(
    'ExecutionResult',
    { ...stepMetadata, ...channelMetadata },
    ['job_id', 'step_id', 'step_sequence_id'],
    {
      status: { type: 'integer' },
      logs: texts,
      outputs: textMap,
      attachments: texts,
      variables: textMap,
    },
    ['status'],
  ),
  ProviderResult: event(
    'ProviderResult',
    stepMetadata,
    ['job_id', 'step_id'],
    {
      steps: { type: 'array', items: stepSchema, maxItems: 1024 },
      hooks: { type: 'array', items: hookSchema, maxItems: HOOK_LIMITS.hooks },
      outputs: { type: 'object' },
    },
    ['steps'],
  ),
  // The jobs are held to their own schema, since the run is told what is wrong with them.
  GeneratorResult: event('GeneratorResult', jobMetadata, ['job_id'], {
    outputs: { type: 'object' },
  }),
  ExecutionError: event(
    'ExecutionError',
    stepMetadata,
    [],
    { details: { type: 'object', properties: { error: text }, required: ['error'] } },
    ['details'],
  ),
  Notification: event(
    'Notification',
    { ...stepMetadata, step_sequence_id: { type: 'integer' }, attachment_origin: uuids },
    [],
    { spec: notificationSpec },
    ['spec'],
  ),
  WorkflowResult: event(
    'WorkflowResult',
    { ...runMetadata, attachments: attachmentMap, job_id: uuid, request_id: text },
    [],
    { attachments: texts },
  ),
  WorkflowCancellation: event('WorkflowCancellation', runMetadata, [], {
    details: { type: 'object', properties: { reason: text, source: text } },
  }),
} as const satisfies Partial<Record<RunEventKind, JSONSchema>>;

export type ExternalEventKind = keyof typeof externalEventSchemas;

export function isExternalEventKind(kind: unknown): kind is ExternalEventKind {
  return typeof kind === 'string' && Object.hasOwn(externalEventSchemas, kind);
}
