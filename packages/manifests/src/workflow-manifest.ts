/** The workflow manifest: what a team writes (specification 2.5, wire facts part 1). */

import type { FromSchema, JSONSchema } from 'json-schema-to-ts';
import { type Resources, resourcesSchema } from './resources.ts';
import { closed, some } from './schema-parts.ts';
import { VARIABLES_MAX } from './variable-names.ts';

export const MEMBER_NAME = '^[a-zA-Z_][a-zA-Z0-9_-]*$';
const TAG = '^[a-zA-Z][a-zA-Z0-9-]*$';
/** The name of a function: `[prefix/]category[@version]`. */
export const FUNCTION_NAME = '^([a-zA-Z0-9.-]+/)?[a-zA-Z0-9_.-]+(@[a-zA-Z0-9_.-]+)?$';
const EXPRESSION = '^\\s*\\$\\{\\{[\\s\\S]*\\}\\}\\s*$';

export const LABEL_KEY = '^([a-zA-Z0-9-.]+/)?[a-zA-Z0-9]([a-zA-Z0-9._-]*[a-zA-Z0-9])?$';
export const NAMESPACE_NAME = '^[a-z0-9][a-z0-9-]*$';

/** A variable in its long form; `verbatim` keeps the environment's shell from expanding the value. */
export const variableSchema = closed({ value: { type: 'string' }, verbatim: { type: 'boolean' } }, [
  'value',
]) satisfies JSONSchema;

