/**
 * Streams events of a run as server-sent events: the answer of `GET /workflows/{workflow_id}/status` for clients that accept
 * `text/event-stream`. Events are read from the store after each commit. So a reader gets durable events in order without gaps,
 * and a slow reader costs no memory.
 */
import type { WorkflowId } from '@tutti/manifests';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { enterAnswer, memoryOf } from '../../http/answer-memory.ts';
import type { HeldBytes } from '../../runtime/byte-gate.ts';
import type { EventPage, Store } from '../../store/store.ts';
import { EVENTS_SLICE } from './event-pages.ts';
import { answerOpenly, type EventFeed } from './open-answer.ts';

export function wantsEventStream(request: FastifyRequest): boolean {
  // An answer to HEAD has no body, so nothing follows.
  return request.method === 'GET' && /^\s*text\/event-stream\b/i.test(request.headers.accept ?? '');
}

const STREAM = { contentType: 'text/event-stream; charset=utf-8', pulse: ': alive\n\n' };

interface Streamed {
  readonly store: Store;
  readonly feed: EventFeed;
  readonly workflowId: WorkflowId;
}

export function streamEvents(
  { store, feed, workflowId }: Streamed,
  selectors: { readonly isEmpty: boolean; readonly matches: (event: object) => boolean },
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { request } = reply;
  const isWanted = (json: string) => selectors.isEmpty || selectors.matches(JSON.parse(json));
  return answerOpenly({ feed, topic: workflowId }, STREAM, reply, async (answer) => {
    for (let seq = lastSeen(request) + 1; !answer.isOver; ) {
      const held = await enterAnswer(request);
      const page = await sendSlice(store.events(workflowId, seq, EVENTS_SLICE), held, (items) => {
        const texts = items.map((json, at) => (isWanted(json) ? message(seq + at, json) : ''));
        return answer.write(texts.join(''));
      });
      if (page === null) break;
      seq += page.count;
      if (seq <= page.total) continue;
      if (!page.workflow.live) {
        // No more events follow: the run ended, and it has no workers.
        await answer.write(endMessage(page));
        break;
      }
      await answer.news();
    }
    // The last message contains the end, so a stream without it is broken.
    return true;
  });
}

function lastSeen(request: FastifyRequest): number {
  const id = Number(request.headers['last-event-id'] ?? 0);
  return Number.isInteger(id) && id > 0 ? id : 0;
}

interface SentSlice extends Pick<EventPage, 'total' | 'workflow'> {
  readonly count: number;
}

/** Events count as held until their reader took them; a waiting reader holds none. */
async function sendSlice(
  read: Promise<EventPage | null>,
  held: HeldBytes,
  write: (items: readonly string[]) => Promise<void>,
): Promise<SentSlice | null> {
  try {
    const page = await read;
    if (page === null) return null;
    const { items, total, workflow } = page;
    held.resize(items.reduce((sum, json) => sum + memoryOf(json), 1));
    if (items.length > 0) await write(items);
    return { count: items.length, total, workflow };
  } finally {
    held.leave();
  }
}

/** The JSON of an event has no line break, so it is one `data` line. */
const message = (seq: number, json: string): string =>
  `id: ${seq}\nevent: event\ndata: ${json}\n\n`;

const endMessage = ({ workflow }: SentSlice): string =>
  `event: end\ndata: ${JSON.stringify({ status: workflow.status })}\n\n`;
