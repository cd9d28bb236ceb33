/** Description of the agent channel (specification 4.3; exchange formats: wire facts part 4 and ARCHITECTURE.md). */
import { messages } from '@tutti/manifests';
import { EXAMPLES, IDS } from './openapi-examples.ts';
import { BYTES, json, type Operation, statusAnswer } from './openapi-parts.ts';
import { listOf, mapOf, record, refTo, text, texts, uuid } from './openapi-schemas.ts';

const OCTETS = 'application/octet-stream';
const byAgentId = { agent_id: '$response.body#/details/uuid' } as const;

const order = record(
  { kind: { type: 'string', enum: ['exec', 'put', 'get', 'run', 'cancel'] } },
  { command: text, command_id: text, file_id: uuid, path: text },
);

/** What our own agent posts, and what existing agents do; ARCHITECTURE.md tells them apart. */
const post = {
  description:
    'A batch of output of our own agent (with command_id), or the result of an existing agent.',
  anyOf: [
    record(
      { command_id: text, sequence: { type: 'integer', minimum: 0 } },
      {
        output: listOf(
          record({ stream: { type: 'string', enum: ['stdout', 'stderr'] }, lines: texts }),
        ),
        exit_status: { type: ['integer', 'null'] },
        variables: { type: ['array', 'null'], items: text },
        next: { type: 'boolean' },
      },
    ),
    {
      type: 'object',
      properties: {
        stdout: texts,
        stderr: texts,
        exit_status: { type: 'integer' },
        details: record({}, { error: text }),
      },
      not: { required: ['command_id'] },
    },
  ],
} as const;

const fileSent = {
  answers: { OK: statusAnswer('OK', { message: 'File received.' }) },
  body: {
    [OCTETS]: { schema: BYTES },
    ...json(record({ details: record({ error: text }) }), {
      details: { error: 'File not found.' },
    }),
  },
  failures: ['NotFound', 'Invalid', 'Conflict', 'PayloadTooLarge'],
} as const satisfies Partial<Operation>;

/** The first entries of a Job; which status it has depends on the list that it is in. */
const queuedJob = record({
  apiVersion: text,
  kind: { type: 'string', const: 'Job' },
  metadata: record({ name: text, id: uuid, namespace: text, workflow_id: uuid }, { step_id: uuid }),
  spec: record({ 'runs-on': texts }),
  status: record(
    { phase: { type: 'string', enum: ['PENDING', 'RUNNING'] } },
    {
      startTime: { type: ['string', 'null'] },
      requestTime: { type: ['string', 'null'] },
      missingTags: texts,
      isOfOtherNamespace: { type: 'boolean' },
    },
  ),
});

const WAITING_JOB = {
  apiVersion: 'opentestfactory.org/v1alpha1',
  kind: 'Job',
  metadata: { name: 'gpu-tests', id: IDS.job, namespace: 'default', workflow_id: IDS.workflow },
  spec: { 'runs-on': ['linux', 'gpu'] },
  status: {
    phase: 'PENDING',
    requestTime: '2026-01-31T12:34:56.123456',
    missingTags: ['gpu'],
    isOfOtherNamespace: false,
  },
} as const;