export const variablesSchema = {
  type: 'object',
  maxProperties: VARIABLES_MAX,
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

const concurrencySchema = closed(
  {
    group: { type: 'string', minLength: 1 },
    'cancel-in-progress': booleanOrExpression,
  },
  ['group'],
) satisfies JSONSchema;

const limits = {
  'max-parallel': { anyOf: [{ type: 'integer', minimum: 1 }, expression] },
  'fail-fast': booleanOrExpression,
} as const;

/** Existing servers accept a matrix of a workflow, which has no effect. */
const strategySchema = closed({ matrix: {}, ...limits }) satisfies JSONSchema;

const scalar = { anyOf: [{ type: 'string' }, { type: 'number' }, { type: 'boolean' }] } as const;
const matrixEntries = {
  anyOf: [
    {
      type: 'array',
      items: { type: 'object', minProperties: 1, additionalProperties: {} },
      maxItems: 1024,
    },
    expression,
  ],
} as const;

/**
 * The axes by their names, with `include` and `exclude` (wire facts 1.8). Values may have any type, as
 * results of expressions do.
 */
export const matrixSchema = {
  type: 'object',
  properties: { include: matrixEntries, exclude: matrixEntries },
  propertyNames: { pattern: MEMBER_NAME },
  additionalProperties: {
    anyOf: [{ type: 'array', items: {}, minItems: 1, maxItems: 1024 }, expression],
  },
  minProperties: 1,
} as const satisfies JSONSchema;

const jobStrategySchema = closed({
  matrix: { anyOf: [matrixSchema, expression] },
  ...limits,
}) satisfies JSONSchema;

export const defaultsSchema = {
  type: 'object',
  properties: {
    run: {
      type: 'object',
      properties: { shell: { type: 'string' }, 'working-directory': { type: 'string' } },
      additionalProperties: true,
    },
  },
  additionalProperties: true,
} as const satisfies JSONSchema;

/** Examples of existing installations name the environment of all jobs here. */
export const workflowDefaultsSchema = {
  ...defaultsSchema,
  properties: {
    ...defaultsSchema.properties,
    'runs-on': { anyOf: [tag, { type: 'array', items: tag, minItems: 1 }] },
  },
} as const satisfies JSONSchema;

/** Limits of retries within a judged step. */
export const RETRY_LIMITS = { times: 10, atMost: 500, delaySeconds: 600 } as const;
/** More failed tests than this are no flakes, unless the step says otherwise. */
export const RETRY_AT_MOST = 50;

const within = (minimum: number, maximum: number) =>
  ({ type: 'integer', minimum, maximum }) as const satisfies JSONSchema;

/** A step with this key is judged by its tests, not by its exit code alone. */
export const stepTestsSchema = closed({
  retry: closed(
    {
      times: within(1, RETRY_LIMITS.times),
      'at-most': within(1, RETRY_LIMITS.atMost),
      'delay-seconds': within(0, RETRY_LIMITS.delaySeconds),
    },
    ['times'],
  ),
  quarantine: { type: 'boolean' },
  'fail-on-flaked': { type: 'boolean' },
}) satisfies JSONSchema;

/** A step of a function: exactly one of `run` (a script) and `uses` (a provider function). */
export const functionStepSchema = {
  type: 'object',
  properties: {
    name: { type: 'string' },
    id: { type: 'string', minLength: 1 },
    if: { type: 'string' },
    uses: { type: 'string', pattern: FUNCTION_NAME },
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

/** A step of a job. Only calls of functions are judged by their tests. */
export const stepSchema = {
  ...functionStepSchema,
  properties: { ...functionStepSchema.properties, tests: stepTestsSchema },
  dependencies: { tests: ['uses'] },
} as const satisfies JSONSchema;

/** Limits of one list of hooks. It may put at most `hooks * steps` steps before its subject, and as many after it. */
export const HOOK_LIMITS = { hooks: 64, events: 64, steps: 32 } as const;

const { oneOf: _, ...stepShape } = functionStepSchema;

/** Keys that a step of a hook can have. The schemas add that it has exactly one form. */
const hookStepShape = {
  ...stepShape,
  properties: {
    ...functionStepSchema.properties,
    'use-workspace': { type: 'string', minLength: 1 },
    'keep-workspace': booleanOrExpression,
  },
} as const satisfies JSONSchema;

/** The event that each kind of workspace step may precede. */
export const WORKSPACE_STEPS = { 'use-workspace': 'setup', 'keep-workspace': 'teardown' } as const;
/** The other keys that a workspace step may have. */
export const HOOK_STEP_COMPANIONS: readonly string[] = ['name', 'id', 'if'];

/** Hooks have two further forms of steps, about the workspace; `problemsOfHooks` checks their places. */
export const hookStepSchema = {
  ...hookStepShape,
  additionalProperties: true,
  oneOf: [
    { required: ['run'] },
    { required: ['uses'] },
    { required: ['use-workspace'] },
    { required: ['keep-workspace'] },
  ],
} as const satisfies JSONSchema;

const hookStepsSchema = some(hookStepSchema, HOOK_LIMITS.steps) satisfies JSONSchema;

const hookEventShape = closed({
  // Existing servers accept any other text, which matches nothing.
  channel: { anyOf: [{ type: 'string', enum: ['setup', 'teardown'] }, { type: 'string' }] },
  category: { type: 'string', minLength: 1 },
  categoryPrefix: { type: 'string', minLength: 1 },
  categoryVersion: { type: 'string', minLength: 1 },
}) satisfies JSONSchema;

export const hookEventSchema = {
  ...hookEventShape,
  additionalProperties: true,
} as const satisfies JSONSchema;

/** Steps around the calls of functions, or around the life of a workspace (wire facts 1.10). */
export const hookSchema = {
  type: 'object',
  properties: {
    name: { type: 'string', minLength: 1 },
    if: { type: 'string' },
    events: some(hookEventSchema, HOOK_LIMITS.events),
    before: hookStepsSchema,
    after: hookStepsSchema,
  },
  required: ['name', 'events'],
  anyOf: [{ required: ['before'] }, { required: ['after'] }],
  additionalProperties: false,
} as const satisfies JSONSchema;

/** Hooks of a workflow, or of an operator's file. */
export const hooksSchema = some(hookSchema, HOOK_LIMITS.hooks) satisfies JSONSchema;

/** Maximal depth of jobs in jobs, those of generators and of called workflows included. */
export const JOB_DEPTH_MAX = 16;
/** Jobs of one run, generated ones and bundles included. */
export const JOBS_MAX = 1024;

/** Reference to the schema of a job from within itself, in every schema with jobs. */
export const JOB_REFERENCE: string = '#/definitions/job';

const jobsSchema = {
  type: 'object',
  minProperties: 1,
  maxProperties: JOBS_MAX,
  propertyNames: { pattern: MEMBER_NAME },
  additionalProperties: { $ref: JOB_REFERENCE },
} as const satisfies JSONSchema;

/** An output with its description (wire facts 1.11). */
export const outputSchema = closed({ description: { type: 'string' }, value: { type: 'string' } }, [
  'value',
]) satisfies JSONSchema;

/** The outputs of a job or of a workflow, as values by name (wire facts 1.11). A description is optional. */
const outputsSchema = {
  type: 'object',
  additionalProperties: { anyOf: [scalar, outputSchema] },
} as const satisfies JSONSchema;

/**
 * One job: steps for one environment, or a bundle, which stands for other jobs. `problemsOfJobs` checks which keys
 * exclude each other.
 */
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
        { type: 'string', pattern: MEMBER_NAME },
        { type: 'array', items: { type: 'string', pattern: MEMBER_NAME }, minItems: 1 },
      ],
    },
    defaults: defaultsSchema,
    variables: variablesSchema,
    concurrency: concurrencySchema,
    strategy: jobStrategySchema,
    'timeout-minutes': numberOrExpression,
    'continue-on-error': booleanOrExpression,
    outputs: outputsSchema,
    steps: { type: 'array', items: stepSchema, minItems: 1, maxItems: 1024 },
    jobs: jobsSchema,
    generator: { type: 'string', pattern: FUNCTION_NAME },
    uses: { type: 'string', minLength: 1 },
    with: { type: 'object' },
  },
  oneOf: [
    { required: ['steps'] },
    { required: ['jobs'] },
    { required: ['generator'] },
    { required: ['uses'] },
  ],
  additionalProperties: false,
} as const satisfies JSONSchema;

