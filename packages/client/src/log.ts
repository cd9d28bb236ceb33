/** The execution log of a run (specification 4.5). It is read as it is, or as it comes, to the end of the run. */
import { isOrchestratorError } from '@tutti/manifests';
import { retryDelayMs, type Sleep } from './retry-delay.ts';
import { type Answer, attempt, type Transport } from './transport.ts';
import { mayComeBack, RETRY, WATCH_ATTEMPTS_MAX } from './watch.ts';

export interface LogDependencies {
  readonly transport: Transport;
  readonly sleep: Sleep;
  /** From 0 to 1. */
  readonly random: () => number;
}

/** `from`: bytes of the beginning that are left out; they end where a line does. */
export interface LogQuery {
  readonly from?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

export async function* readLog(
  { transport }: LogDependencies,
  path: string,
  { from = 0, signal }: LogQuery = {},
): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder();
  for await (const { fresh } of freshBytes(
    transport,
    { path, query: queryOf(from), signal },
    from,
  )) {
    yield decoder.decode(fresh, { stream: true });
  }
}

/** Every byte once, across broken connections: a new one goes on where the one before broke off. */
export async function* followLog(
  { transport, sleep, random }: LogDependencies,
  path: string,
  { from = 0, signal }: LogQuery = {},
): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder();
  let given = from;
  for (let failures = 0; ; ) {
    const request = { path, query: { follow: 'true', ...queryOf(given) }, signal };
    try {
      for await (const { fresh, end } of freshBytes(transport, request, given)) {
        failures = 0;
        if (fresh.length === 0) continue;
        given = end;
        yield decoder.decode(fresh, { stream: true });
      }
      return;
    } catch (error) {
      signal?.throwIfAborted();
      if (!mayComeBack(transport, error) || failures >= WATCH_ATTEMPTS_MAX) throw error;
    }
    await sleep(retryDelayMs(failures, RETRY, random), signal);
    failures += 1;
  }
}

const queryOf = (from: number) => (from === 0 ? {} : { from: String(from) });

/** The bytes after `from`, and the position where they end. Servers that ignore `from` send all bytes. */
async function* freshBytes(
  transport: Transport,
  request: LogRequest,
  from: number,
): AsyncGenerator<{ readonly fresh: Uint8Array; readonly end: number }, void, undefined> {
  let at: number | null = null;
  for await (const { bytes, response } of bytesOf(transport, request)) {
    const start: number = at ?? (hasLeftOut(response) ? from : 0);
    at = start + bytes.length;
    yield { fresh: bytes.subarray(Math.max(0, from - start)), end: at };
  }
}

const hasLeftOut = ({ headers }: Answer): boolean =>
  (headers.get('x-processed-query') ?? '').split(',').some((name) => name.trim() === 'from');

interface LogRequest {
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
}

/** Bytes from `start` to `end`, exclusive, or the `last` ones. */
export type LogRange = { readonly start: number; readonly end: number } | { readonly last: number };

export interface LogPart {
  readonly start: number;
  readonly bytes: Uint8Array;
  /** Bytes that the log has so far. */
  readonly total: number;
}

/** Reads a part of a log, as it is now. Servers that do not know parts answer with all of it. */
export async function readLogPart(
  transport: Transport,
  path: string,
  range: LogRange,
  signal?: AbortSignal,
): Promise<LogPart> {
  const wanted = 'last' in range ? `-${range.last}` : `${range.start}-${range.end - 1}`;
  const pieces: Uint8Array[] = [];
  let place: Pick<LogPart, 'start' | 'total'> | null = null;
  try {
    const request = { path, headers: { range: `bytes=${wanted}` }, signal };
    for await (const { bytes, response } of bytesOf(transport, request)) {
      place ??= placeOf(response);
      pieces.push(bytes);
    }
  } catch (error) {
    // There is nothing yet.
    if (!isOrchestratorError(error) || error.reason !== 'RangeNotSatisfiable') throw error;
  }
  const bytes = joined(pieces);
  return { start: 0, total: bytes.length, ...place, bytes };
}

function placeOf({ headers }: Answer): Pick<LogPart, 'start' | 'total'> | null {
  const [, start, total] =
    /^bytes (\d+)-\d+\/(\d+)$/.exec(headers.get('content-range') ?? '') ?? [];
  return start === undefined ? null : { start: Number(start), total: Number(total) };
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}

async function* bytesOf(
  transport: Transport,
  request: LogRequest,
): AsyncGenerator<{ readonly bytes: Uint8Array; readonly response: Answer }, void, undefined> {
  const headers = { accept: 'text/plain', ...request.headers };
  const response = await transport.send({ ...request, headers, limitTime: false });
  const reader = response.body?.getReader();
  if (reader === undefined) return;
  for (;;) {
    const { done, value } = await attempt(response.url, request.signal, () => reader.read());
    if (done) return;
    yield { bytes: value, response };
  }
}
