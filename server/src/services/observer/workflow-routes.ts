/** Routes of the observer about runs (specification 4.5). */
import { messages, status, type WorkflowId } from '@tutti/manifests';
import { type Condition, matches, parseFieldSelector, parseLabelSelector } from '@tutti/selectors';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isAllowed } from '../../auth/access.ts';
import { enterAnswer, enterSearch, sendPieces } from '../../http/answer-memory.ts';
import { type Page, queryPage, setPageLinks } from '../../http/paging.ts';
import { setProcessedQuery } from '../../http/processed-query.ts';
import { queryChoice, queryText } from '../../http/query.ts';
import { sendStatus } from '../../http/reply.ts';
import { type RunPath, type RunRight, runInPath } from '../../http/run-in-path.ts';
import type { HeldBytes } from '../../runtime/byte-gate.ts';
import type { ListedRun, Store, WorkflowRow } from '../../store/store.ts';
import { EventFacts } from './event-facts.ts';
import { type EventsOfPage, framed, plainPage, selectedPage } from './event-pages.ts';
import { EventSearches } from './event-searches.ts';
import { streamEvents, wantsEventStream } from './event-stream.ts';
import type { EventFeed } from './open-answer.ts';
import { maskMark } from './shown-events.ts';
import { MANIFEST_HEAD, manifestMembers, WorkflowManifests } from './workflow-manifests.ts';
import {
  LIST_MESSAGE,
  listOperation,
  orchestratorOperation,
  statusOperation,
  workersOperation,
} from './workflow-operations.ts';

export interface ObserverDeps {
  readonly store: Store;
  readonly feed: EventFeed;
  readonly apiGroup: string;
  /** Clients of 2021 and 2022 consider a workflow over when its status is not RUNNING (client facts 4). */
  readonly pendingAsRunning: boolean;
}

/** Caches of earlier questions about events. */
interface Searches {
  readonly questions: EventSearches;
  readonly facts: EventFacts;
}

const READ: RunRight = { resource: 'workflows', verb: 'get' };
/** The right to read the status and events of one run, and which runs exist. */
const READ_STATUS: RunRight = { resource: 'status', verb: 'get' };
const tags = ['observer'];
export const SELECTORS = {
  fieldSelector: { type: 'string' },
  labelSelector: { type: 'string' },
} as const;
const pageQuery = {
  page: { type: 'integer', minimum: 1 },
  per_page: { type: 'integer', minimum: 1 },
} as const;

interface Selectors {
  readonly fields: string;
  readonly labels: string;
  readonly isEmpty: boolean;
  /** Conditions of both selectors. */
  readonly conditions: readonly Condition[];
  /** True for an item that both choose. */
  readonly matches: (item: object) => boolean;
}

export function readSelectors(request: FastifyRequest): Selectors {
  const texts = {
    fields: queryText(request, 'fieldSelector') ?? '',
    labels: queryText(request, 'labelSelector') ?? '',
  };
  const fields = parseFieldSelector(texts.fields);
  const labels = parseLabelSelector(texts.labels);
  return {
    ...texts,
    isEmpty: `${texts.fields}${texts.labels}`.trim() === '',
    conditions: [...fields.conditions, ...labels.conditions],
    matches: (item) => matches(fields, item) && matches(labels, item),
  };
}

const isRunning = (row: ListedRun): boolean => row.status === 'PENDING' || row.status === 'RUNNING';

export function workflowRoutes(app: FastifyInstance, deps: ObserverDeps): void {
  const searches = { questions: new EventSearches(), facts: new EventFacts() };
  const manifests = new WorkflowManifests(deps.store);
  const list = { access: { resource: 'workflows', verb: 'list' } } as const;
  const get = { access: READ };
  const ofStatus = { access: READ_STATUS };
  const listStatus = { access: { resource: 'status', verb: 'list' } } as const;
  app.get(
    '/workflows',
    {
      config: list,
      schema: {
        summary: 'List running and recent workflows',
        tags,
        parameters: { expand: { type: 'string', enum: ['manifest'] }, ...SELECTORS },
        operation: listOperation,
      },
    },
    async (_request, reply) => listWorkflows(deps.store, manifests, reply),
  );
  app.get(
    '/workflows/status',
    {
      config: listStatus,
      schema: {
        summary: 'Status of the orchestrator',
        tags,
        operation: orchestratorOperation,
      },
    },
    async (request, reply) => orchestratorStatus(deps.store, request, reply),
  );
  app.get<RunPath>(
    '/workflows/:workflow_id/status',
    {
      config: ofStatus,
      schema: {
        summary: 'Status and events of a workflow',
        description:
          'With `Accept: text/event-stream` the events are sent as they come, until the workflow is over.',
        tags,
        parameters: { ...SELECTORS, ...pageQuery },
        operation: statusOperation,
      },
    },
    async (_request, reply) => workflowStatus(deps, searches, reply),
  );
  app.get<RunPath>(
    '/workflows/:workflow_id/workers',
    {
      config: get,
      schema: {
        summary: 'Active workers of a workflow',
        tags,
        operation: workersOperation,
      },
    },
    async (request, reply) => {
      const { workers } = await runInPath(deps.store, request, READ);
      const message = messages.activeWorkers(workers.length);
      const details = { items: workers, status: workers.length > 0 ? 'BUSY' : 'IDLE' };
      return sendStatus(reply, status('OK', message, details));
    },
  );
}

