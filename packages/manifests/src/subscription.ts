/** Subscription (specification 2.4). */
import type { FromSchema, JSONSchema } from 'json-schema-to-ts';
import { LABEL_KEY } from './workflow-manifest.ts';

/** Bounds of a subscription: its conditions are checked against every event. */
export const SUBSCRIPTION_LIMITS = {
  /** Of a name, a kind or a value that is looked for, in characters. */
  textLength: 1_024,
  /** Of the address of an inbox, in characters. */
  endpointLength: 8_192,
  /** Conditions on fields, and conditions on labels. */
  conditions: 64,
} as const;

const { textLength, endpointLength, conditions } = SUBSCRIPTION_LIMITS;

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
      properties: { name: { type: 'string', minLength: 1, maxLength: textLength } },
      required: ['name'],
    },
    spec: {
      type: 'object',
      properties: {
        selector: {
          type: 'object',
          minProperties: 1,
          properties: {
            matchKind: { type: 'string', maxLength: textLength },
            matchFields: {
              type: 'object',
              minProperties: 1,
              maxProperties: conditions,
              propertyNames: { pattern: '^[a-z]([a-zA-Z0-9.-]*[a-zA-Z0-9])?$' },
              additionalProperties: { type: 'string', maxLength: textLength },
            },
            matchLabels: {
              type: 'object',
              minProperties: 1,
              maxProperties: conditions,
              propertyNames: { pattern: LABEL_KEY },
              additionalProperties: { type: 'string', maxLength: textLength },
            },
          },
          additionalProperties: false,
        },
        subscriber: {
          type: 'object',
          properties: {
            endpoint: { type: 'string', minLength: 1, maxLength: endpointLength },
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
