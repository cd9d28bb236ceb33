/** The documents of the interface as JSON Schemas (specification part 2): `components.schemas` of its description. */
import {
  acceptedApiVersions,
  agentRegistrationSchema,
  JOB_REFERENCE,
  jobSchema,
  REASON_CODES,
  subscriptionSchema,
  withApiVersions,
  workflowManifestSchema,
} from '@tutti/manifests';

/** A JSON Schema 2020-12, whose references lead into the description. */
export type Schema = Readonly<Record<string, unknown>>;

export const text = { type: 'string' } as const;
export const texts = { type: 'array', items: text } as const;
export const uuid = {
  type: 'string',
  format: 'uuid',
  pattern: '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$',
} as const;
const count = { type: 'integer', minimum: 0 } as const;
const timestamp = {
  description: 'ISO 8601 without a time zone (it is UTC), with microseconds.',
  type: 'string',
  pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{6}$',
} as const;
const orNull = (schema: Schema): Schema => ({ anyOf: [schema, { type: 'null' }] });

/** An object with at least these properties; those of `optional` may be missing. */
export function record(required: Readonly<Record<string, Schema>>, optional = {}): Schema {
  return {
    type: 'object',
    properties: { ...required, ...optional },
    required: Object.keys(required),
  };
}

export const refTo = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });
export const listOf = (items: Schema): Schema => ({ type: 'array', items });
export const mapOf = (values: Schema): Schema => ({ type: 'object', additionalProperties: values });

const manifest = (kind: string, parts: Readonly<Record<string, Schema>>): Schema => ({
  title: kind,
  ...record({ apiVersion: text, kind: { type: 'string', const: kind }, ...parts }),
});

/** Identifiers of the schemas are of our own validator; here a name leads to them. */
function withoutId({ $id: _, ...schema }: Schema & { readonly $id: string }): Schema {
  return schema;
}

const WORKFLOW_JOB = 'WorkflowJob';

/** Schemas of ours that speak of a job have it beside them; here it is a component of its own. */
function withJobComponent({ definitions: _, ...schema }: Schema): Schema {
  const { $ref } = refTo(WORKFLOW_JOB);
  return JSON.parse(
    JSON.stringify(schema, (key, value) =>
      key === '$ref' && value === JOB_REFERENCE ? $ref : value,
    ),
  );
}

/** Specification 2.1. */
const status: Schema = {
  title: 'Status',
  ...record({
    apiVersion: { type: 'string', const: 'v1' },
    kind: { type: 'string', const: 'Status' },
    metadata: { type: 'object', maxProperties: 0 },
    message: text,
    status: { type: 'string', enum: ['Success', 'Failure'] },
    reason: { type: 'string', enum: Object.keys(REASON_CODES) },
    code: { type: 'integer' },
    details: { type: ['object', 'null'] },
  }),
  additionalProperties: false,
};

const phase = { type: 'string', enum: ['IDLE', 'PENDING', 'BUSY', 'UNREACHABLE'] } as const;

/** Specification 2.2, as listings show it. */
const draining = {
  description: 'It takes no further job. Absent where it does.',
  type: 'boolean',
  const: true,
} as const;

const listedAgent = manifest('AgentRegistration', {
  metadata: record(
    { name: text, namespaces: text, agent_id: uuid, creationTimestamp: timestamp },
    { version: text },
  ),
  spec: record({ tags: texts }, { encoding: text, script_path: text }),
  status: record(
    {
      phase,
      currentJobID: orNull(uuid),
      communicationCount: count,
      communicationStatusSummary: mapOf(count),
      lastCommunicationTimestamp: timestamp,
    },
    { draining, drainingTimestamp: timestamp },
  ),
});

/** Specification 2.3. */
const channel = manifest('Channel', {
  metadata: record({ name: text, namespaces: text, channelhandler_id: uuid }, { channel_id: uuid }),
  spec: record({ tags: texts }),
  status: record(
    { lastCommunicationTimestamp: timestamp, phase, currentJobID: orNull(uuid) },
    { draining },
  ),
});

/** Specification 2.4, as listings show it. */
const listedSubscription = manifest('Subscription', {
  metadata: record({
    name: text,
    annotations: mapOf({}),
    creationTimestamp: timestamp,
    subscription_id: uuid,
  }),
  spec: record({ subscriber: { type: 'object' } }, { selector: { type: 'object' } }),
  status: record(
    {
      lastPublicationTimestamp: orNull(timestamp),
      publicationCount: count,
      publicationStatusSummary: mapOf(count),
    },
    { quarantine: count },
  ),
});

