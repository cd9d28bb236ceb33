/** The workflow manifest: what a team writes (specification 2.5, wire facts part 1). */
import type { FromSchema, JSONSchema } from 'json-schema-to-ts';

const NAME = '^[a-zA-Z_][a-zA-Z0-9_-]*$';
const TAG = '^[a-zA-Z][a-zA-Z0-9-]*$';
const EXPRESSION = '^\\s*\\$\\{\\{[\\s\\S]*\\}\\}\\s*$';

export const LABEL_KEY = '^([a-zA-Z0-9-.]+/)?[a-zA-Z0-9]([a-zA-Z0-9._-]*[a-zA-Z0-9])?$';
export const NAMESPACE_NAME = '^[a-z0-9][a-z0-9-]*$';

/** A variable in its long form; `verbatim` keeps the environment's shell from expanding the value. */
export const variableSchema = {
  type: 'object',
  properties: { value: { type: 'string' }, verbatim: { type: 'boolean' } },
  required: ['value'],
  additionalProperties: false,
} as const satisfies JSONSchema;

export const variablesSchema = {
  type: 'object',
  propertyNames: { pattern: '^[a-zA-Z0-9_]+$' },
  additionalProperties: { anyOf: [{ type: 'string' }, variableSchema] },
} as const satisfies JSONSchema;

const expression = { title: 'an expression', type: 'string', pattern: EXPRESSION } as const;
const tag = { title: 'a tag', type: 'string', pattern: TAG } as const;
const numberOrExpression = {
  anyOf: [{ type: 'number', exclusiveMinimum: 0 }, expression],
} as const;
const booleanOrExpression = { anyOf: [{ type: 'boolean' }, expression] } as const;
const tagOrExpression = { anyOf: [tag, expression] } as const;

const concurrencySchema = {
  type: 'object',
  properties: { group: { type: 'string', minLength: 1 } },
  required: ['group'],
  additionalProperties: false,
} as const satisfies JSONSchema;

const strategySchema = {
  type: 'object',
  properties: { 'max-parallel': { type: 'integer', minimum: 1 } },
  additionalProperties: false,
} as const satisfies JSONSchema;

const defaultsSchema = {
  type: 'object',
  properties: {
    run: {
      type: 'object',
      properties: { shell: { type: 'string' }, 'working-directory': { type: 'string' } },
      additionalProperties: false,
    },
  },
  additionalProperties: false,
} as const satisfies JSONSchema;

/** One step: exactly one of `run` (a script) and `uses` (a provider function). */
export const stepSchema = {
  type: 'object',
  properties: {
    name: { type: 'string' },
    id: { type: 'string', pattern: '^[a-zA-Z0-9_-]+$' },
    if: { type: 'string' },
    uses: { type: 'string', pattern: '^([a-zA-Z0-9.-]+/)?[a-zA-Z0-9_.-]+(@[a-zA-Z0-9_.-]+)?$' },
    with: { type: 'object' },
    run: { type: 'string' },
    shell: { type: 'string' },
    variables: variablesSchema,
    'timeout-minutes': numberOrExpression,
    'continue-on-error': booleanOrExpression,
    'working-directory': { type: 'string' },
  },
  oneOf: [{ required: ['run'] }, { required: ['uses'] }],
  additionalProperties: false,
} as const satisfies JSONSchema;

export const jobSchema = {
  type: 'object',
  properties: {
    name: { type: 'string' },
    if: { type: 'string' },
    'runs-on': {
      anyOf: [tagOrExpression, { type: 'array', items: tagOrExpression, minItems: 1 }],
    },
    needs: {
      anyOf: [
        { type: 'string', pattern: NAME },
        { type: 'array', items: { type: 'string', pattern: NAME }, minItems: 1 },
      ],
    },
    defaults: defaultsSchema,
    variables: variablesSchema,
    concurrency: concurrencySchema,
    'timeout-minutes': numberOrExpression,
    'continue-on-error': booleanOrExpression,
    outputs: {
      type: 'object',
      propertyNames: { pattern: NAME },
      additionalProperties: { type: 'string' },
    },
    steps: { type: 'array', items: stepSchema, minItems: 1, maxItems: 1024 },
  },
  required: ['steps'],
  additionalProperties: false,
} as const satisfies JSONSchema;

/** What a run may be given under one name (wire facts 1.11). */
export const inputSchema = {
  type: 'object',
  properties: {
    description: { type: 'string' },
    required: { type: 'boolean' },
    default: {},
    type: { type: 'string', enum: ['string', 'number', 'boolean', 'choice'] },
    options: { type: 'array', items: { type: 'string' }, minItems: 1 },
    depreciationMessage: { type: 'string' },
  },
  required: ['description'],
  additionalProperties: false,
} as const satisfies JSONSchema;

export const workflowManifestSchema = {
  $id: 'workflow',
  title: 'Workflow',
  type: 'object',
  properties: {
    apiVersion: { type: 'string' },
    kind: { type: 'string', const: 'Workflow' },
    metadata: {
      type: 'object',
      properties: {
        name: { type: 'string', minLength: 1 },
        namespace: { type: 'string', pattern: NAMESPACE_NAME },
        labels: {
          type: 'object',
          minProperties: 1,
          propertyNames: { pattern: LABEL_KEY },
          additionalProperties: { type: 'string' },
        },
      },
      required: ['name'],
    },
    variables: variablesSchema,
    defaults: defaultsSchema,
    concurrency: concurrencySchema,
    strategy: strategySchema,
    'timeout-minutes': numberOrExpression,
    resources: {
      type: 'object',
      properties: {
        files: { type: 'array', items: { type: 'string', minLength: 1 } },
      },
      additionalProperties: false,
    },
    inputs: {
      type: 'object',
      minProperties: 1,
      additionalProperties: inputSchema,
    },
    jobs: {
      type: 'object',
      minProperties: 1,
      maxProperties: 1024,
      propertyNames: { pattern: NAME },
      additionalProperties: jobSchema,
    },
  },
  required: ['metadata', 'jobs'],
  additionalProperties: false,
} as const satisfies JSONSchema;

export type Variables = FromSchema<typeof variablesSchema>;
export type WorkflowStep = FromSchema<typeof stepSchema>;
export type WorkflowJob = FromSchema<typeof jobSchema>;
export type WorkflowManifest = FromSchema<typeof workflowManifestSchema>;
