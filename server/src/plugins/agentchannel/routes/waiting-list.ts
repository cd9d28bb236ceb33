/** All jobs that wait and that the reader may list, with their reasons. */
import { status, type WaitingReason } from '@tutti/manifests';
import { matches, parseFieldSelector, parseLabelSelector } from '@tutti/selectors';
import {
  createRedactor,
  describeHelp,
  describeWaiting,
  type Job,
  jobById,
  type PoolRequest,
  type Run,
  withOwnJobs,
} from '@tutti/workflow';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isAllowed, requireAccessAsAsked } from '../../../auth/access.ts';
import type { RunDirectory } from '../../../bus/bus.ts';
import { enterSearch } from '../../../http/answer-memory.ts';
import { sendList } from '../../../http/list-answer.ts';
import { type Page, pageOffset, queryPage, setPageLinks } from '../../../http/paging.ts';
import { queryText } from '../../../http/query.ts';
import { Turns } from '../../../runtime/turns.ts';
import type { AgentChannelContext } from '../jobs/context.ts';
import { LIMITS } from '../jobs/limits.ts';

const LIST = { resource: 'workflows', verb: 'list' } as const;

/** Answers with a page of the list. */
export async function sendWaiting(
  context: AgentChannelContext,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { request } = reply;
  const page = queryPage(request);
  const { items, listed, total } = await found(context, request, page);
  setPageLinks(reply, page, { total: listed });
  const document = status('OK', 'Waiting jobs', { items: [], total });
  const texts = items.map(({ metadata: _, ...item }) => JSON.stringify(item));
  return await sendList(request, reply, { document, items: texts });
}

/** Items of a page, and the number of those on all pages. */
async function found(context: AgentChannelContext, request: FastifyRequest, page: Page) {
  const isWanted = selectorOf(request);
  const sees = readableIn(request);
  const from = pageOffset(page);
  const to = from + page.perPage;
  const held = await enterSearch(request);
  try {
    const { rows, total } = await waitingRows(context, sees);
    if (isWanted === null) {
      return { items: await itemsOf(rows.slice(from, to)), listed: rows.length, total };
    }
    const chosen = (await itemsOf(rows)).filter(isWanted);
    return { items: chosen.slice(from, to), listed: chosen.length, total: chosen.length };
  } finally {
    held.leave();
  }
}

/** Null for all. */
function selectorOf(request: FastifyRequest): ((item: object) => boolean) | null {
  const fields = parseFieldSelector(queryText(request, 'fieldSelector') ?? '');
  const labels = parseLabelSelector(queryText(request, 'labelSelector') ?? '');
  if (fields.conditions.length + labels.conditions.length === 0) return null;
  return (item) => matches(fields, item) && matches(labels, item);
}

function readableIn(request: FastifyRequest): (namespace: string) => boolean {
  const { access } = request;
  const asked = queryText(request, 'namespace');
  if (asked === null) return (namespace) => isAllowed(access, LIST, namespace);
  requireAccessAsAsked(access, LIST, asked);
  return (namespace) => namespace === asked;
}

interface WaitingRow {
  readonly run: Run;
  /** Null for the run as a whole. */
  readonly job: Job | null;
  readonly reason: WaitingReason | null;
  readonly place: number | null;
  readonly usualWait: number | null;
}

interface WaitingRows {
  readonly rows: readonly WaitingRow[];
  readonly total: number;
}

async function waitingRows(
  { pool, runs, waits }: AgentChannelContext,
  sees: (namespace: string) => boolean,
): Promise<WaitingRows> {
  const others = await heldBack(runs, sees);
  const { items, total } = pool.waiting({ limit: LIMITS.waitingItems, sees });
  const usualWait = (request: PoolRequest) => waits.usual(request);
  const asked = items.flatMap(({ request, reason, place }): WaitingRow[] => {
    const run = runs.current(request.workflowId);
    const job = run === null ? null : jobById(run, request.jobId);
    if (run === null || job === null) return [];
    return [{ run, job, reason, place, usualWait: usualWait(request) }];
  });
  return { rows: [...asked, ...others.rows], total: total + others.total };
}

/** Runs, and jobs, that other runs and jobs hold back. */
async function heldBack(
  runs: Pick<RunDirectory, 'live'>,
  sees: (namespace: string) => boolean,
): Promise<WaitingRows> {
  const rows: WaitingRow[] = [];
  const turns = new Turns();
  let total = 0;
  const add = (run: Run, job: Job | null, reason: WaitingReason) => {
    total += 1;
    const nowhere = { place: null, usualWait: null };
    if (rows.length < LIMITS.waitingItems) rows.push({ run, job, reason, ...nowhere });
  };
  for (const run of runs.live()) {
    if (turns.isOver) await turns.next();
    if (!sees(run.namespace) || run.completedAt !== null) continue;
    if (run.waiting !== null) add(run, null, run.waiting);
    for (const job of run.jobs.values()) {
      if (job.phase === 'WAITING' && job.waiting !== null) add(run, job, job.waiting);
    }
  }
  return { rows, total };
}

async function itemsOf(rows: readonly WaitingRow[]) {
  const turns = new Turns();
  const items: ReturnType<typeof itemOf>[] = [];
  for (const row of rows) {
    if (turns.isOver) await turns.next();
    items.push(itemOf(row));
  }
  return items;
}

/** `metadata` is for selectors alone. */
function itemOf({ run, job, reason: general, place, usualWait }: WaitingRow) {
  const { workflowId, name, namespace, labels, masks } = run;
  const reason = general === null ? null : withOwnJobs(run, general);
  return createRedactor(masks).document({
    workflow_id: workflowId,
    workflow: name,
    namespace,
    job_id: job?.jobId ?? null,
    name: job?.name ?? null,
    tags: job?.tags ?? [],
    since: job === null ? run.createdAt : job.requestedAt,
    reason: reason === null ? null : describeWaiting(reason, job?.name ?? null),
    help: reason === null ? null : describeHelp(reason),
    place,
    usual_wait: usualWait,
    metadata: { name, namespace, workflow_id: workflowId, labels },
  });
}
