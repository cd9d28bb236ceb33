/** AgentRegistration (specification 2.2; what real agents send: wire facts 4.1). */
import type { FromSchema, JSONSchema } from 'json-schema-to-ts';

/** Limits for registrations. Listings repeat registrations, and a tag is compared with the tags of every waiting job. */
export const AGENT_LIMITS = {
  /** Length of a name, in characters. Generated names have about 100. */
  nameLength: 1_024,
  tags: 256,
  /** Length of one tag, in characters. */
  tagLength: 256,
  /** Length of the whole list of namespaces, in characters. */
  namespacesLength: 8_192,
  /** Characters of the id of a command in a post: the id of a job, and a number. */
  commandIdLength: 256,
  /** Agents in one poll: the slots of one process. */
  polls: 256,
} as const;

/** `*` or a name, as keys of existing installations spell namespaces (wire facts part 8); only they have upper case. */
const NAMESPACE = '(?:\\*|[a-zA-Z0-9][a-zA-Z0-9-]*)';
/** The list of namespaces. No part begins or ends like its neighbour, so a wrong list is refused in linear time. */
const NAMESPACES = `^(?:|(?: *${NAMESPACE} *,)* *${NAMESPACE} *)$`;

/**
 * Loose where existing registrations vary. Other entries of `metadata` and `spec` are kept. `namespaces` may be absent or empty (both mean
 * `default`).
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
        name: { type: 'string', maxLength: AGENT_LIMITS.nameLength },
        namespaces: {
          title: 'a list of namespaces (*, or names with commas between them)',
          type: 'string',
          pattern: NAMESPACES,
          maxLength: AGENT_LIMITS.namespacesLength,
        },
        version: { type: 'string' },
      },
      required: ['name'],
    },
    spec: {
      type: 'object',
      properties: {
        tags: {
          type: 'array',
          items: {
            type: 'string',
            pattern: '^[a-zA-Z][a-zA-Z0-9-]*$',
            maxLength: AGENT_LIMITS.tagLength,
          },
          minItems: 1,
          maxItems: AGENT_LIMITS.tags,
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
