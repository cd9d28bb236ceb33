/** Subscription (specification 2.4). */
import type { FromSchema, JSONSchema } from 'json-schema-to-ts';
import { LABEL_KEY } from './workflow-manifest.ts';

/** Strict where the specification forbids other properties: `spec`, `selector`, `subscriber`. */
export const subscriptionSchema = {
  $id: 'subscription',
  title: 'Subscription',
  type: 'object',
  properties: {
    apiVersion: { type: 'string' },
    kind: { type: 'string', const: 'Subscription' },
    metadata: {
      type: 'object',
      properties: { name: { type: 'string', minLength: 1 } },
      required: ['name'],
    },
    spec: {
      type: 'object',
      properties: {
        selector: {
          type: 'object',
          minProperties: 1,
          properties: {
            matchKind: { type: 'string' },
            matchFields: {
              type: 'object',
              minProperties: 1,
              propertyNames: { pattern: '^[a-z]([a-zA-Z0-9.-]*[a-zA-Z0-9])?$' },
              additionalProperties: { type: 'string' },
            },
            matchLabels: {
              type: 'object',
              minProperties: 1,
              propertyNames: { pattern: LABEL_KEY },
              additionalProperties: { type: 'string' },
            },
          },
          additionalProperties: false,
        },
        subscriber: {
          type: 'object',
          properties: {
            endpoint: { type: 'string', minLength: 1 },
            'insecure-skip-tls-verify': { type: 'boolean' },
          },
          required: ['endpoint'],
          additionalProperties: false,
        },
      },
      required: ['subscriber'],
      additionalProperties: false,
    },
  },
  required: ['apiVersion', 'kind', 'metadata', 'spec'],
} as const satisfies JSONSchema;

export type Subscription = FromSchema<typeof subscriptionSchema>;
