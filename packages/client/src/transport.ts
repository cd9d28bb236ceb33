/** One request to the orchestrator: address, token, time limit, and what its failures become. */
import {
  type FailureReason,
  isOrchestratorError,
  OrchestratorError,
  REASON_CODES,
} from '@tutti/manifests';
import { isRecord } from './documents.ts';
import { isUnreachableError, UnreachableError } from './unreachable-error.ts';

/** Long enough for a large upload on a slow line, short enough that a dead server is noticed. */
export const REQUEST_TIMEOUT_MS = 60_000;

export interface ApiRequest {
  readonly method?: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  /** Entries that are undefined are left out. */
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: FormData | TextBody;
  readonly signal?: AbortSignal | undefined;
  /** False for answers that go on for as long as the caller listens. */
  readonly limitTime?: boolean;
}

/** A body that is there as a whole. */
export interface TextBody {
  readonly contentType: string;
  readonly text: string;
}

/** The parts of an HTTP answer that the client reads. Other transports can give these more easily than a whole `Response`. */
export interface Answer {
  readonly ok: boolean;
  readonly status: number;
  readonly statusText: string;
  readonly url: string;
  readonly headers: { get(name: string): string | null; has(name: string): boolean };
  readonly body: AnswerBody | null;
  text(): Promise<string>;
}

export interface AnswerBody {
  getReader(): AnswerReader;
  cancel(): Promise<void>;
}

export interface AnswerReader {
  read(): Promise<AnswerPiece>;
  cancel(): Promise<void>;
}

export type AnswerPiece =
  | { readonly done: false; readonly value: Uint8Array }
  | { readonly done: true; readonly value?: Uint8Array | undefined };

export interface FetchRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal | null;
  readonly body?: FormData | string;
}

/** The part of `fetch` that is used here. */
export type Fetch = (url: string, request: FetchRequest) => Promise<Answer>;

export interface Transport {
  readonly baseUrl: string;
  /**
   * Sends a request and resolves with any 2xx answer. Throws OrchestratorError for a refusal that came with a Status manifest, and
   * UnreachableError for other failures. After an abort, throws the reason of the signal.
   */
  send(request: ApiRequest): Promise<Answer>;
  /** Like `send`; reads the body as JSON. */
  json(request: ApiRequest): Promise<{ readonly response: Answer; readonly body: unknown }>;
  /** Whether an orchestrator has answered any request. An orchestrator that answered before may come back; a wrong address does not. */
  hasAnswered(): boolean;
}

export interface TransportOptions {
  /** Address of the orchestrator, with its path prefix if it has one. */
  readonly baseUrl: string;
  readonly token?: string | undefined;
  readonly fetch?: Fetch;
}

export function createTransport(options: TransportOptions): Transport {
  const baseUrl = options.baseUrl.replace(/\/+$/, '');
  const fetchAnswer: Fetch = options.fetch ?? fetch;
  let hasAnswered = false;

  async function send(request: ApiRequest): Promise<Answer> {
    const url = `${baseUrl}${request.path}${queryText(request.query ?? {})}`;
    const response = await attempt(url, request.signal, () =>
      fetchAnswer(url, {
        method: request.method ?? 'GET',
        headers: headersOf(options.token, request),
        signal: timeLimit(request),
        ...bodyOf(request),
      }),
    );
    const refusal = response.ok ? null : await refusalOf(url, response, request.signal);
    hasAnswered ||= !isUnreachableError(refusal);
    if (refusal !== null) throw refusal;
    return response;
  }

  async function json(request: ApiRequest) {
    const response = await send(request);
    const text = await attempt(response.url, request.signal, () => response.text());
    return { response, body: parseJson(response.url, text) };
  }

  return { baseUrl, send, json, hasAnswered: () => hasAnswered };
}

function headersOf(
  token: string | undefined,
  { headers, body }: ApiRequest,
): Record<string, string> {
  const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const contentType = isText(body) ? { 'content-type': body.contentType } : {};
  return { accept: 'application/json', ...authorization, ...contentType, ...headers };
}

function bodyOf({ body }: ApiRequest): Pick<FetchRequest, 'body'> {
  if (body === undefined) return {};
  return { body: isText(body) ? body.text : body };
}

/** `FormData` is not looked at: where nobody needs it, it is not even loaded. */
const isText = (body: ApiRequest['body']): body is TextBody =>
  body !== undefined && 'contentType' in body;

function queryText(query: Readonly<Record<string, string | undefined>>): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) parameters.set(name, value);
  }
  return parameters.size === 0 ? '' : `?${parameters}`;
}

function timeLimit(request: ApiRequest): AbortSignal | null {
  if (request.limitTime === false) return request.signal ?? null;
  const limit = AbortSignal.timeout(REQUEST_TIMEOUT_MS);
  return request.signal === undefined ? limit : AbortSignal.any([request.signal, limit]);
}

/** Runs one network operation; what goes wrong in it means unreachable, unless the caller gave it up. */
export async function attempt<T>(
  url: string,
  signal: AbortSignal | undefined,
  operation: () => Promise<T>,
): Promise<T> {
  try {
    return await operation();
  } catch (error) {
    signal?.throwIfAborted();
    // These errors already name the address.
    if (isOrchestratorError(error) || isUnreachableError(error)) throw error;
    const why =
      error instanceof Error && error.name === 'TimeoutError'
        ? 'no answer in time'
        : 'the connection failed';
    throw new UnreachableError(url, 'connection', why, error);
  }
}

async function refusalOf(
  url: string,
  response: Answer,
  signal: AbortSignal | undefined,
): Promise<Error> {
  const text = await attempt(url, signal, () => response.text());
  const refusal = parseRefusal(text, secondsOf(response.headers.get('retry-after')));
  if (refusal !== null) return refusal;
  const line = `${response.status} ${response.statusText}`.trim();
  return new UnreachableError(url, 'answer', `answered ${line}, which is no Status manifest`);
}

/** Null where there is no such header, or a proxy says it as a date. */
const secondsOf = (header: string | null): number | null =>
  header !== null && /^\d{1,9}$/.test(header) ? Number(header) : null;

/** The refusal in a Status manifest; null when the text is no such manifest. */
export function parseRefusal(
  text: string,
  retryAfterSeconds: number | null = null,
): OrchestratorError | null {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return null;
  }
  if (!isRecord(body) || typeof body.message !== 'string') return null;
  if (!isFailureReason(body.reason)) return null;
  const details = isRecord(body.details) ? body.details : null;
  return new OrchestratorError(body.reason, body.message, { details, retryAfterSeconds });
}

function isFailureReason(reason: unknown): reason is FailureReason {
  if (typeof reason !== 'string' || !Object.hasOwn(REASON_CODES, reason)) return false;
  const codes: Readonly<Record<string, number>> = REASON_CODES;
  return (codes[reason] ?? 0) >= 400;
}

function parseJson(url: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new UnreachableError(url, 'answer', 'answered something that is no JSON document', cause);
  }
}
