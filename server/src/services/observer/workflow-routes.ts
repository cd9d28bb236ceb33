/** What the observer tells of runs (specification 4.5). */
import { parseWorkflowId, status, type WorkflowId, workflowNotFound } from '@tutti/manifests';
import { matches, parseFieldSelector, parseLabelSelector, type Selector } from '@tutti/selectors';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isAllowed, requireAccess } from '../../auth/access.ts';
import { type Page, pageOffset, queryPage, setPageLinks } from '../../http/paging.ts';
import { queryChoice, queryText, setProcessedQuery } from '../../http/query.ts';
import { sendStatus } from '../../http/reply.ts';
import type { Store, WorkflowRow } from '../../store/store.ts';
import { type EventFeed, streamEvents, wantsEventStream } from './event-stream.ts';

export interface WorkflowPath {
  Params: { workflow_id: string };
}

export interface ObserverDeps {
  readonly store: Store;
  readonly feed: EventFeed;
  readonly apiGroup: string;
}

const tags = ['observer'];
const workflowParams = {
  type: 'object',
  properties: { workflow_id: { type: 'string', format: 'uuid' } },
} as const;
const selectorQuery = {
  fieldSelector: { type: 'string' },
  labelSelector: { type: 'string' },
} as const;
const pageQuery = {
  page: { type: 'integer', minimum: 1 },
  per_page: { type: 'integer', minimum: 1 },
} as const;

interface Selectors {
  readonly fields: Selector;
  readonly labels: Selector;
  readonly isEmpty: boolean;
}

export function readSelectors(request: FastifyRequest): Selectors {
  const fields = queryText(request, 'fieldSelector') ?? '';
  const labels = queryText(request, 'labelSelector') ?? '';
  return {
    fields: parseFieldSelector(fields),
    labels: parseLabelSelector(labels),
    isEmpty: `${fields}${labels}`.trim() === '',
  };
}

/** The run of a request, if its bearer may read it. */
export async function workflowOf(
  store: Store,
  request: FastifyRequest<WorkflowPath>,
): Promise<WorkflowRow> {
  const workflowId = parseWorkflowId(request.params.workflow_id);
  const row = await store.workflow(workflowId);
  if (row === null) throw workflowNotFound(workflowId);
  requireAccess(request.access, 'workflows', 'get', row.namespace);
  return row;
}

const isRunning = (row: WorkflowRow): boolean =>
  row.status === 'PENDING' || row.status === 'RUNNING';

export function workflowRoutes(app: FastifyInstance, deps: ObserverDeps): void {
  const list = { access: { resource: 'workflows', verb: 'list' } } as const;
  const get = { access: { resource: 'workflows', verb: 'get' } } as const;
  app.get(
    '/workflows',
    {
      config: list,
      schema: {
        summary: 'List running and recent workflows',
        tags,
        querystring: {
          type: 'object',
          properties: { expand: { type: 'string', enum: ['manifest'] }, ...selectorQuery },
        },
      },
    },
    async (request, reply) => listWorkflows(deps.store, request, reply),
  );
  app.get(
    '/workflows/status',
    { config: list, schema: { summary: 'Status of the orchestrator', tags } },
    async (request, reply) => orchestratorStatus(deps.store, request, reply),
  );
  app.get<WorkflowPath>(
    '/workflows/:workflow_id/status',
    {
      config: get,
      schema: {
        summary: 'Status and events of a workflow',
        description:
          'With `Accept: text/event-stream` the events are sent as they come, until the workflow is over.',
        tags,
        params: workflowParams,
        querystring: { type: 'object', properties: { ...selectorQuery, ...pageQuery } },
      },
    },
    async (request, reply) => workflowStatus(deps, request, reply),
  );
  app.get<WorkflowPath>(
    '/workflows/:workflow_id/workers',
    {
      config: get,
      schema: { summary: 'Active workers of a workflow', tags, params: workflowParams },
    },
    async (request, reply) => {
      const { workers } = await workflowOf(deps.store, request);
      const noun = workers.length === 1 ? 'worker' : 'workers';
      const message = `${workers.length} active ${noun} on workflow`;
      const details = { items: workers, status: workers.length > 0 ? 'BUSY' : 'IDLE' };
      return sendStatus(reply, status('OK', message, details));
    },
  );
}

async function visibleRows(store: Store, request: FastifyRequest): Promise<readonly WorkflowRow[]> {
  const rows = await store.workflows();
  return rows.filter((row) => isAllowed(request.access, 'workflows', 'list', row.namespace));
}