/** Specification part 6; events have much more, by their kind. */
const event: Schema = {
  title: 'Event',
  ...record(
    {
      kind: text,
      metadata: record({
        name: text,
        workflow_id: uuid,
        namespace: text,
        creationTimestamp: timestamp,
      }),
    },
    // What plugins publish under kinds of their own may lack it.
    { apiVersion: text },
  ),
};

const outcome = { type: 'string', enum: ['success', 'failure', 'skipped', 'error'] } as const;
const failure = record({}, { message: text, type: text, text });

/** Specification 2.6. */
const testCase = manifest('TestCase', {
  metadata: record(
    {
      name: text,
      id: uuid,
      job_id: uuid,
      execution_id: uuid,
      workflow_id: uuid,
      namespace: text,
      creationTimestamp: timestamp,
    },
    { executions: count },
  ),
  test: record({
    'runs-on': texts,
    uses: { type: 'string', description: 'Empty where a script made the report.' },
    technology: text,
    job: text,
    test: { type: 'string', description: 'Empty where a script made the report.' },
    suiteName: text,
    testCaseName: text,
    outcome,
    managed: { type: 'boolean' },
  }),
  status: { type: 'string', enum: ['SUCCESS', 'FAILURE', 'SKIPPED', 'ERROR'] },
  execution: record(
    {},
    {
      startTime: timestamp,
      endTime: timestamp,
      duration: { type: 'number' },
      outcome: text,
      failureDetails: failure,
      warningDetails: failure,
      errorDetails: failure,
      errorsList: listOf(record({}, { message: text, timestamp: text })),
    },
  ),
});

const testCounts = {
  testCaseCount: count,
  testCaseStatusSummary: record({
    success: count,
    failure: count,
    error: count,
    skipped: count,
    cancelled: count,
  }),
};

/** Specification 2.7. */
const job = manifest('Job', {
  metadata: record({
    name: text,
    id: uuid,
    namespace: text,
    workflow_id: uuid,
    creationTimestamp: timestamp,
  }),
  spec: record({ 'runs-on': texts, variables: mapOf(text) }),
  status: record(
    {
      phase: text,
      requestTime: timestamp,
      startTime: timestamp,
      endTime: timestamp,
      duration: { type: 'number', description: 'Milliseconds.' },
    },
    testCounts,
  ),
  uuid: { type: 'string', description: 'The name of the job.' },
});

/** Specification 2.8. */
const tag = manifest('Tag', {
  metadata: record({ name: text, workflow_id: uuid, namespace: text }),
  status: record({ jobCount: count, ...testCounts }),
});

/** Specification 2.9. */
const bom: Schema = {
  title: 'BOM',
  ...record({
    name: text,
    'internal-components': listOf(
      record({ env_version_key: text, name: text, type: text, version: text }),
    ),
  }),
};

/** By the names under which the description refers to them. */
export const SCHEMAS = {
  Status: status,
  AgentRegistration: withoutId(
    withApiVersions(agentRegistrationSchema, acceptedApiVersions('AgentRegistration')),
  ),
  AgentRegistrationListItem: listedAgent,
  AgentRegistrationList: {
    title: 'AgentRegistrationList',
    ...record({
      apiVersion: { type: 'string', const: 'v1' },
      kind: { type: 'string', const: 'AgentRegistrationList' },
      items: listOf(refTo('AgentRegistrationListItem')),
    }),
  },
  BOM: bom,
  Channel: channel,
  Event: event,
  Job: job,
  Subscription: withoutId(withApiVersions(subscriptionSchema, acceptedApiVersions('Subscription'))),
  SubscriptionListItem: listedSubscription,
  SubscriptionList: {
    title: 'SubscriptionList',
    ...record({
      apiVersion: { type: 'string', const: 'v1' },
      kind: { type: 'string', const: 'SubscriptionList' },
      items: { ...mapOf(refTo('SubscriptionListItem')), propertyNames: uuid },
    }),
  },
  Tag: tag,
  TestCase: testCase,
  Workflow: withJobComponent(withoutId(workflowManifestSchema)),
  [WORKFLOW_JOB]: withJobComponent(jobSchema),
} as const satisfies Readonly<Record<string, Schema>>;