/** Jobs without a workflow: the answer of a generator. */
export const generatedJobsSchema = {
  ...jobsSchema,
  $id: 'generated-jobs',
  definitions: { job: jobSchema },
} as const satisfies JSONSchema;

/** The declaration of one input of a run (wire facts 1.11). */
export const inputSchema = closed(
  {
    description: { type: 'string' },
    required: { type: 'boolean' },
    default: {},
    type: { type: 'string', enum: ['string', 'number', 'boolean', 'choice'] },
    options: { type: 'array', items: { type: 'string' }, minItems: 1 },
    depreciationMessage: { type: 'string' },
  },
  ['description'],
) satisfies JSONSchema;

/** Secret values (wire facts 1.2): messages never show them. */
export const secretsSchema = {
  type: 'object',
  writeOnly: true,
  minProperties: 1,
  maxProperties: VARIABLES_MAX,
  propertyNames: { pattern: '^[a-zA-Z0-9_]+$' },
  additionalProperties: { type: 'string', writeOnly: true },
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
    secrets: secretsSchema,
    defaults: workflowDefaultsSchema,
    concurrency: concurrencySchema,
    strategy: strategySchema,
    hooks: hooksSchema,
    'timeout-minutes': numberOrExpression,
    resources: resourcesSchema,
    inputs: {
      type: 'object',
      additionalProperties: inputSchema,
    },
    outputs: outputsSchema,
    jobs: jobsSchema,
  },
  required: ['metadata', 'jobs'],
  additionalProperties: false,
  definitions: { job: jobSchema },
} as const satisfies JSONSchema;

export type Variables = FromSchema<typeof variablesSchema>;
export type HookStep = FromSchema<typeof hookStepShape>;
export type HookEvent = FromSchema<typeof hookEventShape>;
/** The schema has more alternatives than the type needs. */
export interface Hook {
  readonly name: string;
  readonly if?: string;
  readonly events: readonly HookEvent[];
  readonly before?: readonly HookStep[];
  readonly after?: readonly HookStep[];
}
export type WorkflowStep = FromSchema<typeof stepSchema>;
export type StepTests = FromSchema<typeof stepTestsSchema>;

/** Jobs by name. A recursive schema has no derived type, so the type repeats it. */
export type WorkflowJobs = { [name: string]: WorkflowJob };
type JobKeys = Omit<typeof jobSchema, 'oneOf' | 'properties'> & {
  readonly properties: Omit<(typeof jobSchema)['properties'], 'jobs'>;
};
export type WorkflowJob = FromSchema<JobKeys> & { readonly jobs?: WorkflowJobs };

type ManifestKeys = Omit<
  typeof workflowManifestSchema,
  'definitions' | 'required' | 'properties'
> & {
  readonly required: readonly ['metadata'];
  readonly properties: Omit<
    (typeof workflowManifestSchema)['properties'],
    'jobs' | 'hooks' | 'resources'
  >;
};
export type WorkflowManifest = FromSchema<ManifestKeys> & {
  readonly jobs: WorkflowJobs;
  readonly hooks?: readonly Hook[];
  readonly resources?: Resources;
};
