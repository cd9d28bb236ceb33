/** `GET /changes`: which things changed, at once or as they change. */
import { setTimeout as delay } from 'node:timers/promises';
import { status } from '@tutti/manifests';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { queryText } from '../../../http/query.ts';
import { sendStatus } from '../../../http/reply.ts';
import type { Store } from '../../../store/store.ts';
import { wantsEventStream } from '../event-stream.ts';
import { answerOpenly, type EventFeed, type OpenAnswer } from '../open-answer.ts';
import { newsFor, type Topic, topicsOf, wantedOf } from './change-topics.ts';
import type { Change, Changes } from './changes.ts';

export interface ChangesDeps {
  readonly store: Pick<Store, 'workflow'>;
  readonly feed: EventFeed;
}

const STREAM = { contentType: 'text/event-stream; charset=utf-8', pulse: ': alive\n\n' };
/** No run has this id: only the end of the server wakes it. */
const TOPIC = 'changes';
/** Between two messages: people see no more than four in a second. */
const PAUSE_MS = 250;

/** Answers with the changes behind a position, or streams them. */
export async function sendChanges(deps: ChangesDeps, reply: FastifyReply): Promise<FastifyReply> {
  const { request } = reply;
  const topics = await topicsOf(deps.store, request);
  const from = positionIn(request);
  if (wantsEventStream(request)) return await streamChanges(deps.feed, { topics, from }, reply);
  const { changes } = deps.feed;
  const known = from === null ? null : changes.since(from);
  return sendStatus(
    reply,
    status('OK', 'Changes', {
      position: changes.position,
      reset: known === null,
      changes: (known === null ? null : newsFor(topics, known)) ?? {},
    }),
  );
}

/** Browsers repeat the last one that they saw in a header. */
function positionIn(request: FastifyRequest): string | null {
  const { 'last-event-id': last } = request.headers;
  return typeof last === 'string' && last !== '' ? last : queryText(request, 'after');
}

interface Asked {
  readonly topics: readonly Topic[];
  /** The position that the reader has; null for one that begins. */
  readonly from: string | null;
}

function streamChanges(feed: EventFeed, asked: Asked, reply: FastifyReply): Promise<FastifyReply> {
  return answerOpenly({ feed, topic: TOPIC }, STREAM, reply, async (answer) => {
    const { changes } = feed;
    const noted = (change: Change) => {
      if (asked.topics.some((topic) => topic.wants(change))) answer.wake();
    };
    const leave = changes.read({ noted }, wantedOf(asked.topics));
    try {
      await send(changes, asked, answer);
    } finally {
      leave();
    }
    return true;
  });
}

async function send(changes: Changes, { topics, from }: Asked, answer: OpenAnswer): Promise<void> {
  for (let known = from; !answer.isOver; ) {
    const since = known === null ? null : changes.since(known);
    const isFirst = known === from;
    known = changes.position;
    const news = since === null ? null : newsFor(topics, since);
    if (since === null) await answer.write(message(known, 'reset', {}));
    // A reader that comes back learns its place at once.
    else if (news !== null || isFirst) await answer.write(message(known, 'changes', news ?? {}));
    await delay(PAUSE_MS);
    await answer.news();
  }
}

/** The JSON has no line break, so it is one `data` line. */
const message = (position: string, event: 'reset' | 'changes', data: object): string =>
  `id: ${position}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
