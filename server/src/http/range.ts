/** The `Range` header of one range of bytes (RFC 9110, section 14). */
import type { FastifyRequest } from 'fastify';

export interface ByteRange {
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
}

const RANGE = /^bytes=\s*(?:(\d+)-(\d*)|-(\d+))\s*$/i;

/**
 * The part of `size` bytes that a request wants. Null: send everything, without a range or with an ignorable one (several ranges,
 * other units). `unsatisfiable`: it begins behind the end.
 */
export function parseRange(
  header: string | undefined,
  size: number,
): ByteRange | 'unsatisfiable' | null {
  const match = RANGE.exec(header ?? '');
  if (match === null) return null;
  const [, first, last, suffix] = match;
  if (suffix !== undefined) return suffixRange(Number(suffix), size);
  const start = Number(first);
  const end = last ? Math.min(Number(last) + 1, size) : size;
  if (last && Number(last) < start) return null;
  return start < size ? { start, end } : 'unsatisfiable';
}

/**
 * The part of `size` bytes that a request wants, as in `parseRange`. Only GET has parts (RFC 9110, 14.2). Resources have no
 * validator, so `If-Range` never holds and everything is sent (13.1.5).
 */
export function requestedRange(
  { method, headers }: Pick<FastifyRequest, 'method' | 'headers'>,
  size: number,
): ByteRange | 'unsatisfiable' | null {
  const isAsked = method === 'GET' && headers['if-range'] === undefined;
  return isAsked ? parseRange(headers.range, size) : null;
}

function suffixRange(length: number, size: number): ByteRange | 'unsatisfiable' {
  if (length === 0 || size === 0) return 'unsatisfiable';
  return { start: Math.max(0, size - length), end: size };
}

/** Value of `Content-Range`; `total` is the present size, which may still grow. */
export function contentRange(range: ByteRange | 'unsatisfiable', total: number): string {
  return range === 'unsatisfiable'
    ? `bytes */${total}`
    : `bytes ${range.start}-${range.end - 1}/${total}`;
}
