/** Answers with lists that may have some MiB. Their items become JSON in turns of the event loop, and are sent in pieces. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Turns } from '../runtime/turns.ts';
import { enterAnswer, sendPieces } from './answer-memory.ts';

/** A longer answer is sent in pieces of this length, in characters. */
const PIECE_LENGTH = 64 * 1024;

export interface ListAnswer {
  /** The document with an empty list, or map, of items. */
  readonly document: object;
  /**
   * JSON of the items, with their keys in a map; null for one that is left out. They are made one by one, while others get their
   * turn.
   */
  readonly items: Iterable<string | null>;
}

/** Sends a document with these items. The code of the reply is set before. */
export async function sendList(
  request: FastifyRequest,
  reply: FastifyReply,
  { document, items }: ListAnswer,
): Promise<FastifyReply> {
  const pieces = piecesOf(JSON.stringify(document), items);
  reply.type('application/json; charset=utf-8');
  const first = await pieces.next();
  const second = await pieces.next();
  const begin = String(first.value ?? '');
  if (second.done === true) return reply.send(begin);
  const held = await enterAnswer(request);
  return sendPieces(reply, held, joined([begin, second.value], pieces));
}

/** Names before the items can contain any text. */
const EMPTY_ITEMS = /"items":[[{](?=[\]}])/g;

async function* piecesOf(frame: string, items: ListAnswer['items']): AsyncGenerator<string, void> {
  const found = [...frame.matchAll(EMPTY_ITEMS)].at(-1);
  if (found === undefined) throw new Error('The document has no list of items.');
  const at = found.index + found[0].length;
  const turns = new Turns();
  let piece = frame.slice(0, at);
  let separator = '';
  for (const item of items) {
    if (turns.isOver) await turns.next();
    if (item === null) continue;
    piece += separator + item;
    separator = ',';
    if (piece.length < PIECE_LENGTH) continue;
    yield piece;
    piece = '';
  }
  yield piece + frame.slice(at);
}

async function* joined(begin: string[], rest: AsyncIterable<string>): AsyncGenerator<string> {
  for (let piece = begin.shift(); piece !== undefined; piece = begin.shift()) yield piece;
  yield* rest;
}
