/** Documentation of the routes of the agent channel (specification 4.3; exchange formats: wire facts part 4 and docs/reference/agent-protocol.md). */
import { agentOrderSchemas, agentPollsSchemas, agentPostSchemas, messages } from '@tutti/manifests';
import type { DescribedOperation } from '../../../http/routes.ts';

type Words = Parameters<DescribedOperation>[0];

const OCTETS = 'application/octet-stream';

const order = { anyOf: Object.values(agentOrderSchemas) };
const { existing, ...own } = agentPostSchemas;

/** Posts of our own agent and of existing agents; docs/reference/agent-protocol.md tells them apart. */
const post = {
  anyOf: [...Object.values(own), { ...existing, not: { required: ['command_id'] } }],
};

export const listAgents: DescribedOperation = ({ json, refTo, EXAMPLES }) => {
  const items = [EXAMPLES.listedAgent];
  const example = { apiVersion: 'v1', kind: 'AgentRegistrationList', items };
  const content = json(refTo('AgentRegistrationList'), example);
  return {
    id: 'listAgents',
    answers: { OK: { description: 'An AgentRegistrationList.', content } },
  };
};

export const registerAgent: DescribedOperation = (words) => {
  const { json, linksTo, record, refTo, text, uuid, EXAMPLES, IDS } = words;
  const next = { work: 'askForWork', result: 'postResult', deregister: 'deregisterAgent' };
  return {
    id: 'registerAgent',
    body: json(refTo('AgentRegistration'), EXAMPLES.agent),
    answers: {
      Created: {
        message: messages.agentRegistered('build-1', IDS.agent, EXAMPLES.agent.spec.tags),
        schema: record({ uuid, version: text, 'shared_polls?': { type: 'boolean' } }),
        example: { uuid: IDS.agent, version: '0.1.0' },
        links: linksTo(next, 'agent_id', 'uuid'),
      },
    },
    failures: ['Invalid', 'TooManyRequests'],
  };
};

export const refreshAgents: DescribedOperation = ({ anything, json, mapOf, IDS }) => ({
  id: 'refreshAgents',
  description: 'The keys are ids of agents.',
  body: json(mapOf(anything), { [IDS.agent]: {} }),
  answers: { OK: { message: messages.agentsRefreshed() } },
});

export const deregisterAgent: DescribedOperation = ({ IDS }) => ({
  id: 'deregisterAgent',
  answers: { OK: { message: messages.agentDeregistered(IDS.agent) } },
});

export const drainAgent: DescribedOperation = ({ IDS }) => ({
  id: 'drainAgent',
  description:
    'The agent ends the job that it has and gets no other, until the drain ends or the agent registers anew. The server keeps the drain over restarts, and shows it as `status.draining`.',
  answers: { OK: { message: messages.agentDraining(IDS.agent) } },
});

export const undrainAgent: DescribedOperation = ({ IDS }) => ({
  id: 'undrainAgent',
  answers: { OK: { message: messages.agentTakesJobs(IDS.agent) } },
});

/** The first entries of a Job. Its status depends on the list that it is in. */
const queuedJob = ({ oneOf, only, record, text, texts, uuid }: Words) =>
  record({
    apiVersion: text,
    kind: only('Job'),
    metadata: record({
      name: text,
      id: uuid,
      namespace: text,
      workflow_id: uuid,
      'step_id?': uuid,
    }),
    spec: record({ 'runs-on': texts }),
    status: record({
      phase: oneOf('PENDING', 'RUNNING'),
      'startTime?': { type: ['string', 'null'] },
      'requestTime?': { type: ['string', 'null'] },
      'missingTags?': texts,
      'isOfOtherNamespace?': { type: 'boolean' },
    }),
  });

const waitingJob = ({ IDS }: Words) => ({
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
});

export const showAgentQueue: DescribedOperation = (words) => {
  const { count, listOf, orNull, record, refTo, EXAMPLES, IDS } = words;
  const job = queuedJob(words);
  const schema = record({
    agent: refTo('AgentRegistrationListItem'),
    work: orNull(job),
    items: listOf(job),
    count,
    others: listOf(job),
    othersCount: count,
  });
  const waiting = { items: [], count: 0, others: [waitingJob(words)], othersCount: 1 };
  const example = { agent: EXAMPLES.listedAgent, work: null, ...waiting };
  return {
    id: 'showAgentQueue',
    description:
      'The agent, the job that it works on, the waiting jobs that it could take in their order, and waiting jobs that it does not take: it lacks tags, or is for other namespaces. Only jobs whose workflows the token may list; at most 100 in each list, beside their number.',
    answers: { OK: { message: messages.agentQueue(IDS.agent), schema, example } },
  };
};

export const askForWork: DescribedOperation = () => {
  const example = { kind: 'exec', command: 'sh script.sh' };
  return {
    id: 'askForWork',
    headers: { Prefer: '`wait=N` holds the request for up to N seconds (RFC 7240).' },
    answers: {
      OK: { message: 'Order for the agent.', schema: order, example },
      NoContent: { description: 'There is nothing to do.' },
    },
  };
};

export const askTogether: DescribedOperation = ({ json, IDS }) => ({
  id: 'askTogether',
  description:
    'For the slots of one process. The first order for one of the agents ends the wait of the others.',
  headers: { Prefer: '`wait=N` holds the request for up to N seconds (RFC 7240).' },
  body: json(agentPollsSchemas.polls, {
    polls: [{ agent_id: IDS.agent, last: null, running: null }],
  }),
  answers: {
    OK: {
      message: 'Orders for the agents.',
      schema: {
        ...agentPollsSchemas.answer,
        properties: {
          ...agentPollsSchemas.answer.properties,
          orders: { type: 'object', additionalProperties: order },
        },
      },
      example: {
        orders: { [IDS.agent]: { kind: 'cancel', command_id: `${IDS.job}/0` } },
        unknown: [],
      },
    },
    NoContent: { description: 'There is nothing to do.' },
  },
  failures: ['Invalid'],
});

export const postResult: DescribedOperation = (words) => ({
  id: 'postResult',
  description: `As \`${OCTETS}\`, our own agent posts a line of JSON, then the bytes of the output. The line has the form of the batch, with the number of \`bytes\` instead of \`lines\`.`,
  body: {
    ...words.json(post, { stdout: ['done'], stderr: [], exit_status: 0 }),
    [OCTETS]: { schema: words.BYTES },
  },
  answers: { OK: { message: 'Result received.', schema: words.orNull(order) } },
  failures: ['Invalid', 'Conflict'],
});

export const fetchFile: DescribedOperation = ({ BYTES }) => ({
  id: 'fetchFile',
  answers: { OK: { description: 'The file.', content: { [OCTETS]: { schema: BYTES } } } },
});

export const sendFile: DescribedOperation = ({ json, record, text, BYTES }) => {
  const failed = record({ details: record({ error: text }) });
  return {
    id: 'sendFile',
    idOf: { PUT: 'replaceFile' },
    body: {
      [OCTETS]: { schema: BYTES },
      ...json(failed, { details: { error: 'File not found.' } }),
    },
    answers: { OK: { message: 'File received.' } },
    failures: ['Invalid', 'Conflict', 'PayloadTooLarge'],
  };
};
