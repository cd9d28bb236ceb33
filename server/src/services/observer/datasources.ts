/** `GET /workflows/{workflow_id}/datasources/{kind}` (specification 4.5, 3.2-4; clients facts 3.7). */
import { OrchestratorError, type Status, status } from '@tutti/manifests';
import { matches, parseFieldSelector } from '@tutti/selectors';
import { parseTestScope } from '@tutti/workflow';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { enterPage, type PageRoom } from '../../http/answer-memory.ts';
import { sendList } from '../../http/list-answer.ts';
import { pageOffset, queryPage, setPageLinks } from '../../http/paging.ts';
import { queryText } from '../../http/query.ts';
import { sendStatus } from '../../http/reply.ts';
import type { DescribedOperation, Routes } from '../../http/routes.ts';
import { type RunPath, type RunRight, runInPath } from '../../http/run-in-path.ts';
import { reportWarnings } from '../../store/report-warnings.ts';
import type { Store, WorkflowRow } from '../../store/store.ts';
import type { ItemPage, ItemQuery } from './item-query.ts';
import { readJobs, readTags } from './job-items.ts';
import { PagePlaces } from './page-places.ts';
import { looksAtExecutions, readTestCases } from './test-case-items.ts';

interface DatasourceDeps {
  readonly store: Pick<
    Store,
    'workflow' | 'testCases' | 'earlierExecutions' | 'testCaseSummary' | 'jobs' | 'brokenReports'
  >;
}

interface DatasourcePath extends RunPath {
  Params: RunPath['Params'] & { kind: string };
}

const READ: RunRight = { resource: 'workflows', verb: 'get' };

type DatasourceKind = 'jobs' | 'tags' | 'testcases';

const NOTHING_YET = 'There is nothing yet for this data source.';

const READERS = {
  jobs: readJobs,
  tags: readTags,
  testcases: readTestCases,
} as const satisfies Record<DatasourceKind, unknown>;

export function datasourceRoutes({ store }: DatasourceDeps): Routes {
  const places = new PagePlaces();
  return (app) => {
    app.get<DatasourcePath>(
      '/workflows/:workflow_id/datasources/:kind',
      {
        config: { access: READ, anywhere: true },
        schema: {
          summary: 'Test cases, jobs or tags of a workflow',
          tags: ['observer'],
          parameters: {
            scope: { type: 'string', description: 'Expression over `test`.' },
            fieldSelector: { type: 'string' },
            page: { type: 'integer', minimum: 1 },
            per_page: { type: 'integer', minimum: 1 },
          },
          operation,
        },
      },
      async (request, reply) => {
        const workflow = await runInPath(store, request, READ);
        const kind = parseKind(request.params.kind);
        const room = await enterPage(request, reply);
        const query = itemQuery(request, workflow, { ...room, places });
        const page = await READERS[kind](store, query);
        setPageLinks(reply, queryPage(request), page);
        const scope = kind === 'testcases' ? queryText(request, 'scope') : null;
        const warnings = await reportWarnings(store, workflow.workflowId);
        const document = answer(workflow, page, { kind, scope, warnings });
        return await sendItems(reply, page, document);
      },
    );
  };
}

/** A list goes into the answer item by item; without data, the answer has no list. */
async function sendItems(
  reply: FastifyReply,
  { texts: items }: ItemPage,
  document: Status,
): Promise<FastifyReply> {
  if (document.reason !== 'OK') return sendStatus(reply, document);
  return await sendList(reply.request, reply.code(document.code), { document, items });
}

const operation: DescribedOperation = (words) => {
  const { anything, count, listOf, oneOf, record, refTo, text, EXAMPLES } = words;
  const lost = 'Reports of which test cases may be missing; absent if there are none.';
  const schema = record({
    items: listOf({ anyOf: [refTo('TestCase'), refTo('Job'), refTo('Tag')] }),
    status: oneOf('ONGOING', 'COMPLETE', 'INTERRUPTED'),
    workers_count: count,
    handled: { type: 'boolean' },
    'completionTimestamp?': text,
    'warnings?': { ...listOf(text), description: lost },
  });
  const items = [EXAMPLES.testCase, EXAMPLES.job, EXAMPLES.tag];
  const example = { items, status: 'COMPLETE', workers_count: 0, handled: true };
  return {
    id: 'getDatasource',
    answers: {
      OK: { message: '', schema, example, headers: words.PAGE_LINKS },
      Accepted: { message: NOTHING_YET, schema: anything, example: {} },
    },
  };
};

function parseKind(text: string): DatasourceKind {
  if (text === 'jobs' || text === 'tags' || text === 'testcases') return text;
  const allowed = Object.keys(READERS).join(', ');
  throw new OrchestratorError(
    'Invalid',
    `Unknown data source kind "${text}". Allowed kinds: ${allowed}.`,
  );
}

function itemQuery(
  request: FastifyRequest,
  workflow: WorkflowRow,
  { lengthMax, places }: PageRoom & { readonly places: PagePlaces },
): ItemQuery {
  const { workflowId } = workflow;
  const page = queryPage(request);
  const scope = queryText(request, 'scope');
  const fieldSelector = queryText(request, 'fieldSelector');
  const parsed = fieldSelector === null ? null : parseFieldSelector(fieldSelector);
  const isOver = statusOf(workflow) !== 'ONGOING';
  const isHistoric = parsed !== null && looksAtExecutions(parsed);
  return {
    workflowId,
    scope: parseTestScope(scope),
    takes: parsed === null ? null : (item) => matches(parsed, item),
    looksAtExecutions: isHistoric,
    offset: pageOffset(page),
    limit: page.perPage,
    lengthMax,
    // Executions of earlier runs leave after a time.
    places: isOver && !isHistoric ? places.of({ workflowId, scope, fieldSelector }) : null,
  };
}

interface AskedItems {
  readonly kind: DatasourceKind;
  /** Null if the scope limits counted test cases instead of the items. */
  readonly scope: string | null;
  readonly warnings: readonly string[];
}

function answer(
  workflow: WorkflowRow,
  page: ItemPage,
  { kind, scope, warnings }: AskedItems,
): Status {
  const { workers, completedAt } = workflow;
  const state = statusOf(workflow);
  // Jobs and tags wait for the first ended job (specification 4.5); test cases do not. The details have no status: clients stop
  // waiting when they see one.
  const isEarly = workflow.status === 'PENDING' || (state === 'ONGOING' && !page.hasData);
  if (kind !== 'testcases' && isEarly) {
    return status('Accepted', NOTHING_YET, {});
  }
  const isOutOfScope = scope !== null && page.hasData && page.total === 0;
  const message = isOutOfScope ? `No test cases matching scope ${scope}.` : '';
  return status('OK', message, {
    items: [],
    status: state,
    workers_count: workers.length,
    handled: workers.length === 0,
    ...(completedAt !== null && workers.length > 0 ? { completionTimestamp: completedAt } : {}),
    ...(warnings.length > 0 ? { warnings } : {}),
  });
}

/** Specification 3.2, value 4. */
function statusOf({ status: of, workers }: WorkflowRow): 'ONGOING' | 'COMPLETE' | 'INTERRUPTED' {
  if (of === 'PENDING' || of === 'RUNNING' || workers.length > 0) return 'ONGOING';
  return of === 'DONE' ? 'COMPLETE' : 'INTERRUPTED';
}
