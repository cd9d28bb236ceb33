/**
 * Bounds the memory of answers: of streamed ones, and of long whole ones. Each piece is read after the reader took the one before. Pieces
 * that are read and not taken are bounded in bytes. A reader that is too slow is dropped, because others wait for its room.
 */
import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { OrchestratorError, statusOfError } from '@tutti/manifests';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ByteGate, type HeldBytes } from '../runtime/byte-gate.ts';
import { LIMITS } from '../runtime/limits.ts';
import { nextTurn, Turns } from '../runtime/turns.ts';
import { tenantOf } from './holder.ts';
import { type Piece, portionsOf } from './portions.ts';
import { whenClosed } from './when-closed.ts';

/** Bytes that are reserved before a piece is read. */
const PIECE_BYTES = 256 * 1024;
/** Time for a piece in milliseconds, and the lowest rate beyond that, in bytes per second. */
const TAKE_MS = 30_000;
const BYTES_PER_SECOND = 64 * 1024;

declare module 'fastify' {
  interface FastifyInstance {
    answerMemory: ByteGate;
    pageMemory: ByteGate;
  }
}

export function createAnswerMemory(bytesMax: number): ByteGate {
  const what = 'answers that were not read yet';
  return new ByteGate({ bytesMax, shareMax: bytesMax / 2, waitMs: TAKE_MS, what });
}

/** Memory for pages that are built before they are sent. It bounds how many are built at a time. */
export function createPageMemory(bytesMax: number): ByteGate {
  const what = 'pages of data sources';
  return new ByteGate({ bytesMax, shareMax: bytesMax / 2, waitMs: TAKE_MS, what });
}

/** The part of the total for one page. */
const PAGE_PART = 3;
/** Two bytes for a character, in three copies: stored, read, and sent. */
const PAGE_BYTES_PER_CHARACTER = 6;

/** Call it before reading a page that is sent as a whole. The memory is freed with its answer. */
export async function enterPage(request: FastifyRequest, reply: FastifyReply): Promise<PageRoom> {
  const { pageMemory } = request.server;
  const bytes = pageMemory.bytesMax / PAGE_PART;
  const held = await pageMemory.enter(tenantOf(request), bytes);
  whenClosed(reply.raw, () => held.leave());
  return { lengthMax: Math.floor(bytes / PAGE_BYTES_PER_CHARACTER) };
}

/** Memory of one read while test cases are counted. It holds a mebibyte of text with two bytes per character, and one value. */
const READING_BYTES = 4 * 1024 * 1024;

/** Call it before reading much for a short answer. The memory is freed with its answer. */
export async function enterReading(request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const held = await request.server.pageMemory.enter(tenantOf(request), READING_BYTES);
  whenClosed(reply.raw, () => held.leave());
}

export interface PageRoom {
  /** Limit for the text of a page, in characters. */
  readonly lengthMax: number;
}

/** Counts the texts of a page; throws `Invalid` beyond the memory for one page. */
export function pageLength({ lengthMax }: PageRoom): (text: string) => void {
  let length = 0;
  return (text) => {
    length += text.length;
    if (length <= lengthMax) return;
    throw new OrchestratorError(
      'Invalid',
      `The page has more than ${lengthMax} characters, for which the server has no memory. Ask for fewer items with per_page.`,
    );
  };
}

/**
 * Waits for room before an answer is read. One answer reads in each turn of the event loop: an event of 4 MB may have hundreds of
 * readers. Rejects if the client has left.
 */
export async function enterAnswer(request: FastifyRequest): Promise<HeldBytes> {
  const { answerMemory } = request.server;
  const held = await answerMemory.enterToRead(tenantOf(request), PIECE_BYTES);
  await nextTurn();
  return forReader(request, held);
}

function forReader({ raw }: FastifyRequest, held: HeldBytes): HeldBytes {
  if (!raw.socket.destroyed) return held;
  held.leave();
  throw new OrchestratorError('BadRequest', 'The client left before its answer began.');
}

/** Memory for a slow search. While others read, the search reads one piece at a time. */
export async function enterSearch(request: FastifyRequest): Promise<HeldBytes> {
  const { answerMemory } = request.server;
  return forReader(request, await answerMemory.enter(tenantOf(request), 4 * PIECE_BYTES));
}

