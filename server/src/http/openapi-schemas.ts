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
import { CAUSES, COMPARED_TESTS, LOG_LINES, RUN_MARKS, RUN_VIEW } from './openapi-run-page.ts';
import type { Schema } from './openapi-words.ts';
import * as words from './openapi-words.ts';

const { anything, count, listOf, mapOf, oneOf, only, orNull, record, refTo, text, texts, uuid } =
  words;

const timestamp = {
  description: 'ISO 8601 without a time zone (it is UTC), with microseconds.',
  type: 'string',
  pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{6}$',
} as const;

const manifest = (kind: string, parts: Readonly<Record<string, Schema>>): Schema => ({
  title: kind,
  ...record({ apiVersion: text, kind: only(kind), ...parts }),
});

const list = (kind: string, items: Schema): Schema => ({
  title: kind,
  ...record({ apiVersion: only('v1'), kind: only(kind), items }),
});

/** Identifiers of the schemas are of our own validator; here a name leads to them. */
function withoutId({ $id: _, ...schema }: Schema & { readonly $id: string }): Schema {
  return schema;
}

/** Schemas of ours that speak of a job have it beside them; here it is a component of its own. */
function withJobComponent({ definitions: _, ...schema }: Schema): Schema {
  const { $ref } = refTo('WorkflowJob');
  const isJob = (key: string, value: unknown) => key === '$ref' && value === JOB_REFERENCE;
  const text = JSON.stringify(schema, (key, value) => (isJob(key, value) ? $ref : value));
  return JSON.parse(text);
}

const phase = oneOf('IDLE', 'PENDING', 'BUSY', 'UNREACHABLE');
const draining = {
  description: 'It takes no further job. Absent where it does.',
  type: 'boolean',
  const: true,
} as const;
const duration = { type: 'number' } as const;
const failure = record({ 'message?': text, 'type?': text, 'text?': text });
const outcomes = { success: count, failure: count, error: count, skipped: count, cancelled: count };
const testCounts = { testCaseCount: count, testCaseStatusSummary: record(outcomes) };
const testHistory = {
  ...record({
    state: oneOf('new', 'stable', 'unsure', 'flaky', 'broken'),
    flakeRate: { type: 'number', minimum: 0, maximum: 1 },
    failures: count,
    executions: count,
  }),
  description: 'What was known of the test when its result was stored: it does not change.',
} as const;
const ofScript = { type: 'string', description: 'Empty where a script made the report.' } as const;

