/** Routes of the observer about runs (specification 4.5). */
import { messages, status, type WorkflowId } from '@tutti/manifests';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { enterAnswer, enterSearch } from '../../http/answer-memory.ts';
import { type Page, queryPage, setPageLinks } from '../../http/paging.ts';
import { setProcessedQuery } from '../../http/processed-query.ts';
import { sendStatus } from '../../http/reply.ts';
import { type RunPath, type RunRight, runInPath } from '../../http/run-in-path.ts';
import type { HeldBytes } from '../../runtime/byte-gate.ts';
import type { Store, WorkflowRow } from '../../store/store.ts';
import { EventFacts } from './event-facts.ts';
import { type EventsOfPage, plainPage, selectedPage } from './event-pages.ts';
import { EventSearches } from './event-searches.ts';
import { streamEvents, wantsEventStream } from './event-stream.ts';
import { sendFramed } from './framed-answer.ts';
import type { EventFeed } from './open-answer.ts';
import { listWorkflows, orchestratorStatus } from './run-lists.ts';
import { readSelectors, SELECTORS, type Selectors } from './selectors.ts';
import { maskMark } from './shown-events.ts';
import { WorkflowManifests } from './workflow-manifests.ts';
import {
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
const pageQuery = {
  page: { type: 'integer', minimum: 1 },
  per_page: { type: 'integer', minimum: 1 },
} as const;

export function workflowRoutes(app: FastifyInstance, deps: ObserverDeps): void {
  const searches = { questions: new EventSearches(), facts: new EventFacts() };
  const manifests = new WorkflowManifests(deps.store);
  const list = { access: { resource: 'workflows', verb: 'list' }, anywhere: true } as const;
  const get = { access: READ, anywhere: true };
  const ofStatus = {
    access: READ_STATUS,
    anywhere: (request: FastifyRequest) => !wantsEventStream(request),
  };
  const listStatus = { access: { resource: 'status', verb: 'list' }, anywhere: true } as const;
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

const sentences = {
  PENDING: (name: string) => `Workflow ${name} is pending`,
  RUNNING: (name: string) => `Workflow ${name} in progress`,
  DONE: (name: string) => `Workflow ${name} completed`,
  FAILED: (name: string) => `Workflow ${name} failed`,
} as const satisfies Record<WorkflowRow['status'], (name: string) => string>;
