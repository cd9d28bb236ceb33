/** The routes of the agent channel (specification 4.3; exchange formats: wire facts part 4 and docs/reference/agent-protocol.md). */
import { Readable } from 'node:stream';
import {
  type Actor,
  type AgentOrder,
  type AgentRegistration,
  agentIdInPath,
  isUuid,
  messages,
  OrchestratorError,
  REASON_CODES,
  status,
} from '@tutti/manifests';
import { matches, parseFieldSelector, parseLabelSelector } from '@tutti/selectors';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { actorOf } from '../../../auth/actor.ts';
import { isForwarded } from '../../../auth/login.ts';
import { sendMadeInTurn } from '../../../http/answer-memory.ts';
import { hasOctets } from '../../../http/bodies.ts';
import type { DocumentTasks } from '../../../http/document-tasks.ts';
import { parseJson } from '../../../http/json.ts';
import { sendList } from '../../../http/list-answer.ts';
import { queryText } from '../../../http/query.ts';
import { sendStatus } from '../../../http/reply.ts';
import type { Routes } from '../../../http/routes.ts';
import { whenClosed } from '../../../http/when-closed.ts';
import { nextTurn, Turns } from '../../../runtime/turns.ts';
import type { AgentChannel } from '../agentchannel.ts';
import { noteToken } from '../agents/agent-tokens.ts';
import { receiveExistingPost } from '../existing/existing-posts.ts';
import { patiently } from '../existing/patience.ts';
import { type Agent, namespacesOf } from '../jobs/agent.ts';
import { POST_RULES, type ReadPost } from '../jobs/agent-post.ts';
import { endOutgoing } from '../jobs/commands.ts';
import { LIMITS } from '../jobs/limits.ts';
import type { Registrant } from '../jobs/registrant.ts';
import { receiveBatch } from '../own/batches.ts';
import { isOwn } from '../own/own-agent.ts';
import { readByteBatch } from '../posts/byte-batch.ts';
import { READ_POST } from '../posts/post-tasks.ts';
import { entriesOfPost, errorOf, readPost } from '../posts/posts.ts';
import { checkReach, checkRegistration, mayKnowJob, mayReach } from './agent-access.ts';
import { agentManifest } from './agent-manifest.ts';
import { countAnswer, createAnswerCounter } from './answer-counts.ts';
import { type FileOfAgent, failFile, fileIdInPath, outgoingFile, receiveFile } from './files.ts';
import { admitRequest, heldPolls, isLong } from './held-polls.ts';
import * as ops from './operations.ts';
import { operatorRoutes } from './operator-routes.ts';
import { queueRoutes } from './queue-routes.ts';
import { createRegistrationReader } from './registration.ts';

interface AgentPath {
  Params: { agent_id: string };
}
interface FilePath {
  Params: { agent_id: string; file_id: string };
}

const tags = ['agentchannel'];
const text = { type: 'string' } as const;
const selectors = { fieldSelector: text, labelSelector: text };

export function agentChannelRoutes(
  channel: AgentChannel,
  version: string,
  documents: Pick<DocumentTasks, 'run'>,
): Routes {
  return (app) => {
    registrationRoutes(app, channel, version);
    operatorRoutes(app, channel);
    queueRoutes(app, channel);
    sharedPollRoutes(app, channel);
    exchangeRoutes(app, channel, documents);
    fileRoutes(app, channel);
  };
}

