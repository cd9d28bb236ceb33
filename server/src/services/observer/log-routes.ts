/** The execution log as text (specification 4.5, logs). */
import {
  OrchestratorError,
  REASON_CODES,
  type WorkflowId,
  workflowNotFound,
} from '@tutti/manifests';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { enterAnswer, sendPieces } from '../../http/answer-memory.ts';
import { setProcessedQuery } from '../../http/processed-query.ts';
import { queryFlag, queryInteger } from '../../http/query.ts';
import { contentRange, requestedRange } from '../../http/range.ts';
import { type RunPath, type RunRight, runInPath } from '../../http/run-in-path.ts';
import type { Store } from '../../store/store.ts';
import { answerOpenly, type EventFeed } from './open-answer.ts';
import type { ObserverDeps } from './workflow-routes.ts';

const READ: RunRight = { resource: 'workflows', verb: 'get' };
/** Bytes read from the store at a time. */
const SLICE = 256 * 1024;

export function logRoutes(app: FastifyInstance, deps: ObserverDeps): void {
  app.get<RunPath>(
    '/workflows/:workflow_id/logs',
    {
      config: { access: READ, anywhere: (request) => !queryFlag(request, 'follow') },
      schema: {
        summary: 'Execution log of a workflow',
        description:
          'With `follow` the text is sent as it comes, until the workflow is over, and a range is not looked at. `from` leaves out so many bytes of the beginning, where no range is asked for. An answer that breaks off before its end has not all of it.',
        tags: ['observer'],
        parameters: { follow: { type: 'boolean' }, from: { type: 'integer', minimum: 0 } },
        operation: ({ EXAMPLES, RANGE, rangeAnswers, text }) => ({
          id: 'getWorkflowLog',
          headers: RANGE,
          answers: rangeAnswers({ 'text/plain': { schema: text, example: EXAMPLES.log } }),
          failures: ['TooManyRequests'],
        }),
      },
    },
    async (request, reply) => sendLog(deps, request, reply),
  );
}

async function sendLog(
  { store, feed }: ObserverDeps,
  request: FastifyRequest<RunPath>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { workflowId } = await runInPath(store, request, READ);
  const from = queryInteger(request, 'from', { min: 0 }) ?? 0;
  const isFollowed = queryFlag(request, 'follow');
  // An answer to HEAD has no body, so nothing follows.
  if (isFollowed && request.method === 'GET') {
    setProcessedQuery(request, reply, ['follow', 'from']);
    return await followLog({ store, feed, workflowId, from }, reply);
  }
  const total = (await store.log(workflowId, 0, 0))?.total ?? 0;
  const range = requestedRange(request, total);
  reply.header('Accept-Ranges', 'bytes');
  if (range === 'unsatisfiable') {
    reply.header('Content-Range', contentRange(range, total));
    throw new OrchestratorError('RangeNotSatisfiable', `The log has ${total} bytes so far.`);
  }
  const { start, end } = range ?? { start: Math.min(from, total), end: total };
  if (range !== null) {
    reply.code(REASON_CODES.PartialContent).header('Content-Range', contentRange(range, total));
  }
  reply.type('text/plain; charset=utf-8').header('Content-Length', end - start);
  const held = await enterAnswer(request);
  return sendPieces(reply, held, slices(store, workflowId, start, end));
}

async function* slices(
  store: Store,
  workflowId: WorkflowId,
  start: number,
  end: number,
): AsyncGenerator<Uint8Array> {
  for (let at = start; at < end; ) {
    const slice = await store.log(workflowId, at, Math.min(at + SLICE, end));
    // Retention deleted the run meanwhile; the broken answer shows it to the client.
    if (slice === null || slice.bytes.length === 0) throw workflowNotFound(workflowId);
    at += slice.bytes.length;
    yield slice.bytes;
  }
}

interface FollowedLog {
  readonly store: Pick<Store, 'workflow' | 'log' | 'followLog'>;
  readonly feed: EventFeed;
  readonly workflowId: WorkflowId;
  /** Bytes of the log that the reader has already. */
  readonly from: number;
}

/** Sends the log as it grows, to the end of the run. Breaks off if the server stops, or retention deleted the run. */
export function followLog(
  { store, feed, workflowId, from }: FollowedLog,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const text = { contentType: 'text/plain; charset=utf-8' };
  const unfollow = store.followLog(workflowId);
  return answerOpenly({ feed, topic: workflowId }, text, reply, async (answer) => {
    for (let at = from; !answer.isOver; ) {
      const held = await enterAnswer(reply.request);
      try {
        const slice = await store.log(workflowId, at, at + SLICE);
        if (slice === null) return false;
        const { bytes } = slice;
        held.resize(Math.max(bytes.length, 1));
        await answer.write(bytes);
        at += bytes.length;
        if (bytes.length > 0) continue;
      } finally {
        held.leave();
      }
      const row = await store.workflow(workflowId);
      if (row === null) return false;
      if (row.live) await answer.news();
      // Text may have come before the end.
      else if (((await store.log(workflowId, at, at))?.total ?? 0) <= at) return true;
    }
    return false;
  }).finally(unfollow);
}
