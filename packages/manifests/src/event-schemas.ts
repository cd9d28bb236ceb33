/**
 * JSON Schemas of the events that may come from outside, from the plugins of existing installations (wire facts part 2). They are loose
 * where plugins differ. Other entries are allowed everywhere, and `apiVersion` may be of any generation. The namespace and the time may be
 * missing, since the server knows both.
 */
import type { JSONSchema } from 'json-schema-to-ts';
import type { RunEventKind } from './events.ts';
import { functionStepSchema, HOOK_LIMITS, hookSchema } from './workflow-manifest.ts';

const uuid = {
  type: 'string',
  pattern: '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$',
} as const;
const text = { type: 'string' } as const;
const texts = { type: 'array', items: text } as const;
const uuids = { type: 'array', items: uuid } as const;
/** A UUID from the server or a provider, otherwise the id that the author gave to the step. */
const stepId = text;
const textMap = { type: 'object', additionalProperties: text } as const;

/** Data of files, by their paths. */
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

interface Parts {
  readonly metadata: Properties;
  readonly needed?: readonly string[];
  readonly properties: Properties;
  readonly required?: readonly string[];
}

/** The schema of a kind of event: its own entries beside version and metadata, and the required ones of both. */
const event = (kind: RunEventKind, { metadata, needed = [], properties, required = [] }: Parts) =>
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
  // The metadata may name the attachment once for all test cases; errors may come without a test.
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

/** Schemas of all kinds of events that a run accepts from outside. Only the server makes events of other kinds. */
export const externalEventSchemas = {
  ExecutionResult: event('ExecutionResult', {
    metadata: { ...stepMetadata, ...channelMetadata },
    needed: ['job_id', 'step_id', 'step_sequence_id'],
    properties: {
      status: { type: 'integer' },
      logs: texts,
      outputs: textMap,
      attachments: texts,
      variables: textMap,
    },
    required: ['status'],
  }),
  ProviderResult: event('ProviderResult', {
    metadata: stepMetadata,
    needed: ['job_id', 'step_id'],
    properties: {
      steps: { type: 'array', items: functionStepSchema, maxItems: 1024 },
      hooks: { type: 'array', items: hookSchema, maxItems: HOOK_LIMITS.hooks },
      outputs: { type: 'object' },
    },
    required: ['steps'],
  }),
  // The jobs have their own schema, since the run reports their problems.
  GeneratorResult: event('GeneratorResult', {
    metadata: jobMetadata,
    needed: ['job_id'],
    properties: { outputs: { type: 'object' } },
  }),
  ExecutionError: event('ExecutionError', {
    metadata: stepMetadata,
    properties: { details: { type: 'object', properties: { error: text }, required: ['error'] } },
    required: ['details'],
  }),
  Notification: event('Notification', {
    metadata: { ...stepMetadata, step_sequence_id: { type: 'integer' }, attachment_origin: uuids },
    properties: { spec: notificationSpec },
    required: ['spec'],
  }),
  WorkflowResult: event('WorkflowResult', {
    metadata: { ...runMetadata, attachments: attachmentMap, job_id: uuid, request_id: text },
    properties: { attachments: texts },
  }),
  WorkflowCancellation: event('WorkflowCancellation', {
    metadata: runMetadata,
    properties: { details: { type: 'object', properties: { reason: text, source: text } } },
  }),
} as const satisfies Partial<Record<RunEventKind, JSONSchema>>;

export type ExternalEventKind = keyof typeof externalEventSchemas;

export function isExternalEventKind(kind: unknown): kind is ExternalEventKind {
  return typeof kind === 'string' && Object.hasOwn(externalEventSchemas, kind);
}