function registrationRoutes(app: FastifyInstance, channel: AgentChannel, version: string): void {
  const readRegistration = createRegistrationReader(channel.context.apiGroup);
  app.get(
    '/agents',
    {
      config: { access: { resource: 'agents', verb: 'list' } },
      schema: {
        summary: 'List agents',
        tags,
        parameters: selectors,
        operation: ops.listAgents,
      },
    },
    async (request, reply) => listAgents(channel, request, reply),
  );
  app.post(
    '/agents',
    {
      config: { access: { resource: 'agents', verb: 'create' } },
      bodyLimit: LIMITS.registrationBytes,
      schema: { summary: 'Register an agent', tags, operation: ops.registerAgent },
    },
    async (request, reply) => {
      const manifest = readRegistration(request.body);
      checkRegistration(request.access, manifest.metadata.namespaces || 'default');
      channel.requireRoom(manifest);
      const agent = await channel.register(manifest, registrantOf(request));
      request.audited = { namespace: namespacesOf(agent), agentId: agent.id };
      noteToken(channel.context, agent, request);
      return sendStatus(reply, registered(agent, manifest, version));
    },
  );
  app.patch(
    '/agents',
    {
      config: { access: { resource: 'agents', verb: 'create' }, isAudited: false },
      schema: { summary: 'Tell that agents are alive', tags, operation: ops.refreshAgents },
    },
    async (request, reply) => {
      await refreshAgents(channel, request);
      return sendStatus(reply, status('OK', messages.agentsRefreshed()));
    },
  );
  app.delete<AgentPath>(
    '/agents/:agent_id',
    {
      config: { access: { resource: 'agents', verb: 'delete' } },
      schema: {
        summary: 'De-register an agent',
        tags,
        parameters: { force: { type: 'boolean' } },
        operation: ops.deregisterAgent,
      },
    },
    async (request, reply) => {
      const agent = channel.agent(agentIdInPath(request.params.agent_id));
      // An agent is removed even while it works, so `force` changes nothing.
      checkReach(request.access, 'delete', agent);
      request.audited = { namespace: namespacesOf(agent) };
      await channel.deregister(agent.id, actorOf(request.access));
      return sendStatus(reply, status('OK', messages.agentDeregistered(agent.id)));
    },
  );
}

const registrantOf = ({ access, headers, socket }: FastifyRequest): Registrant => ({
  ...actorOf(access),
  address: isForwarded(headers) ? null : (socket.remoteAddress ?? null),
});

function registered(agent: Agent, manifest: AgentRegistration, version: string) {
  const { name } = manifest.metadata;
  const message = messages.agentRegistered(name, agent.id, manifest.spec.tags);
  return status('Created', message, { uuid: agent.id, version, ...agent.abilities });
}

function listAgents(
  channel: AgentChannel,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const fields = parseFieldSelector(queryText(request, 'fieldSelector') ?? '');
  const labels = parseLabelSelector(queryText(request, 'labelSelector') ?? '');
  const isSelected = (manifest: object) => matches(fields, manifest) && matches(labels, manifest);
  const items = listedAgents(channel, request, isSelected);
  const document = { apiVersion: 'v1', kind: 'AgentRegistrationList', items: [] };
  return sendList(request, reply, { document, items });
}

/** JSON of each agent; null for an agent that is left out. */
function* listedAgents(
  { context }: AgentChannel,
  { access }: FastifyRequest,
  isSelected: (manifest: object) => boolean,
): Iterable<string | null> {
  const { agents, apiGroup, pool } = context;
  for (const agent of [...agents.values()]) {
    const isReached = mayReach(access, 'list', agent);
    const manifest = isReached
      ? agentManifest(agent, { apiGroup, pool, showsJob: mayKnowJob(access, agent) })
      : null;
    yield manifest !== null && isSelected(manifest) ? JSON.stringify(manifest) : null;
  }
}