async function listWorkflows(
  store: Store,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const selectors = readSelectors(request);
  const expand = queryChoice(request, 'expand', ['manifest']);
  setProcessedQuery(request, reply, ['expand', 'fieldSelector', 'labelSelector']);
  const rows = await visibleRows(store, request);
  const message = 'Running and recent workflows';
  if (expand === null && selectors.isEmpty) {
    const items = rows.map(({ workflowId }) => workflowId);
    return sendStatus(reply, status('OK', message, { items }));
  }
  const found: Record<WorkflowId, object> = {};
  for (const row of rows) {
    const manifest = await manifestOf(store, row);
    if (manifest === null) continue;
    if (!matches(selectors.fields, manifest) || !matches(selectors.labels, manifest)) continue;
    found[row.workflowId] = manifest;
  }
  const items = expand === null ? Object.keys(found) : found;
  return sendStatus(reply, status('OK', message, { items }));
}

/** The manifest with what clients filter by (clients facts 3.2): ids, times, and the status as `status.phase`. */
async function manifestOf(store: Store, row: WorkflowRow): Promise<object | null> {
  const first = await store.events(row.workflowId, 1, 1);
  const json = first?.items[0];
  if (json === undefined) return null;
  return { ...JSON.parse(json), status: { phase: row.status } };
}

/** Specification 3.2, derived value 1. */
async function orchestratorStatus(
  store: Store,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const rows = await visibleRows(store, request);
  const items = rows.filter(isRunning).map(({ workflowId }) => workflowId);
  const isBusy = items.length > 0 || rows.some(({ workers }) => workers.length > 0);
  const noun = items.length === 1 ? 'workflow' : 'workflows';
  const message =
    items.length === 0 ? 'No workflow in progress' : `${items.length} ${noun} in progress`;
  return sendStatus(reply, status('OK', message, { items, status: isBusy ? 'BUSY' : 'IDLE' }));
}

async function workflowStatus(
  deps: ObserverDeps,
  request: FastifyRequest<WorkflowPath>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const selectors = readSelectors(request);
  const page = queryPage(request);
  const row = await workflowOf(deps.store, request);
  if (wantsEventStream(request)) {
    return await streamEvents(deps, row.workflowId, selectors, request, reply);
  }
  setProcessedQuery(request, reply, ['fieldSelector', 'labelSelector', 'page', 'per_page']);
  const { items, total, workflow } = selectors.isEmpty
    ? await plainPage(deps.store, row.workflowId, page)
    : await selectedPage(deps.store, row.workflowId, page, selectors);
  setPageLinks(request, reply, page, total);
  return sendPage(reply, workflow, items);
}

interface EventsOfPage {
  /** As JSON texts. */
  readonly items: readonly string[];
  readonly total: number;
  readonly workflow: WorkflowRow;
}

async function plainPage(store: Store, workflowId: WorkflowId, page: Page): Promise<EventsOfPage> {
  const events = await store.events(workflowId, pageOffset(page) + 1, page.perPage);
  if (events === null) throw workflowNotFound(workflowId);
  return events;
}

/** Events read at a time when all of them are looked at. */
const SCAN = 1000;

async function selectedPage(
  store: Store,
  workflowId: WorkflowId,
  page: Page,
  { fields, labels }: Selectors,
): Promise<EventsOfPage> {
  const offset = pageOffset(page);
  const items: string[] = [];
  let total = 0;
  for (let seq = 1; ; ) {
    const events = await store.events(workflowId, seq, SCAN);
    if (events === null) throw workflowNotFound(workflowId);
    for (const json of events.items) {
      const event = JSON.parse(json);
      if (!matches(fields, event) || !matches(labels, event)) continue;
      if (total >= offset && items.length < page.perPage) items.push(json);
      total += 1;
    }
    seq += events.items.length;
    if (events.items.length === 0 || seq > events.total) {
      return { items, total, workflow: events.workflow };
    }
  }
}

/** Events are stored as JSON, so a page is put together without reading it. */
function sendPage(
  reply: FastifyReply,
  workflow: WorkflowRow,
  items: readonly string[],
): FastifyReply {
  const marker = '"items":[]';
  const message = sentences[workflow.status](workflow.name);
  const frame = JSON.stringify(status('OK', message, { items: [], status: workflow.status }));
  const at = frame.lastIndexOf(marker);
  const body = `${frame.slice(0, at)}"items":[${items.join(',')}]${frame.slice(at + marker.length)}`;
  return reply.type('application/json; charset=utf-8').send(body);
}

const sentences = {
  PENDING: (name: string) => `Workflow ${name} is pending`,
  RUNNING: (name: string) => `Workflow ${name} in progress`,
  DONE: (name: string) => `Workflow ${name} completed`,
  FAILED: (name: string) => `Workflow ${name} failed`,
} as const satisfies Record<WorkflowRow['status'], (name: string) => string>;
