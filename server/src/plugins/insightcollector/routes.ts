/** `POST /workflows/{workflow_id}/insights` (specification 4.9, clients facts 3.10). */
import { insightsSchema, messages, OrchestratorError, status } from '@tutti/manifests';
import type { FastifyReply, FastifyRequest, FastifySchema } from 'fastify';
import { actorOf } from '../../auth/actor.ts';
import type { DocumentTasks } from '../../http/document-tasks.ts';
import { holderOf, tenantOf } from '../../http/holder.ts';
import { takePostedDefinition } from '../../http/posted-definition.ts';
import { queryText } from '../../http/query.ts';
import { sendStatus } from '../../http/reply.ts';
import type { Routes } from '../../http/routes.ts';
import { checkRunFirst, type RunPath, type RunRight, runInPath } from '../../http/run-in-path.ts';
import type { Store } from '../../store/store.ts';
import type { InsightCollector } from './insight-collector.ts';
import type { InsightDefinition } from './insight-document.ts';
import { wantedInsight } from './insight-request.ts';
import { INSIGHT_KINDS, insightFile } from './insight-result.ts';
import { READ_INSIGHTS } from './insight-tasks.ts';
import { COLLECTOR_LIMITS } from './limits.ts';

export interface InsightDeps {
  readonly store: Pick<Store, 'workflow'>;
  readonly insights: Pick<InsightCollector, 'accept' | 'configured'>;
  readonly documents: Pick<DocumentTasks, 'run'>;
}

const PART = 'insights';
/** A report shows what the bearer may read anyway. */
const READ: RunRight = { resource: 'workflows', verb: 'get' };

const schema: FastifySchema = {
  summary: 'Generate reports on a workflow',
  tags: ['insightcollector'],
  parameters: {
    insight: {
      type: 'string',
      description: 'Name of the insight; `*`, `?` and `[..]` as in a shell.',
    },
  },
  operation: ({ definitionBody, listOf, record, text, texts, uuid, IDS }) => {
    const example = { insights: [{ name: 'log', kind: 'ExecutionLog' }] };
    const yaml = 'insights:\n- name: log\n  kind: ExecutionLog\n';
    const answer = {
      message: messages.insightsExpected(1),
      schema: record({ request_id: uuid, expected: listOf(texts), 'warnings?': listOf(text) }),
      example: { request_id: IDS.file, expected: [['log', 'ExecutionLog']] },
    };
    return {
      id: 'generateInsights',
      required: ['insight'],
      body: definitionBody(PART, insightsSchema, example, yaml),
      answers: { OK: answer },
      failures: ['TooManyRequests'],
    };
  },
};

const listSchema: FastifySchema = {
  summary: 'List the reports that are made at the end of each workflow',
  tags: ['insightcollector'],
  operation: ({ listing, listOf, oneOf, record, text }) => {
    const shown = record({ name: text, kind: oneOf(...INSIGHT_KINDS), file: text });
    const example = { name: 'log', kind: 'ExecutionLog', file: 'log.txt' };
    return { id: 'listInsights', answers: listing('Reports', listOf(shown), [example]) };
  },
};

export function insightRoutes(deps: InsightDeps): Routes {
  return (app) => {
    app.get(
      '/insights',
      { config: { access: READ, anywhere: true }, schema: listSchema },
      async (_, reply) => {
        const items = (await deps.insights.configured()).map(({ name, kind }) => ({
          name,
          kind,
          file: insightFile(name, kind),
        }));
        return sendStatus(reply, status('OK', 'Reports', { items }));
      },
    );
    // In a scope of its own, because the reader of multipart bodies hooks into every request of its scope.
    app.register(async (scope) => {
      const { default: multipart } = await import('@fastify/multipart');
      await scope.register(multipart);
      scope.post<RunPath>(
        '/workflows/:workflow_id/insights',
        {
          config: { access: READ, body: 'bytes' },
          bodyLimit: COLLECTOR_LIMITS.definitionBytes,
          onRequest: checkRunFirst(deps.store, READ),
          schema,
        },
        (request, reply) => generate(deps, request, reply),
      );
    });
  };
}

async function generate(
  { store, insights: collector, documents }: InsightDeps,
  request: FastifyRequest<RunPath>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const pattern = patternOf(request);
  const posted = { part: PART, bytesMax: COLLECTOR_LIMITS.definitionBytes };
  const source = await takePostedDefinition(request, posted);
  const bytes = source.content.length;
  const asker = { what: 'The definition', share: tenantOf(request), bytes };
  const { wanted, warnings } = await documents.run(READ_INSIGHTS, { source, pattern }, asker);
  checkWanted(wanted);
  // Checked again, since reading the body took its time.
  await request.grant.check();
  const { workflowId, namespace } = await runInPath(store, request, READ);
  request.audited = { namespace };
  const by = { actor: actorOf(request.access), holder: holderOf(request) };
  const requestId = await collector.accept(workflowId, wanted.map(wantedInsight), by);
  const expected = wanted.map(({ name, kind }) => [name, kind]);
  const details = { request_id: requestId, expected, ...(warnings.length > 0 && { warnings }) };
  return sendStatus(reply, status('OK', messages.insightsExpected(expected.length), details));
}

function patternOf(request: FastifyRequest): string {
  const pattern = queryText(request, 'insight') ?? '';
  if (pattern === '') throw new OrchestratorError('Invalid', messages.insightMissing());
  if (pattern.length > COLLECTOR_LIMITS.patternLength) {
    throw new OrchestratorError(
      'Invalid',
      `Parameter "insight" may have ${COLLECTOR_LIMITS.patternLength} characters at most.`,
    );
  }
  return pattern;
}

function checkWanted(wanted: readonly InsightDefinition[]): void {
  if (wanted.length > COLLECTOR_LIMITS.insightsPerRequest) {
    throw new OrchestratorError(
      'Invalid',
      `A request may ask for ${COLLECTOR_LIMITS.insightsPerRequest} insights at most, not for ${wanted.length}.`,
    );
  }
}
