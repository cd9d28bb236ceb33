/** Streams the execution log to the end of the run: the answer of `GET /workflows/{workflow_id}/logs?follow`. */
import type { WorkflowId } from '@tutti/manifests';
import type { FastifyReply } from 'fastify';
import { enterAnswer } from '../../http/answer-memory.ts';
import type { HeldBytes } from '../../runtime/byte-gate.ts';
import type { Store } from '../../store/store.ts';
import type { EventFeed } from './event-feed.ts';
import { answerOpenly, type OpenAnswer } from './open-answer.ts';

type ReadableStore = Pick<Store, 'workflow' | 'log'>;

export interface FollowedPart {
  /** Bytes of the log that the reader has already; none if absent. */
  readonly from?: number;
  /** Bytes read from the store at a time. */
  readonly sliceBytes: number;
}

export function followLog(
  { store, feed }: { readonly store: ReadableStore; readonly feed: EventFeed },
  workflowId: WorkflowId,
  { from = 0, sliceBytes }: FollowedPart,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const text = { contentType: 'text/plain; charset=utf-8' };
  return answerOpenly({ feed, topic: workflowId }, text, reply, (answer) =>
    sendLog(
      store,
      workflowId,
      { from, sliceBytes, enter: () => enterAnswer(reply.request) },
      answer,
    ),
  );
}

/** True once all was sent; false if the server stops, or retention deleted the run. */
async function sendLog(
  store: ReadableStore,
  workflowId: WorkflowId,
  {
    from,
    sliceBytes,
    enter,
  }: Required<FollowedPart> & { readonly enter: () => Promise<HeldBytes> },
  answer: OpenAnswer,
): Promise<boolean> {
  for (let at = from; !answer.isOver; ) {
    // Read before the text, which must contain everything up to the end.
    const row = await store.workflow(workflowId);
    const held = await enter();
    let length = 0;
    try {
      const slice = await store.log(workflowId, at, at + sliceBytes);
      if (row === null || slice === null) return false;
      length = slice.bytes.length;
      held.resize(Math.max(length, 1));
      await answer.write(slice.bytes);
    } finally {
      held.leave();
    }
    at += length;
    if (length > 0) continue;
    if (!row.live) return true;
    await answer.news();
  }
  return false;
}
