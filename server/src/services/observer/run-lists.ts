/** Lists of all runs: their ids or manifests, and those that go on. They are read and sent portion by portion. */
import { status, type WorkflowId } from '@tutti/manifests';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isAllowed } from '../../auth/access.ts';
import { enterAnswer, enterSearch } from '../../http/answer-memory.ts';
import { queryChoice } from '../../http/query.ts';
import { sendStatus } from '../../http/reply.ts';
import type { HeldBytes } from '../../runtime/byte-gate.ts';
import { Turns } from '../../runtime/turns.ts';
import type { RunGroup, RunGroupQuery } from '../../store/run-groups.ts';
import type { ListedRun, Store } from '../../store/store.ts';
import { sendFramed, wholeIfShort } from './framed-answer.ts';
import { readSelectors } from './selectors.ts';
import {
  encoded,
  type Groups,
  gathered,
  MANIFEST_HEAD,
  type WorkflowManifests,
} from './workflow-manifests.ts';
import { LIST_MESSAGE } from './workflow-operations.ts';

const isRunning = (row: ListedRun): boolean => row.status === 'PENDING' || row.status === 'RUNNING';

/** Rows of the list that are read together: less than a millisecond. */
const PORTION = 1_000;

const LIST_RUNS = { resource: 'workflows', verb: 'list' } as const;

/** Groups of all runs that may be listed. */
async function* visibleGroups(
  store: Store,
  { access }: FastifyRequest,
  part: RunGroupQuery['part'],
): AsyncGenerator<readonly RunGroup[]> {
  const allowed = access.namespaces(LIST_RUNS.resource, LIST_RUNS.verb);
  const namespaces = allowed === '*' ? null : [...allowed];
  const turns = new Turns();
  for (let after = 0; ; ) {
    const groups = await store.runGroups({ after, namespaces, part });
    if (groups.length === 0) return;
    yield groups;
    after = groups.at(-1)?.last ?? 0;
    if (turns.isOver) await turns.next();
  }
}

/** Rows of a group; others may have come since, and be deleted. */
const rowsOfGroup =
  (store: Store, { access }: FastifyRequest) =>
  async ({ first, last }: RunGroup): Promise<readonly ListedRun[]> => {
    const rows = await store.workflows({ after: first - 1, limit: last - first + 1 });
    return rows.filter(
      ({ place, namespace }) => place <= last && isAllowed(access, LIST_RUNS, namespace),
    );
  };

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
  const groups = visibleGroups(store, request, expand === null ? 'id' : 'state');
  const isOfHead = selectors.conditions.every(({ path }) => MANIFEST_HEAD.has(path[0] ?? ''));
  const choice = selectors.isEmpty ? null : { matches: selectors.matches, isOfHead };
  if (expand === null) {
    const ids = choice === null ? textsOf(groups) : quoted(manifests.chosenIds(rows, choice));
    const held = await (choice === null ? enterAnswer(request) : enterSearch(request));
    return await sendItems(reply, held, { brackets: '[]', items: encoded(ids) });
  }
  const items =
    choice === null
      ? manifests.all(groups, rowsOfGroup(store, request))
      : encoded(manifests.chosen(rows, choice));
  return await sendItems(reply, await enterAnswer(request), { brackets: '{}', items });
}

async function* textsOf(groups: Groups): AsyncGenerator<string[]> {
  for await (const portion of groups) {
    yield portion.map(({ text }) => text).filter((text) => text !== '');
  }
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
