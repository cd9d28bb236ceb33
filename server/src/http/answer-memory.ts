/**
 * The memory of answers that are sent in pieces. Each piece is read when its reader took the one before, and the pieces that were read and not
 * taken are bounded in bytes. A reader that takes too long for one is given up: others wait for its room.
 */
import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { OrchestratorError } from '@tutti/manifests';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Access } from '../auth/access.ts';
import { ByteGate, type HeldBytes } from '../runtime/byte-gate.ts';
import { whenClosed } from './when-closed.ts';

export type Piece = string | Uint8Array;

/** Bytes that are reserved before a piece is read. */
const PIECE_BYTES = 256 * 1024;
/** How long a reader may take for a piece, in milliseconds, and how many bytes it takes in a second beyond that. */
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

/** For pages that are put together in memory, some at a time. */
export function createPageMemory(bytesMax: number): ByteGate {
  const what = 'pages of data sources';
  return new ByteGate({ bytesMax, shareMax: bytesMax / 2, waitMs: TAKE_MS, what });
}

/** One page may take this part of what all may. */
const PAGE_PART = 3;
/** With two bytes for a character: as it is stored, as it is read, and as it is sent. */
const PAGE_BYTES_PER_CHARACTER = 6;

/** To be called before a page is read that is sent as a whole. It leaves with its answer. */
export async function enterPage(request: FastifyRequest, reply: FastifyReply): Promise<PageRoom> {
  const { pageMemory } = request.server;
  const bytes = pageMemory.bytesMax / PAGE_PART;
  const held = await pageMemory.enter(readerOf(request.access), bytes);
  whenClosed(reply.raw, () => held.leave());
  return { lengthMax: Math.floor(bytes / PAGE_BYTES_PER_CHARACTER) };
}

export interface PageRoom {
  /** Of the text of the page, in characters. */
  readonly lengthMax: number;
}

/** To be called before anything of an answer is read. Rejects where whoever asked has left meanwhile: nothing is read for nobody. */
export async function enterAnswer(request: FastifyRequest): Promise<HeldBytes> {
  const { server, access } = request;
  return forReader(request, await server.answerMemory.enterToRead(readerOf(access), PIECE_BYTES));
}

function forReader({ raw }: FastifyRequest, held: HeldBytes): HeldBytes {
  if (!raw.socket.destroyed) return held;
  held.leave();
  throw new OrchestratorError('BadRequest', 'The client left before its answer began.');
}

/** For what takes its time, while others read: it may read as much as one piece at a time. */
export async function enterSearch(request: FastifyRequest): Promise<HeldBytes> {
  const { server, access } = request;
  return forReader(request, await server.answerMemory.enter(readerOf(access), 4 * PIECE_BYTES));
}

/** Many subjects of the same namespaces are one reader, so that they leave room to others. */
function readerOf(access: Access): string {
  const namespaces = access.namespaces('workflows', 'get');
  return namespaces === '*' ? access.subject : JSON.stringify([...namespaces].sort());
}

/** Sends what `held` was entered for, and then the other pieces. */
export function sendPieces(
  reply: FastifyReply,
  held: HeldBytes,
  pieces: AsyncIterable<Piece>,
): FastifyReply {
  // An answer whose reader is gone may never begin.
  whenClosed(reply.raw, () => held.leave());
  return reply.send(Readable.from(paced(reply.raw, held, pieces), { objectMode: false }));
}

async function* paced(
  raw: ServerResponse,
  held: HeldBytes,
  pieces: AsyncIterable<Piece>,
): AsyncGenerator<Piece> {
  try {
    for await (const piece of pieces) {
      held.resize(memoryOf(piece));
      yield piece;
      await taken(raw, piece.length);
      if (raw.destroyed) return;
      await held.readNext();
      if (raw.destroyed) return;
    }
  } finally {
    held.leave();
  }
}

/** With what it was made of, with two bytes for each character of both; bytes are on the way to the connection, too. */
export const memoryOf = (piece: Piece): number => Math.max(1, 4 * piece.length);

/** Resolves once the reader can take more, or is gone; rejects when it takes too long. */
export function taken(raw: ServerResponse, bytes: number, takeMs: number = TAKE_MS): Promise<void> {
  if (!raw.writableNeedDrain || raw.destroyed) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const withinMs = takeMs + (bytes / BYTES_PER_SECOND) * 1000;
    const done = () => {
      clearTimeout(timer);
      raw.off('drain', done).off('close', done);
      resolve();
    };
    const timer = setTimeout(() => {
      raw.off('drain', done).off('close', done);
      reject(new Error('The answer was not read in time.'));
    }, withinMs);
    raw.on('drain', done).on('close', done);
  });
}
