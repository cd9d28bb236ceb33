/** Lists of all runs: their ids or manifests, and those that go on. They are read and sent portion by portion. */
import { status, type WorkflowId } from '@tutti/manifests';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isAllowed } from '../../auth/access.ts';
import { enterAnswer, enterSearch } from '../../http/answer-memory.ts';
import { queryChoice } from '../../http/query.ts';
import { sendStatus } from '../../http/reply.ts';
import type { HeldBytes } from '../../runtime/byte-gate.ts';
import { Turns } from '../../runtime/turns.ts';
import type { ListedRun, Store } from '../../store/store.ts';
import { sendFramed, wholeIfShort } from './framed-answer.ts';
import { readSelectors } from './selectors.ts';
import {
  encoded,
  gathered,
  MANIFEST_HEAD,
  type Portions,
  type WorkflowManifests,
} from './workflow-manifests.ts';
import { LIST_MESSAGE } from './workflow-operations.ts';

const isRunning = (row: ListedRun): boolean => row.status === 'PENDING' || row.status === 'RUNNING';

/** Rows of the list that are read together: less than a millisecond. */
const PORTION = 1_000;

/** Runs that may be listed, portion by portion: thousands would take a turn too long. */
async function* visibleRows(
  store: Store,
  { access }: FastifyRequest,
  { resource, ...which }: { resource: 'workflows' | 'status'; isLive?: boolean },
): AsyncGenerator<readonly ListedRun[]> {
  const right = { resource, verb: 'list' } as const;
  const turns = new Turns();
  for (let after = 0; ; ) {
    const rows = await store.workflows({ ...which, after, limit: PORTION });
    yield rows.filter((row) => isAllowed(access, right, row.namespace));
    if (rows.length < PORTION) return;
    after = rows.at(-1)?.place ?? 0;
    if (turns.isOver) await turns.next();
  }
}

export async function listWorkflows(
  store: Store,
  manifests: WorkflowManifests,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { request } = reply;
  const selectors = readSelectors(request);
  const expand = queryChoice(request, 'expand', ['manifest']);
  const rows = visibleRows(store, request, { resource: 'workflows' });
  const isOfHead = selectors.conditions.every(({ path }) => MANIFEST_HEAD.has(path[0] ?? ''));
  const choice = selectors.isEmpty ? null : { matches: selectors.matches, isOfHead };
  if (expand === null) {
    const ids = choice === null ? idsOf(rows) : manifests.chosenIds(rows, choice);
    const held = await (choice === null ? enterAnswer(request) : enterSearch(request));
    return await sendItems(reply, held, { brackets: '[]', items: encoded(quoted(ids)) });
  }
  const items = choice === null ? manifests.all(rows) : encoded(manifests.chosen(rows, choice));
  return await sendItems(reply, await enterAnswer(request), { brackets: '{}', items });
}

async function* idsOf(rows: Portions): AsyncGenerator<readonly WorkflowId[]> {
  for await (const portion of rows) yield portion.map(({ workflowId }) => workflowId);
}

async function* quoted(all: AsyncIterable<readonly WorkflowId[]>): AsyncGenerator<string[]> {
  for await (const ids of all) yield ids.map((id) => `"${id}"`);
}

/** Sends the list, or map, of items as it is made; a short one as a whole. */
async function sendItems(
  reply: FastifyReply,
  held: HeldBytes,
  { brackets, items }: { brackets: '[]' | '{}'; items: AsyncIterable<Uint8Array> },
): Promise<FastifyReply> {
  try {
    const frame = JSON.stringify(status('OK', LIST_MESSAGE, { items: JSON.parse(brackets) }));
    const marker = `"items":${brackets[0]}`;
    return sendFramed(reply, held, { frame, marker, text: await wholeIfShort(gathered(items)) });
  } catch (error) {
    held.leave();
    throw error;
  }
}

/** Specification 3.2, derived value 1. */
export async function orchestratorStatus(
  store: Store,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const items: WorkflowId[] = [];
  let isBusy = false;
  // A run that goes on, or has a worker, is live.
  for await (const rows of visibleRows(store, request, { resource: 'status', isLive: true })) {
    for (const row of rows) {
      if (isRunning(row)) items.push(row.workflowId);
      isBusy ||= isRunning(row) || row.hasWorkers;
    }
  }
  const noun = items.length === 1 ? 'workflow' : 'workflows';
  const message =
    items.length === 0 ? 'No workflow in progress' : `${items.length} ${noun} in progress`;
  return sendStatus(reply, status('OK', message, { items, status: isBusy ? 'BUSY' : 'IDLE' }));
}