/** By the names under which the description refers to them. */
export const SCHEMAS = {
  Status: {
    title: 'Status',
    ...record({
      apiVersion: only('v1'),
      kind: only('Status'),
      metadata: { type: 'object', maxProperties: 0 },
      message: text,
      status: oneOf('Success', 'Failure'),
      reason: oneOf(...Object.keys(REASON_CODES)),
      code: { type: 'integer' },
      details: { type: ['object', 'null'] },
    }),
    additionalProperties: false,
  },
  AgentRegistration: withoutId(
    withApiVersions(agentRegistrationSchema, acceptedApiVersions('AgentRegistration')),
  ),
  AgentRegistrationListItem: manifest('AgentRegistration', {
    metadata: record({
      name: text,
      namespaces: text,
      agent_id: uuid,
      creationTimestamp: timestamp,
      'version?': text,
    }),
    spec: record({ tags: texts, 'encoding?': text, 'script_path?': text }),
    status: record({
      phase,
      currentJobID: orNull(uuid),
      communicationCount: count,
      communicationStatusSummary: mapOf(count),
      lastCommunicationTimestamp: timestamp,
      'draining?': draining,
      'drainingTimestamp?': timestamp,
    }),
  }),
  AgentRegistrationList: list('AgentRegistrationList', listOf(refTo('AgentRegistrationListItem'))),
  BOM: {
    title: 'BOM',
    ...record({
      name: text,
      'internal-components': listOf(
        record({ env_version_key: text, name: text, type: text, version: text }),
      ),
    }),
  },
  Channel: manifest('Channel', {
    metadata: record({
      name: text,
      namespaces: text,
      channelhandler_id: uuid,
      'channel_id?': uuid,
    }),
    spec: record({ tags: texts }),
    status: record({
      lastCommunicationTimestamp: timestamp,
      phase,
      currentJobID: orNull(uuid),
      'draining?': draining,
    }),
  }),
  Causes: CAUSES,
  ComparedTests: COMPARED_TESTS,
  // Events have many more keys, by their kind. Events of kinds that only plugins know may lack the version.
  Event: {
    title: 'Event',
    ...record({
      kind: text,
      metadata: record({
        name: text,
        workflow_id: uuid,
        namespace: text,
        creationTimestamp: timestamp,
      }),
      'apiVersion?': text,
    }),
  },
  LogLines: LOG_LINES,
  Job: manifest('Job', {
    metadata: record({
      name: text,
      id: uuid,
      namespace: text,
      workflow_id: uuid,
      creationTimestamp: timestamp,
    }),
    spec: record({ 'runs-on': texts, variables: mapOf(text) }),
    status: record({
      phase: text,
      requestTime: timestamp,
      startTime: timestamp,
      endTime: timestamp,
      duration: { ...duration, description: 'Milliseconds.' },
      'testCaseCount?': testCounts.testCaseCount,
      'testCaseStatusSummary?': testCounts.testCaseStatusSummary,
    }),
    uuid: { type: 'string', description: 'The name of the job.' },
  }),
  RunMarks: RUN_MARKS,
  RunView: RUN_VIEW,
  Subscription: withoutId(withApiVersions(subscriptionSchema, acceptedApiVersions('Subscription'))),
  SubscriptionListItem: manifest('Subscription', {
    metadata: record({
      name: text,
      annotations: mapOf({}),
      creationTimestamp: timestamp,
      subscription_id: uuid,
    }),
    spec: record({ subscriber: anything, 'selector?': anything }),
    status: record({
      lastPublicationTimestamp: orNull(timestamp),
      publicationCount: count,
      publicationStatusSummary: mapOf(count),
      'quarantine?': count,
    }),
  }),
  SubscriptionList: list('SubscriptionList', {
    ...mapOf(refTo('SubscriptionListItem')),
    propertyNames: uuid,
  }),
  Tag: manifest('Tag', {
    metadata: record({ name: text, workflow_id: uuid, namespace: text }),
    status: record({ jobCount: count, ...testCounts }),
  }),
  TestCase: manifest('TestCase', {
    metadata: record({
      name: text,
      id: uuid,
      job_id: uuid,
      execution_id: uuid,
      workflow_id: uuid,
      namespace: text,
      creationTimestamp: timestamp,
      'executions?': count,
    }),
    test: record({
      'runs-on': texts,
      uses: ofScript,
      technology: text,
      job: text,
      test: ofScript,
      suiteName: text,
      testCaseName: text,
      outcome: oneOf('success', 'failure', 'skipped', 'error'),
      managed: { type: 'boolean' },
      'history?': testHistory,
      'newlyFailed?': {
        type: 'boolean',
        description: 'Failed, and did not in the newest run before.',
      },
      'retried?': {
        type: 'boolean',
        description: 'Failed, and its step ran it again for that.',
      },
      'flaked?': { type: 'boolean', description: 'Was retried, and passed then.' },
      'quarantined?': {
        type: 'boolean',
        description: 'In quarantine when the result was stored, and not broken.',
      },
    }),
    status: oneOf('SUCCESS', 'FAILURE', 'SKIPPED', 'ERROR'),
    execution: record({
      'startTime?': timestamp,
      'endTime?': timestamp,
      'duration?': duration,
      'outcome?': text,
      'failureDetails?': failure,
      'warningDetails?': failure,
      'errorDetails?': failure,
      'errorsList?': listOf(record({ 'message?': text, 'timestamp?': text })),
    }),
  }),
  Workflow: withJobComponent(withoutId(workflowManifestSchema)),
  WorkflowJob: withJobComponent(jobSchema),
} as const satisfies Readonly<Record<string, Schema>>;