/** Notes a contact of each agent that the request names. */
async function refreshAgents(channel: AgentChannel, request: FastifyRequest): Promise<void> {
  const turns = new Turns();
  for (const agent of namedAgents(channel, request)) {
    if (turns.isOver) await turns.next();
    noteToken(channel.context, agent, request);
    agent.touch(channel.context);
    countAnswer(agent, REASON_CODES.OK);
  }
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function namedAgents(channel: AgentChannel, request: FastifyRequest): readonly Agent[] {
  const { body } = request;
  const fits = ([id, value]: [string, unknown]) => isUuid(id) && isObject(value);
  if (!isObject(body) || !Object.entries(body).every(fits)) {
    const message = messages.bodyNotJson('expected an object of objects whose keys are agent ids.');
    throw new OrchestratorError('BadRequest', message);
  }
  const { agents } = channel.context;
  const named = Object.keys(body).flatMap(
    (id) => agents.get(id.toLowerCase() as Agent['id']) ?? [],
  );
  for (const agent of named) checkReach(request.access, 'create', agent);
  return named;
}

function agentOf(channel: AgentChannel, request: FastifyRequest<AgentPath>): Agent {
  const agent = channel.agent(agentIdInPath(request.params.agent_id));
  admitRequest(channel, request, agent);
  return agent;
}

function exchangeRoutes(
  app: FastifyInstance,
  channel: AgentChannel,
  documents: Pick<DocumentTasks, 'run'>,
): void {
  const onSend = createAnswerCounter(channel.context);
  const config = {
    access: { resource: 'agents', verb: 'create' },
    isAudited: false,
  } as const;
  app.get<AgentPath>(
    '/agents/:agent_id',
    {
      config,
      onSend,
      exposeHeadRoute: false,
      schema: {
        summary: 'Ask for work (agents)',
        tags,
        parameters: { last: text, running: text },
        operation: ops.askForWork,
      },
    },
    async (request, reply) => {
      const agent = agentOf(channel, request);
      const [last, running] = [queryText(request, 'last'), queryText(request, 'running')];
      const [given = null] = await heldPolls(channel, [{ agent, last, running }], reply);
      if (given === null) return reply.code(204).send();
      const { order } = given;
      const make = () => status('OK', 'Order for the agent.', order);
      return isLong(order) ? await sendMadeInTurn(request, reply, make) : sendStatus(reply, make());
    },
  );
  app.post<AgentPath>(
    '/agents/:agent_id',
    {
      config: { ...config, body: 'json-or-octets' },
      // Refuse an unknown agent before its body is checked.
      onRequest: (request, _reply, done) => {
        agentOf(channel, request);
        done();
      },
      onSend,
      bodyLimit: LIMITS.postBytes,
      schema: {
        summary: 'Post output and results (agents)',
        tags,
        operation: ops.postResult,
      },
    },
    async (request, reply) => {
      const agent = agentOf(channel, request);
      agent.touch(channel.context);
      const left = new AbortController();
      const actor = actorOf(request.access);
      whenClosed(reply.raw, () => left.abort(GONE));
      const taken = await takePost({ agent, documents, left: left.signal }, request);
      const { context } = channel;
      const next = await receivePost(
        { context, agent, left: left.signal },
        withActor(taken, actor),
      );
      if (next !== null) await request.grant.check();
      return sendStatus(reply, status('OK', 'Result received.', next));
    },
  );
}

function sharedPollRoutes(app: FastifyInstance, channel: AgentChannel): void {
  app.post(
    '/agents/polls',
    {
      config: { access: { resource: 'agents', verb: 'create' }, isAudited: false },
      bodyLimit: LIMITS.pollsBytes,
      schema: { summary: 'Ask for work of several agents', tags, operation: ops.askTogether },
    },
    async (request, reply) => {
      const { askTogether } = await import('./shared-polls.ts');
      return await askTogether(channel, request, reply);
    },
  );
}

/** A reason of its own: making an error for each post takes longer than reading most of them. */
const GONE = 'The agent has gone.';

interface Poster {
  readonly agent: Agent;
  /** Aborts when the agent has gone. */
  readonly left: AbortSignal;
}

/** Reads a post. Existing agents take any answer for a receipt, so their posts wait until there is room. */
async function takePost(
  { agent, documents, left }: Poster & { readonly documents: Pick<DocumentTasks, 'run'> },
  request: FastifyRequest,
): Promise<ReadPost> {
  const content = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
  if (hasOctets(request)) {
    if (content.length > LIMITS.postBytesAtOnce) await nextTurn();
    return readByteBatch({ content, isOurs: agent.isOurs });
  }
  const isSmall =
    content.length <= LIMITS.postBytesHere && request.documentValues <= LIMITS.postValuesHere;
  if (isSmall && content.length > LIMITS.postBytesAtOnce) await nextTurn();
  if (isSmall) return readPost(parseJson(content, POST_RULES), agent.isOurs);
  const input = { content, isOurs: agent.isOurs };
  const asker = {
    what: 'The post',
    share: `agent ${agent.id}`,
    bytes: content.length,
    given: content,
  };
  const large = await patiently({ agent, left }, () => documents.run(READ_POST, input, asker));
  // The token may have ended while the post waited for other documents.
  await request.grant.check();
  const { withPieces } = await import('../posts/large-post.ts');
  return withPieces(large);
}

function withActor(posted: ReadPost, actor: Actor): ReadPost {
  return posted.kind === 'received' ? posted : { ...posted, actor };
}

async function receivePost(
  { context, agent, left }: Poster & Pick<AgentChannel, 'context'>,
  posted: ReadPost,
): Promise<AgentOrder | null> {
  if (posted.kind === 'batch' && isOwn(agent))
    return await receiveBatch({ context, agent }, posted, left);
  // One of our own agents has written a file. It may report that again.
  if (posted.kind === 'received')
    await endOutgoing(context, agent, ({ fileId }) => fileId === posted.fileId);
  if (posted.kind === 'existing') {
    const waits = (error: unknown) =>
      context.logger.warn({ err: error, agentId: agent.id }, 'The post of an agent has to wait.');
    const receive = () => receiveExistingPost(context, agent, posted);
    await patiently({ agent, left, waits }, receive);
  }
  return null;
}

function fileRoutes(app: FastifyInstance, channel: AgentChannel): void {
  const onSend = createAnswerCounter(channel.context);
  const access = { resource: 'agents', verb: 'create' } as const;
  app.get<FilePath>(
    '/agents/:agent_id/files/:file_id',
    {
      config: { access },
      onSend,
      exposeHeadRoute: false,
      schema: { summary: 'Fetch a file (agents)', tags, operation: ops.fetchFile },
    },
    async (request, reply) => {
      const file = fileOf(channel, request);
      const { size, content, ended } = await outgoingFile(file);
      whenClosed(reply.raw, () => {
        ended(reply.raw.writableFinished);
        file.agent.touch(channel.context);
      });
      reply.header('Content-Length', size).type('application/octet-stream');
      return reply.send(content);
    },
  );
  app.route<FilePath>({
    method: ['POST', 'PUT'],
    url: '/agents/:agent_id/files/:file_id',
    config: { access, isAudited: false, body: 'stream' },
    onSend,
    schema: { summary: 'Send a file (agents)', tags, operation: ops.sendFile },
    handler: async (request, reply) => {
      const file = fileOf(channel, request);
      const body = request.body instanceof Readable ? request.body : Readable.from([]);
      const small = await smallJson(request, body);
      const error = small === null ? null : errorInJson(small.toString('utf8'));
      if (error !== null) await failFile(file, error);
      else await receiveFile(file, small === null ? body : Readable.from([small]));
      return sendStatus(reply, status('OK', 'File received.'));
    },
  });
}

function fileOf(channel: AgentChannel, request: FastifyRequest<FilePath>): FileOfAgent {
  const { context } = channel;
  const agent = agentOf(channel, request);
  agent.touch(context);
  return { context, agent, fileId: fileIdInPath(request.params.file_id) };
}

/** A small JSON document may be the news of a failure; it is read whole to find out. */
const ERROR_BYTES_MAX = 64 * 1024;

async function smallJson(request: FastifyRequest, body: Readable): Promise<Buffer | null> {
  const isJson = /^application\/json\b/i.test(request.headers['content-type'] ?? '');
  const size = Number(request.headers['content-length'] ?? Number.NaN);
  if (!isJson || !(size <= ERROR_BYTES_MAX)) return null;
  const chunks: Buffer[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function errorInJson(text: string): string | null {
  try {
    return errorOf(entriesOfPost(JSON.parse(text)));
  } catch {
    return null;
  }
}
