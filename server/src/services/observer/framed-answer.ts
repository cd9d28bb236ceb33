/** Documents that are put together of a frame and texts of JSON. They may be long, so they are sent in pieces. */
import type { FastifyReply } from 'fastify';
import { sendPieces } from '../../http/answer-memory.ts';
import type { Piece } from '../../http/portions.ts';
import type { HeldBytes } from '../../runtime/byte-gate.ts';

/** A document, with text to insert at the last marker: names before it may contain any text. */
export interface Framed {
  readonly frame: string;
  readonly marker: string;
  readonly text: string | AsyncIterable<Piece>;
}

export function sendFramed(
  reply: FastifyReply,
  held: HeldBytes,
  { frame, marker, text }: Framed,
): FastifyReply {
  const at = frame.lastIndexOf(marker) + marker.length;
  const body = framed(frame.slice(0, at), text, frame.slice(at));
  reply.type('application/json; charset=utf-8');
  if (typeof body !== 'string') return sendPieces(reply, held, body);
  held.leave();
  return reply.send(body);
}

/** Shorter answers are sent as one text. */
const TEXT_MAX = 64 * 1024;

/** The text of a page between the head and the tail of the answer. */
export function framed(
  before: string,
  text: Framed['text'],
  after: string,
): string | AsyncIterable<Piece> {
  if (typeof text !== 'string') return framedSlices(before, text, after);
  const whole = `${before}${text}${after}`;
  return text.length <= TEXT_MAX ? whole : onePiece([whole]);
}

/** The text of the first piece alone if it is short, and there is no other. */
export async function wholeIfShort(
  pieces: AsyncGenerator<Uint8Array>,
): Promise<string | AsyncIterable<Piece>> {
  const first = await pieces.next();
  if (first.done === true) return '';
  // The next piece is read when this one has been sent.
  if (first.value.length > TEXT_MAX) return resumed([first.value], pieces);
  const second = await pieces.next();
  if (second.done === true) return Buffer.from(first.value).toString();
  return resumed([first.value, second.value], pieces);
}

async function* resumed(start: Uint8Array[], rest: AsyncIterable<Piece>): AsyncGenerator<Piece> {
  for (let piece = start.shift(); piece !== undefined; piece = start.shift()) yield piece;
  yield* rest;
}

async function* onePiece(texts: string[]): AsyncGenerator<string> {
  yield texts.pop() ?? '';
}

/**
 * The text before the items goes with the first slice, which may be in memory already. A piece of its own would count as the whole answer.
 */
async function* framedSlices(
  before: string,
  slices: AsyncIterable<Piece>,
  after: string,
): AsyncGenerator<Piece> {
  let start = before;
  for await (const slice of slices) {
    yield start === '' ? slice : begun(start, slice);
    start = '';
  }
  yield start + after;
}

const begun = (start: string, slice: Piece): Piece =>
  typeof slice === 'string' ? start + slice : Buffer.concat([Buffer.from(start), slice]);
