/** Routes for the pages about one run. Their handlers are loaded with the first question. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { enterReading } from '../../http/answer-memory.ts';
import { queryInteger, queryText } from '../../http/query.ts';
import { sendStatus } from '../../http/reply.ts';
import { type RunPath, type RunRight, runInPath } from '../../http/run-in-path.ts';
import { loadedOnce } from '../../runtime/loaded-once.ts';
import type { ObserverDeps } from './workflow-routes.ts';

const READ: RunRight = { resource: 'workflows', verb: 'get' };
const tags = ['observer'];
const number = { type: 'integer', minimum: 0 } as const;

export function runPageRoutes(app: FastifyInstance, { store }: Pick<ObserverDeps, 'store'>): void {
  const page = loadedOnce(async () => {
    const { RunPage } = await import('./run-page/run-page.ts');
    return new RunPage(store);
  });
  const runOf = async (request: FastifyRequest<RunPath>) =>
    (await runInPath(store, request, READ)).workflowId;
  app.get<RunPath>(
    '/workflows/:workflow_id/view',
    {
      config: { access: READ },
      schema: {
        summary: 'A workflow as its page shows it',
        description:
          'Jobs, steps, waiting times, files and failures, folded from the events. `at` is the number of an event: the view is that of this moment, and test cases are not counted. `parent` is the key of a bundle or job, and `depth` the number of levels of jobs below it. Deeper jobs are counted in their bundle.',
        tags,
        parameters: {
          at: number,
          parent: { type: 'string' },
          depth: { type: 'integer', minimum: 1 },
        },
        operation: ({ refTo, EXAMPLES }) => ({
          id: 'getWorkflowView',
          answers: {
            OK: { message: 'Workflow nightly', schema: refTo('RunView'), example: EXAMPLES.view },
          },
          failures: ['TooManyRequests'],
        }),
      },
    },
    async (request, reply) => {
      const workflowId = await runOf(request);
      const question = {
        workflowId,
        at: queryInteger(request, 'at', { min: 0 }),
        parent: queryText(request, 'parent'),
        depth: queryInteger(request, 'depth', { min: 1 }),
      };
      await enterReading(request, reply);
      return sendStatus(reply, await (await page()).view(question));
    },
  );
}
