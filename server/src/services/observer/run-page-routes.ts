/** Routes for the pages about one run. Their handlers are loaded with the first question. */
import { type WorkflowId, workflowIdInPath } from '@tutti/manifests';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { enterPage, enterReading, enterSearch, sendPieces } from '../../http/answer-memory.ts';
import { queryFlag, queryInteger, queryText } from '../../http/query.ts';
import { sendStatus } from '../../http/reply.ts';
import { knownRun, type RunPath, type RunRight, runInPath } from '../../http/run-in-path.ts';
import { loadedOnce } from '../../runtime/loaded-once.ts';
import type { RunPage } from './run-page/run-page.ts';
import { LOG_SEARCH_LIMITS, LOG_WINDOW_LIMITS } from './run-page-limits.ts';
import type { ObserverDeps } from './workflow-routes.ts';

const READ: RunRight = { resource: 'workflows', verb: 'get' };
const tags = ['observer'];
const number = { type: 'integer', minimum: 0 } as const;

/** Lines of one job, and of one step of it. */
const LINES_OF = { job: { type: 'string' }, step: { type: 'string' } } as const;

interface PageOfRun {
  readonly page: () => Promise<RunPage>;
  readonly runOf: (request: FastifyRequest<RunPath>) => Promise<WorkflowId>;
}

export function runPageRoutes(app: FastifyInstance, { store }: Pick<ObserverDeps, 'store'>): void {
  const ofRun: PageOfRun = {
    page: loadedOnce(async () => {
      const { RunPage } = await import('./run-page/run-page.ts');
      return new RunPage(store);
    }),
    runOf: async (request) => (await runInPath(store, request, READ)).workflowId,
  };
  viewRoute(app, ofRun);
  marksRoute(app, ofRun);
  linesRoute(app, ofRun);
  searchRoute(app, ofRun);
  compareRoute(app, ofRun, store);
  causesRoute(app, ofRun, store);
}