/** Connections buffer shorter answers. */
const WHOLE_BYTES = 64 * 1024;

/** Counts each unstreamed answer until its reader took it; without room, 503 replaces it. */
export function boundWholeAnswers(app: FastifyInstance): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    const isWhole = typeof payload === 'string' || payload instanceof Uint8Array;
    if (!isWhole || payload.length <= WHOLE_BYTES) return done();
    enterWhole(request, reply, payload).then(
      () => done(),
      (refusal: unknown) => done(null, refusedAnswer(reply, refusal)),
    );
  });
}

async function enterWhole(
  request: FastifyRequest,
  { raw }: FastifyReply,
  payload: Piece,
): Promise<void> {
  const { answerMemory } = request.server;
  const held = await answerMemory.enterMade(tenantOf(request), memoryOf(payload));
  const giveUp = setTimeout(() => request.raw.socket.destroy(), takeMsOf(payload.length));
  whenClosed(raw, () => {
    clearTimeout(giveUp);
    held.leave();
  });
}

/** The answer may be that to a failure already, so the handler of failures is not asked again. */
function refusedAnswer(reply: FastifyReply, refusal: unknown): string {
  const answer = statusOfError(refusal);
  reply
    .code(answer.code)
    .type('application/json; charset=utf-8')
    .header('Retry-After', String(LIMITS.retryAfterSeconds))
    .removeHeader('content-length');
  return JSON.stringify(answer);
}

/** Sends a long answer that is made in its turn. Otherwise many concurrent ones would be made before the first is counted. */
export async function sendMadeInTurn(
  request: FastifyRequest,
  reply: FastifyReply,
  make: () => object,
): Promise<FastifyReply> {
  const held = await enterAnswer(request);
  return sendPieces(reply.type('application/json; charset=utf-8'), held, madeInTurn(make));
}

async function* madeInTurn(make: () => object): AsyncGenerator<string> {
  yield JSON.stringify(make());
}

/** Listeners of one event of an answer, before Node warns of a leak. */
const LISTENERS_MAX = 20;

/** Sends the pieces, the first of which `held` already counts. */
export function sendPieces(
  reply: FastifyReply,
  held: HeldBytes,
  pieces: AsyncIterable<Piece>,
): FastifyReply {
  // If the reader is gone, the answer may never begin.
  whenClosed(reply.raw, () => held.leave());
  // Fastify, the stream and this file have listeners of one answer: more than ten, and no leak.
  reply.raw.setMaxListeners(LISTENERS_MAX);
  return reply.send(Readable.from(paced(reply.raw, held, pieces), { objectMode: false }));
}

async function* paced(
  raw: ServerResponse,
  held: HeldBytes,
  pieces: AsyncIterable<Piece>,
): AsyncGenerator<Piece> {
  const turns = new Turns();
  try {
    for await (const piece of pieces) {
      held.resize(memoryOf(piece));
      for (const portion of portionsOf(piece)) {
        yield portion;
        await taken(raw, portion.length);
        if (raw.destroyed) return;
        if (turns.isOver) await turns.next();
      }
      await held.readNext();
      if (raw.destroyed) return;
    }
  } finally {
    held.leave();
  }
}

/** Memory of a piece and its source, with two bytes per character of both. Bytes are also buffered by the connection. */
export const memoryOf = (piece: Piece): number => Math.max(1, 4 * piece.length);

/** Waits until the reader can take more, or is gone. Rejects if that takes too long. */
export function taken(
  raw: ServerResponse,
  bytes: number,
  takeMs: number = takeMsOf(bytes),
): Promise<void> {
  if (!raw.writableNeedDrain || raw.destroyed) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const done = () => {
      clearTimeout(timer);
      raw.off('drain', done).off('close', done);
      resolve();
    };
    const timer = setTimeout(() => {
      raw.off('drain', done).off('close', done);
      reject(new Error('The answer was not read in time.'));
    }, takeMs);
    raw.on('drain', done).on('close', done);
  });
}

const takeMsOf = (bytes: number): number => TAKE_MS + (bytes / BYTES_PER_SECOND) * 1000;
