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