function viewRoute(app: FastifyInstance, { page, runOf }: PageOfRun): void {
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

function marksRoute(app: FastifyInstance, { page, runOf }: PageOfRun): void {
  app.get<RunPath>(
    '/workflows/:workflow_id/marks',
    {
      config: { access: READ },
      schema: {
        summary: 'Events of a workflow at which readers stop',
        description:
          'Starts, ends and failures of jobs, and reasons to wait, for a bar with the moments of the run. Where there are more than 5000, some are left out evenly, failures last.',
        tags,
        operation: ({ refTo, EXAMPLES }) => ({
          id: 'getWorkflowMarks',
          answers: {
            OK: { message: '1 marks', schema: refTo('RunMarks'), example: EXAMPLES.marks },
          },
          failures: ['TooManyRequests'],
        }),
      },
    },
    async (request, reply) => {
      const workflowId = await runOf(request);
      await enterReading(request, reply);
      return sendStatus(reply, await (await page()).marks(workflowId));
    },
  );
}

const linesOf = (request: FastifyRequest<RunPath>) => ({
  job: queryText(request, 'job'),
  step: queryText(request, 'step'),
});

function linesRoute(app: FastifyInstance, { page, runOf }: PageOfRun): void {
  app.get<RunPath>(
    '/workflows/:workflow_id/log/lines',
    {
      config: { access: READ },
      schema: {
        summary: 'Lines of the execution log by their numbers',
        description:
          '`from` is the number of the first line, from 1, or below 0 from the end. `job` is the id of a job, `step` that of a step in it. A long search for lines of a job ends early: `next` is the number to go on with.',
        tags,
        parameters: {
          from: { type: 'integer' },
          count: { type: 'integer', minimum: 1 },
          ...LINES_OF,
        },
        operation: ({ refTo, EXAMPLES }) => ({
          id: 'getLogLines',
          answers: {
            OK: { message: '1 of 42 lines', schema: refTo('LogLines'), example: EXAMPLES.logLines },
          },
          failures: ['Conflict', 'TooManyRequests'],
        }),
      },
    },
    async (request, reply) => {
      const workflowId = await runOf(request);
      const asked = {
        from: queryInteger(request, 'from', { min: Number.MIN_SAFE_INTEGER }) ?? 1,
        count: queryInteger(request, 'count', { min: 1, max: LOG_WINDOW_LIMITS.count }) ?? LINES,
        ...linesOf(request),
      };
      await enterReading(request, reply);
      return sendStatus(reply, await (await page()).lines(workflowId, asked));
    },
  );
}

/** Lines of an answer. */
const LINES = 500;

function searchRoute(app: FastifyInstance, { page, runOf }: PageOfRun): void {
  app.get<RunPath>(
    '/workflows/:workflow_id/log/search',
    {
      config: { access: READ },
      schema: {
        summary: 'Search in the execution log',
        description:
          'Answers while it searches, in lines of JSON. `hits` are lists of a line number, a column from 0 and a text. The last line counts all hits, also in 200 equal parts of the log. `regex` makes `q` a pattern as of `~=` in workflows; its hits have column 0.',
        tags,
        parameters: {
          q: { type: 'string' },
          regex: { type: 'boolean' },
          ignoreCase: { type: 'boolean' },
          limit: { type: 'integer', minimum: 1 },
          ...LINES_OF,
        },
        operation: ({ text, EXAMPLES }) => ({
          id: 'searchLog',
          required: ['q'],
          answers: {
            OK: {
              description: 'Hits, and at the end what was counted.',
              content: { 'application/x-ndjson': { schema: text, example: EXAMPLES.logHits } },
            },
          },
          failures: ['Conflict', 'TooManyRequests'],
        }),
      },
    },
    async (request, reply) => {
      const workflowId = await runOf(request);
      const answer = await (await page()).search(workflowId, {
        text: queryText(request, 'q') ?? '',
        isPattern: queryFlag(request, 'regex'),
        ignoresCase: queryFlag(request, 'ignoreCase'),
        limit:
          queryInteger(request, 'limit', { min: 1, max: LOG_SEARCH_LIMITS.hits }) ??
          LOG_SEARCH_LIMITS.hits,
        ...linesOf(request),
      });
      const held = await enterSearch(request);
      return sendPieces(reply.type('application/x-ndjson; charset=utf-8'), held, answer);
    },
  );
}

function compareRoute(
  app: FastifyInstance,
  { page, runOf }: PageOfRun,
  store: ObserverDeps['store'],
): void {
  app.get<RunPath>(
    '/workflows/:workflow_id/compare',
    {
      config: { access: READ },
      schema: {
        summary: 'Test cases whose results differ from those of another workflow',
        description:
          '`with` is the id of the earlier workflow. Each list has up to 1000 rows, and the number of all. A test case is the same if job, suite and name are.',
        tags,
        parameters: { with: { type: 'string' } },
        operation: ({ refTo, EXAMPLES }) => ({
          id: 'compareWorkflows',
          required: ['with'],
          answers: {
            OK: {
              message: 'Test cases of two workflows',
              schema: refTo('ComparedTests'),
              example: EXAMPLES.comparedTests,
            },
          },
          failures: ['TooManyRequests'],
        }),
      },
    },
    async (request, reply) => {
      const after = await runOf(request);
      const other = workflowIdInPath(queryText(request, 'with') ?? '');
      const { workflowId: before } = await knownRun(store, other, request.access, READ);
      await enterPage(request, reply);
      return sendStatus(reply, await (await page()).compare(before, after));
    },
  );
}

function causesRoute(
  app: FastifyInstance,
  { page }: PageOfRun,
  store: ObserverDeps['store'],
): void {
  app.get<RunPath>(
    '/workflows/:workflow_id/causes',
    {
      config: { access: READ, anywhere: true },
      schema: {
        summary: 'Failed test cases of a workflow, by what made them fail',
        description:
          'Test cases whose failures look alike have one cause: the messages differ in numbers, ids, times and paths alone, or in a few words, and the first own lines of their stacks are the same. The largest cause comes first, with up to 100 of its test cases. There are up to 1000 causes; further failures are counted in `ungrouped`. `known` says since which run the cause is known. It comes a moment after the end of the run.',
        tags,
        operation: ({ refTo, EXAMPLES }) => ({
          id: 'getWorkflowCauses',
          answers: {
            OK: {
              message: '2 failures, 1 causes',
              schema: refTo('Causes'),
              example: EXAMPLES.causes,
            },
          },
          failures: ['TooManyRequests'],
        }),
      },
    },
    async (request, reply) => {
      const row = await runInPath(store, request, READ);
      await enterPage(request, reply);
      return sendStatus(reply, await (await page()).causes(row));
    },
  );
}