export const AGENT_OPERATIONS: Readonly<Record<string, Operation>> = {
  'GET /agents': {
    id: 'listAgents',
    answers: {
      OK: {
        description: 'An AgentRegistrationList.',
        content: json(refTo('AgentRegistrationList'), {
          apiVersion: 'v1',
          kind: 'AgentRegistrationList',
          items: [EXAMPLES.listedAgent],
        }),
      },
    },
    failures: ['Invalid'],
  },
  'POST /agents': {
    id: 'registerAgent',
    body: json(refTo('AgentRegistration'), EXAMPLES.agent),
    answers: {
      Created: statusAnswer(
        'Created',
        {
          message: messages.agentRegistered('build-1', IDS.agent, EXAMPLES.agent.spec.tags),
          details: {
            schema: record({ uuid, version: text }),
            example: { uuid: IDS.agent, version: '0.1.0' },
          },
        },
        {
          links: {
            work: { operationId: 'askForWork', parameters: byAgentId },
            result: { operationId: 'postResult', parameters: byAgentId },
            deregister: { operationId: 'deregisterAgent', parameters: byAgentId },
          },
        },
      ),
    },
    failures: ['Invalid', 'TooManyRequests'],
  },
  'PATCH /agents': {
    id: 'refreshAgents',
    description: 'The keys are ids of agents.',
    body: json(mapOf({ type: 'object' }), { [IDS.agent]: {} }),
    answers: { OK: statusAnswer('OK', { message: messages.agentsRefreshed() }) },
  },
  'DELETE /agents/{agent_id}': {
    id: 'deregisterAgent',
    answers: { OK: statusAnswer('OK', { message: messages.agentDeregistered(IDS.agent) }) },
    failures: ['NotFound'],
  },
  'POST /agents/{agent_id}/drain': {
    id: 'drainAgent',
    description:
      'The agent ends the job that it has and gets no other, until it is told otherwise or registers anew. The server keeps that over restarts, and shows it as `status.draining`.',
    answers: { OK: statusAnswer('OK', { message: messages.agentDraining(IDS.agent) }) },
    failures: ['NotFound'],
  },
  'DELETE /agents/{agent_id}/drain': {
    id: 'undrainAgent',
    answers: { OK: statusAnswer('OK', { message: messages.agentTakesJobs(IDS.agent) }) },
    failures: ['NotFound'],
  },
  'GET /agents/{agent_id}/queue': {
    id: 'showAgentQueue',
    description:
      'The agent, the job that it works on, the waiting jobs that it could take in their order, and waiting jobs that it does not take: it lacks tags, or is for other namespaces. Only jobs whose workflows the token may list; at most 100 in each list, beside their number.',
    answers: {
      OK: statusAnswer('OK', {
        message: messages.agentQueue(IDS.agent),
        details: {
          schema: record({
            agent: refTo('AgentRegistrationListItem'),
            work: { anyOf: [queuedJob, { type: 'null' }] },
            items: listOf(queuedJob),
            count: { type: 'integer', minimum: 0 },
            others: listOf(queuedJob),
            othersCount: { type: 'integer', minimum: 0 },
          }),
          example: {
            agent: EXAMPLES.listedAgent,
            work: null,
            items: [],
            count: 0,
            others: [WAITING_JOB],
            othersCount: 1,
          },
        },
      }),
    },
    failures: ['NotFound'],
  },
  'GET /agents/{agent_id}': {
    id: 'askForWork',
    headers: [
      {
        name: 'Prefer',
        description: '`wait=N` holds the request for up to N seconds (RFC 7240).',
        schema: text,
      },
    ],
    answers: {
      OK: statusAnswer('OK', {
        message: 'Order for the agent.',
        details: { schema: order, example: { kind: 'exec', command: 'sh script.sh' } },
      }),
      NoContent: { description: 'There is nothing to do.' },
    },
    failures: ['NotFound', 'Invalid'],
  },
  'POST /agents/{agent_id}': {
    id: 'postResult',
    body: json(post, { stdout: ['done'], stderr: [], exit_status: 0 }),
    answers: {
      OK: statusAnswer('OK', {
        message: 'Result received.',
        details: { schema: { anyOf: [order, { type: 'null' }] }, example: null },
      }),
    },
    failures: ['NotFound', 'Invalid', 'Conflict'],
  },
  'GET /agents/{agent_id}/files/{file_id}': {
    id: 'fetchFile',
    answers: { OK: { description: 'The file.', content: { [OCTETS]: { schema: BYTES } } } },
    failures: ['NotFound'],
  },
  'POST /agents/{agent_id}/files/{file_id}': { id: 'sendFile', ...fileSent },
  'PUT /agents/{agent_id}/files/{file_id}': { id: 'replaceFile', ...fileSent },
};
