/**
 * Streams publications as server-sent events: `GET /publications`, an extension of the specification for clients without a
 * reachable inbox. It needs the right to subscribe, and shows the publications that an inbox would get.
 */
import { messages, OrchestratorError, status } from '@tutti/manifests';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { ServerEventBus } from '../../bus/event-bus.ts';
import { holderOf } from '../../http/holder.ts';
import { sendStatus } from '../../http/reply.ts';
import { LIMITS } from '../../runtime/limits.ts';
import type { MemoryBounds } from '../../runtime/memory-bounds.ts';
import { type ShareFractions, Shares } from '../../runtime/shares.ts';
import { wantsEventStream } from './event-stream.ts';
import { answerOpenly, type EventFeed, type OpenAnswer } from './open-answer.ts';
import { readSelectors, SELECTORS } from './selectors.ts';
import {
  type PublicationNews,
  WaitingPublications,
  type WaitingTotal,
} from './waiting-publications.ts';

export interface PublicationRoutesDeps {
  readonly bus: Pick<ServerEventBus, 'tap'>;
  readonly feed: EventFeed;
  readonly limits: ShareFractions;
  readonly bounds: Pick<MemoryBounds, 'publications'>;
}

const STREAM = { contentType: 'text/event-stream; charset=utf-8', pulse: ': alive\n\n' };
/** The part of the waiting total for one reader: half of it in characters, which take two bytes. */
const READER_PART = 8;
/** No run has this id: only the end of the server wakes it. */
const TOPIC = 'publications';

export function publicationRoutes(app: FastifyInstance, deps: PublicationRoutesDeps): void {
  const { subjectShare, namespaceShare } = deps.limits;
  const total = LIMITS.publicationReaders;
  const things = 'readers of publications';
  const shares = new Shares({ total, things, subjectShare, namespaceShare });
  const waiting = { bytesMax: deps.bounds.publications, bytes: 0 };
  let readers = 0;
  app.get(
    '/publications',
    {
      config: { access: { resource: 'subscriptions', verb: 'create' } },
      schema: {
        summary: 'Publications as they pass',
        description:
          'With `Accept: text/event-stream` publications are sent as they come: `event: publication`, and `event: missed` with a `count` where the reader was too slow. Nothing is kept for readers that are not there.',
        tags: ['observer'],
        parameters: SELECTORS,
        operation: ({ EVENT_STREAM }) => ({
          id: 'watchPublications',
          answers: { OK: { message: messages.publicationsAreStreamed(), content: EVENT_STREAM } },
          failures: ['TooManyRequests'],
        }),
      },
    },
    async (request, reply) => {
      const { matches } = readSelectors(request);
      if (!wantsEventStream(request)) {
        return sendStatus(reply, status('OK', messages.publicationsAreStreamed()));
      }
      if (readers >= total) throw tooMany();
      const giveBack = shares.take(holderOf(request));
      readers += 1;
      try {
        return await streamPublications({ ...deps, waiting }, matches, reply);
      } finally {
        readers -= 1;
        giveBack();
      }
    },
  );
}

function streamPublications(
  { bus, feed, waiting: total }: PublicationRoutesDeps & { readonly waiting: WaitingTotal },
  isWanted: (publication: object) => boolean,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const scope = reply.request.access.namespaces('subscriptions', 'create');
  return answerOpenly({ feed, topic: TOPIC }, STREAM, reply, async (answer) => {
    const lengthMax = Math.min(LIMITS.waitingPublicationsLength, total.bytesMax / READER_PART);
    const waiting = new WaitingPublications(lengthMax, total);
    const take = (publication: object, json: string) => {
      if (!isWanted(publication)) return;
      waiting.add(json);
      answer.wake();
    };
    // In the same turn as the headers: a client that has them misses nothing.
    const leave = bus.tap({ scope, take });
    try {
      await send(waiting, answer);
    } finally {
      leave();
      waiting.close();
    }
    return true;
  });
}

async function send(waiting: WaitingPublications, answer: OpenAnswer): Promise<void> {
  while (!answer.isOver) {
    const news = waiting.next();
    if (news === null) await answer.news();
    else await answer.write(messageOf(news));
  }
}

/** The JSON of a publication has no line break, so it is one `data` line. */
const messageOf = (news: PublicationNews): string =>
  news.type === 'publication'
    ? `event: publication\ndata: ${news.json}\n\n`
    : `event: missed\ndata: ${JSON.stringify({ count: news.count })}\n\n`;

const tooMany = (): OrchestratorError =>
  new OrchestratorError(
    'TooManyRequests',
    `${LIMITS.publicationReaders} readers look on while publications pass, which is the limit. Try again later.`,
  );
