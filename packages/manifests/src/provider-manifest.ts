/** A description of a provider: the steps that replace a call of each function, without code. */

import type { FromSchema, JSONSchema } from 'json-schema-to-ts';
import type { InputDeclarations } from './inputs.ts';
import { closed, some } from './schema-parts.ts';
import {
  FUNCTION_NAME,
  functionStepSchema,
  inputSchema,
  MEMBER_NAME,
  outputSchema,
} from './workflow-manifest.ts';

export const PROVIDER_API_VERSION = 'tutti/v1';

/** Limits against mistakes: only the operator of the server writes descriptions. */
export const PROVIDER_LIMITS = {
  functions: 256,
  /** Steps of one function, for one system. */
  steps: 64,
  /** Words of one command, as written. */
  words: 256,
  attachments: 32,
  values: 64,
} as const;

const functionName = {
  title: 'a name such as "pytest/execute@v1"',
  type: 'string',
  pattern: FUNCTION_NAME,
} as const satisfies JSONSchema;

const { oneOf: _, ...workflowStepShape } = functionStepSchema;

const providerStepShape = {
  ...workflowStepShape,
  properties: {
    ...functionStepSchema.properties,
    command: some({ anyOf: [{ type: 'string' }, { type: 'number' }] }, PROVIDER_LIMITS.words),
  },
} as const satisfies JSONSchema;

/** A step has one more form than in workflows: the words of a command. */
export const providerStepSchema = {
  ...providerStepShape,
  oneOf: [{ required: ['command'] }, { required: ['run'] }, { required: ['uses'] }],
} as const satisfies JSONSchema;

const providerSteps = some(providerStepSchema, PROVIDER_LIMITS.steps) satisfies JSONSchema;

/** Steps that differ from system to system. `unix` is Linux and macOS. */
export const providerSystemsSchema = {
  type: 'object',
  properties: {
    linux: providerSteps,
    macos: providerSteps,
    windows: providerSteps,
    unix: providerSteps,
  },
  minProperties: 1,
  additionalProperties: false,
} as const satisfies JSONSchema;

export const providerAttachmentSchema = closed(
  {
    path: { type: 'string', minLength: 1 },
    type: { type: 'string', minLength: 1 },
    name: { type: 'string', minLength: 1 },
    optional: { type: 'boolean' },
  },
  ['path'],
) satisfies JSONSchema;

/** Forms in which tools take the names of tests. Each has a writer in the plugin that judges steps. */
export const TEST_UNITS = [
  'pytest',
  ...(['playwright', 'jest', 'vitest', 'mocha', 'cucumber-js', 'node-test'] as const),
  ...(['junit', 'robot', 'go', 'cargo', 'phpunit', 'cucumber'] as const),
] as const;
export type TestUnit = (typeof TEST_UNITS)[number];

/** A function that can run chosen tests alone: its steps read `tests.selected`. */
export const providerSelectSchema = closed({ unit: { type: 'string', enum: TEST_UNITS } }, [
  'unit',
]) satisfies JSONSchema;

export const providerFunctionSchema = closed(
  {
    name: functionName,
    aliases: { type: 'array', items: functionName, minItems: 1, maxItems: 16 },
    description: { type: 'string', minLength: 1 },
    inputs: { type: 'object', additionalProperties: inputSchema },
    values: {
      type: 'object',
      propertyNames: { pattern: MEMBER_NAME },
      maxProperties: PROVIDER_LIMITS.values,
      additionalProperties: {},
    },
    steps: { anyOf: [providerSteps, providerSystemsSchema] },
    attach: some(providerAttachmentSchema, PROVIDER_LIMITS.attachments),
    select: providerSelectSchema,
    outputs: {
      type: 'object',
      propertyNames: { pattern: MEMBER_NAME },
      additionalProperties: { anyOf: [{ type: 'string' }, outputSchema] },
    },
  },
  ['name', 'description', 'steps'],
) satisfies JSONSchema;

export const providerManifestSchema = {
  $id: 'provider',
  title: 'Provider',
  type: 'object',
  properties: {
    apiVersion: { type: 'string', const: PROVIDER_API_VERSION },
    kind: { type: 'string', const: 'Provider' },
    metadata: closed(
      {
        name: { type: 'string', minLength: 1 },
        description: { type: 'string' },
      },
      ['name'],
    ),
    params: functionName,
    functions: some(providerFunctionSchema, PROVIDER_LIMITS.functions),
  },
  required: ['apiVersion', 'kind', 'metadata', 'functions'],
  additionalProperties: false,
} as const satisfies JSONSchema;

export type ProviderAttachment = FromSchema<typeof providerAttachmentSchema>;

/** The schema also demands exactly one form of a step. */
export type ProviderStep = Omit<FromSchema<typeof providerStepShape>, 'command'> & {
  readonly command?: readonly (string | number)[];
};

export type ProviderSystem = 'linux' | 'macos' | 'windows' | 'unix';
export type ProviderSteps =
  | readonly ProviderStep[]
  | { readonly [System in ProviderSystem]?: readonly ProviderStep[] };

export interface ProviderFunctionManifest {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly description: string;
  readonly inputs?: InputDeclarations;
  readonly values?: Readonly<Record<string, unknown>>;
  readonly steps: ProviderSteps;
  readonly attach?: readonly ProviderAttachment[];
  readonly select?: { readonly unit: TestUnit };
  readonly outputs?: Readonly<Record<string, string | { readonly value: string }>>;
}

/** The type of `providerManifestSchema`, written by hand because derived types become too large. */
export interface ProviderManifest {
  readonly apiVersion: typeof PROVIDER_API_VERSION;
  readonly kind: 'Provider';
  readonly metadata: { readonly name: string; readonly description?: string };
  /** Name of a function that passes on the parameters of a test management. */
  readonly params?: string;
  readonly functions: readonly ProviderFunctionManifest[];
}
