/** AgentRegistration (specification 2.2; what real agents send: wire facts 4.1). */
import type { FromSchema, JSONSchema } from 'json-schema-to-ts';

/**
 * Loose where registrations in the wild vary: other entries of `metadata` and `spec` are kept, `namespaces` may be absent
 * or empty (both mean `default`).
 */
export const agentRegistrationSchema = {
  $id: 'agent-registration',
  title: 'AgentRegistration',
  type: 'object',
  properties: {
    apiVersion: { type: 'string' },
    kind: { type: 'string', const: 'AgentRegistration' },
    metadata: {
      type: 'object',
      properties: {
        name: { type: 'string' },
        namespaces: { type: 'string' },
        version: { type: 'string' },
      },
      required: ['name'],
    },
    spec: {
      type: 'object',
      properties: {
        tags: {
          type: 'array',
          items: { type: 'string', pattern: '^[a-zA-Z][a-zA-Z0-9-]*$' },
          minItems: 1,
        },
        encoding: { type: 'string' },
        script_path: { type: 'string' },
        liveness_probe: { type: 'number', exclusiveMinimum: 0 },
      },
      required: ['tags'],
    },
  },
  required: ['apiVersion', 'kind', 'metadata', 'spec'],
} as const satisfies JSONSchema;

export type AgentRegistration = FromSchema<typeof agentRegistrationSchema>;