async function visibleRows(
  store: Store,
  request: FastifyRequest,
  resource: 'workflows' | 'status',
): Promise<readonly ListedRun[]> {
  const right = { resource, verb: 'list' } as const;
  const rows = await store.workflows();
  return rows.filter((row) => isAllowed(request.access, right, row.namespace));
}

async function listWorkflows(
  store: Store,
  manifests: WorkflowManifests,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { request } = reply;
  const selectors = readSelectors(request);
  const expand = queryChoice(request, 'expand', ['manifest']);
  const rows = await visibleRows(store, request, 'workflows');
  const message = LIST_MESSAGE;
  if (expand === null && selectors.isEmpty) {
    const items = rows.map(({ workflowId }) => workflowId);
    return sendStatus(reply, status('OK', message, { items }));
  }
  const isOfHead = selectors.conditions.every(({ path }) => MANIFEST_HEAD.has(path[0] ?? ''));
  const choice = selectors.isEmpty ? null : { matches: selectors.matches, isOfHead };
  if (expand === null) {
    const items: WorkflowId[] = [];
    const held = await enterSearch(request);
    try {
      for await (const group of manifests.chosenIds(rows, choice)) items.push(...group);
    } finally {
      held.leave();
    }
    return sendStatus(reply, status('OK', message, { items }));
  }
  const frame = JSON.stringify(status('OK', message, { items: {} }));
  const held = await enterAnswer(request);
  return sendFramed(reply, held, {
    frame,
    marker: '"items":{',
    text: manifestMembers(manifests.chosen(rows, choice)),
  });
}

/** Specification 3.2, derived value 1. */
async function orchestratorStatus(
  store: Store,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const rows = await visibleRows(store, request, 'status');
  const items = rows.filter(isRunning).map(({ workflowId }) => workflowId);
  const isBusy = items.length > 0 || rows.some(({ hasWorkers }) => hasWorkers);
  const noun = items.length === 1 ? 'workflow' : 'workflows';
  const message =
    items.length === 0 ? 'No workflow in progress' : `${items.length} ${noun} in progress`;
  return sendStatus(reply, status('OK', message, { items, status: isBusy ? 'BUSY' : 'IDLE' }));
}

async function workflowStatus(
  deps: ObserverDeps,
  searches: Searches,
  reply: FastifyReply<RunPath>,
): Promise<FastifyReply> {
  const { store } = deps;
  const { request } = reply;
  const { workflowId } = await runInPath(store, request, READ_STATUS);
  const selectors = readSelectors(request);
  const page = queryPage(request);
  if (wantsEventStream(request)) {
    setProcessedQuery(request, reply, Object.keys(SELECTORS));
    return await streamEvents({ ...deps, workflowId }, selectors, reply);
  }
  const held = await (selectors.isEmpty ? enterAnswer(request) : enterSearch(request));
  try {
    const events = selectors.isEmpty
      ? await plainPage({ store, workflowId }, page)
      : await chosenPage({ store, workflowId }, { ...searches, held, ...selectors }, page);
    setPageLinks(reply, page, events);
    const { status: actual } = events.workflow;
    const shown = deps.pendingAsRunning && actual === 'PENDING' ? 'RUNNING' : actual;
    return sendPage(reply, held, { events, shown });
  } catch (error) {
    held.leave();
    throw error;
  }
}

interface Asked extends Searches, Selectors {
  readonly held: HeldBytes;
}

async function chosenPage(
  source: { readonly store: Store; readonly workflowId: WorkflowId },
  { fields: fieldSelector, labels: labelSelector, conditions, ...asked }: Asked,
  page: Page,
): Promise<EventsOfPage> {
  const { store, workflowId } = source;
  // Read before the events: new masks make the next question a different one.
  const masks = await maskMark(store, workflowId);
  const question = asked.questions.of({ workflowId, fieldSelector, labelSelector, masks });
  const facts = asked.facts.of(workflowId, masks, conditions);
  const search = { ...question, isChosen: asked.matches, facts, held: asked.held };
  return await selectedPage(source, page, search);
}

/** Events are stored as JSON, so a page is put together without reading it. */
function sendPage(
  reply: FastifyReply,
  held: HeldBytes,
  { events, shown }: { readonly events: EventsOfPage; readonly shown: WorkflowRow['status'] },
): FastifyReply {
  const message = sentences[shown](events.workflow.name);
  const frame = JSON.stringify(status('OK', message, { items: [], status: shown }));
  return sendFramed(reply, held, { frame, marker: '"items":[', text: events.text });
}

/** A document, with text to insert at the last marker: names before it may contain any text. */
interface Framed {
  readonly frame: string;
  readonly marker: string;
  readonly text: EventsOfPage['text'];
}

function sendFramed(
  reply: FastifyReply,
  held: HeldBytes,
  { frame, marker, text }: Framed,
): FastifyReply {
  const at = frame.lastIndexOf(marker) + marker.length;
  const body = framed(frame.slice(0, at), text, frame.slice(at));
  reply.type('application/json; charset=utf-8');
  if (typeof body !== 'string') return sendPieces(reply, held, body);
  held.leave();
  return reply.send(body);
}

const sentences = {
  PENDING: (name: string) => `Workflow ${name} is pending`,
  RUNNING: (name: string) => `Workflow ${name} in progress`,
  DONE: (name: string) => `Workflow ${name} completed`,
  FAILED: (name: string) => `Workflow ${name} failed`,
} as const satisfies Record<WorkflowRow['status'], (name: string) => string>;
