/** `GET /queue`: an extension of the specification. */
import type { FastifyInstance } from 'fastify';
import type { DescribedOperation } from '../../../http/routes.ts';
import type { AgentChannel } from '../agentchannel.ts';

const text = { type: 'string' } as const;
const number = { type: 'integer', minimum: 1 } as const;

export function queueRoutes(app: FastifyInstance, channel: AgentChannel): void {
  app.get(
    '/queue',
    {
      config: { access: { resource: 'workflows', verb: 'list' } },
      schema: {
        summary: 'Jobs that wait, and why',
        tags: ['agentchannel'],
        parameters: {
          namespace: text,
          fieldSelector: text,
          labelSelector: text,
          page: number,
          per_page: number,
        },
        operation,
      },
    },
    async (_request, reply) => {
      const { sendWaiting } = await import('./waiting-list.ts');
      return await sendWaiting(channel.context, reply);
    },
  );
}

const operation: DescribedOperation = ({ count, listOf, orNull, record, uuid, IDS, ...words }) => {
  const ms = { type: 'number', minimum: 0, description: 'Milliseconds.' };
  const job = record({
    workflow_id: uuid,
    workflow: text,
    namespace: text,
    job_id: orNull(uuid),
    name: orNull(text),
    tags: listOf(text),
    since: orNull(text),
    reason: orNull(text),
    help: orNull(text),
    place: orNull(count),
    usual_wait: orNull(ms),
  });
  const example = {
    workflow_id: IDS.workflow,
    workflow: 'nightly',
    namespace: 'default',
    job_id: IDS.job,
    name: 'unit',
    tags: ['linux', 'gpu'],
    since: '2026-01-31T12:00:00.000000',
    reason: 'Job "unit" waits: no environment with tag "gpu" in namespace "default" exists.',
    help: 'Start an agent with tags "gpu", "linux" for namespace "default", or correct runs-on.',
    place: 1,
    usual_wait: 2_500,
  };
  return {
    id: 'listWaitingJobs',
    description:
      'First the jobs that wait for an environment, in the order in which they would get one now. Then jobs, and whole runs, that wait for others. The list has the first thousand of both, and `total` counts all.',
    answers: {
      OK: {
        message: 'Waiting jobs',
        schema: record({ items: listOf(job), total: count }),
        example: { items: [example], total: 1 },
        headers: words.PAGE_LINKS,
      },
    },
  };
};
