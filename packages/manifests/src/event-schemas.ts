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

const executionResultSchema = {
  $id: 'execution-result',
  title: 'ExecutionResult',
  type: 'object',
  properties: {
    apiVersion: text,
    metadata: {
      type: 'object',
      properties: {
        ...stepMetadata,
        step_sequence_id: { type: 'integer', minimum: -9 },
        channel_id: uuid,
        channel_os: { enum: ['linux', 'macos', 'windows'] },
        channel_temp: text,
        attachments: attachmentMap,
      },
      required: ['name', 'workflow_id', 'job_id', 'step_id', 'step_sequence_id'],
    },
    status: { type: 'integer' },
    logs: texts,
    outputs: textMap,
    attachments: texts,
    variables: textMap,
  },
  required: ['apiVersion', 'metadata', 'status'],
} as const satisfies JSONSchema;

const providerResultSchema = {
  $id: 'provider-result',
  title: 'ProviderResult',
  type: 'object',
  properties: {
    apiVersion: text,
    metadata: {
      type: 'object',
      properties: stepMetadata,
      required: ['name', 'workflow_id', 'job_id', 'step_id'],
    },
    steps: { type: 'array', items: stepSchema, maxItems: 1024 },
    hooks: { type: 'array', items: hookSchema, maxItems: HOOK_LIMITS.hooks },
    outputs: { type: 'object' },
  },
  required: ['apiVersion', 'metadata', 'steps'],
} as const satisfies JSONSchema;

const { step_id: _s, step_origin: _o, ...jobMetadata } = stepMetadata;

/** The jobs are held to their own schema, since the run is told what is wrong with them. */
const generatorResultSchema = {
  $id: 'generator-result',
  title: 'GeneratorResult',
  type: 'object',
  properties: {
    apiVersion: text,
    metadata: {
      type: 'object',
      properties: jobMetadata,
      required: ['name', 'workflow_id', 'job_id'],
    },
    outputs: { type: 'object' },
  },
  required: ['apiVersion', 'metadata'],
} as const satisfies JSONSchema;

const executionErrorSchema = {
  $id: 'execution-error',
  title: 'ExecutionError',
  type: 'object',
  properties: {
    apiVersion: text,
    metadata: {
      type: 'object',
      properties: stepMetadata,
      required: ['name', 'workflow_id'],
    },
    details: { type: 'object', properties: { error: text }, required: ['error'] },
  },
  required: ['apiVersion', 'metadata', 'details'],
} as const satisfies JSONSchema;

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

const notificationSchema = {
  $id: 'notification',
  title: 'Notification',
  type: 'object',
  properties: {
    apiVersion: text,
    metadata: {
      type: 'object',
      properties: {
        ...stepMetadata,
        step_sequence_id: { type: 'integer' },
        attachment_origin: uuids,
      },
      required: ['name', 'workflow_id'],
    },
    spec: {
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
    },
  },
  required: ['apiVersion', 'metadata', 'spec'],
} as const satisfies JSONSchema;

const workflowResultSchema = {
  $id: 'workflow-result',
  title: 'WorkflowResult',
  type: 'object',
  properties: {
    apiVersion: text,
    metadata: {
      type: 'object',
      properties: {
        ...runMetadata,
        attachments: attachmentMap,
        job_id: uuid,
        request_id: text,
      },
      required: ['name', 'workflow_id'],
    },
    attachments: texts,
  },
  required: ['apiVersion', 'metadata'],
} as const satisfies JSONSchema;

const workflowCancellationSchema = {
  $id: 'workflow-cancellation',
  title: 'WorkflowCancellation',
  type: 'object',
  properties: {
    apiVersion: text,
    metadata: {
      type: 'object',
      properties: runMetadata,
      required: ['name', 'workflow_id'],
    },
    details: { type: 'object', properties: { reason: text, source: text } },
  },
  required: ['apiVersion', 'metadata'],
} as const satisfies JSONSchema;

/** By kind, for every kind of event that a run takes from outside; the server alone makes the others. */
export const externalEventSchemas = {
  ExecutionResult: executionResultSchema,
  ProviderResult: providerResultSchema,
  GeneratorResult: generatorResultSchema,
  ExecutionError: executionErrorSchema,
  Notification: notificationSchema,
  WorkflowResult: workflowResultSchema,
  WorkflowCancellation: workflowCancellationSchema,
} as const satisfies Partial<Record<RunEventKind, JSONSchema>>;

export type ExternalEventKind = keyof typeof externalEventSchemas;

export function isExternalEventKind(kind: unknown): kind is ExternalEventKind {
  return typeof kind === 'string' && Object.hasOwn(externalEventSchemas, kind);
}
