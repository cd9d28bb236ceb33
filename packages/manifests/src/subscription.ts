/** Subscription (specification 2.4). */

import type { FromSchema, JSONSchema } from 'json-schema-to-ts';
import { closed } from './schema-parts.ts';
import { LABEL_KEY } from './workflow-manifest.ts';

/** Limits of a subscription: its conditions are checked against every event. */
export const SUBSCRIPTION_LIMITS = {
  /** Length of a name, a kind or a compared value, in characters. */
  textLength: 1_024,
  /** Length of the address of an inbox, in characters. */
  endpointLength: 8_192,
  /** Conditions on fields, conditions on labels, and expressions on each of them. */
  conditions: 64,
  /** Values of one expression. */
  values: 64,
} as const;

const { textLength, endpointLength, conditions, values } = SUBSCRIPTION_LIMITS;

const text = { type: 'string', maxLength: textLength } as const;

const EXISTENCE = ['Exists', 'DoesNotExist'] as const;
const MEMBERSHIP = ['In', 'NotIn'] as const;
const CONTAINMENT = ['ContainsAll', 'DoesNotContainAll'] as const;

/** Later checks find operators with wrong values, as they can report them in a sentence. */
const expressions = <const Operators extends readonly string[]>(operators: Operators) =>
  ({
    type: 'array',
    minItems: 1,
    maxItems: conditions,
    items: closed(
      {
        key: text,
        operator: { type: 'string', enum: operators },
        values: { type: 'array', minItems: 1, maxItems: values, items: text },
      },
      ['key', 'operator'],
    ),
  }) as const;

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
    spec: closed(
      {
        selector: {
          type: 'object',
          minProperties: 1,
          properties: {
            matchKind: text,
            matchFields: {
              type: 'object',
              minProperties: 1,
              maxProperties: conditions,
              propertyNames: { pattern: '^[a-z]([a-zA-Z0-9.-]*[a-zA-Z0-9])?$' },
              additionalProperties: text,
            },
            matchLabels: {
              type: 'object',
              minProperties: 1,
              maxProperties: conditions,
              propertyNames: { pattern: LABEL_KEY },
              additionalProperties: text,
            },
            matchExpressions: expressions([...MEMBERSHIP, ...EXISTENCE]),
            matchFieldExpressions: expressions([...MEMBERSHIP, ...CONTAINMENT, ...EXISTENCE]),
          },
          additionalProperties: false,
        },
        subscriber: closed(
          {
            endpoint: { type: 'string', minLength: 1, maxLength: endpointLength },
            'insecure-skip-tls-verify': { type: 'boolean' },
          },
          ['endpoint'],
        ),
      },
      ['subscriber'],
    ),
  },
  required: ['apiVersion', 'kind', 'metadata', 'spec'],
} as const satisfies JSONSchema;

export type Subscription = FromSchema<typeof subscriptionSchema>;
