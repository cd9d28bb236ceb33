/**
 * Following a run to its end. The server is asked for a stream of events. One that knows no streams answers with a page, and is then asked
 * for pages. Either way every event is given once, in order, across broken connections.
 */
import { isOrchestratorError, type LoggedEvent } from '@tutti/manifests';
import { type EventPage, parseEvent } from './documents.ts';
import { retryDelayMs, type Sleep } from './retry-delay.ts';
import { type ServerSentEvent, streamMessages } from './server-sent-events.ts';
import { watchSilence } from './silence.ts';
import type { Answer, Transport } from './transport.ts';
import { isUnreachableError, UnreachableError } from './unreachable-error.ts';

export type WatchItem =
  | { readonly type: 'event'; readonly event: LoggedEvent }
  /** Said once when the server cannot be reached any more, and once when it can again. */
  | { readonly type: 'connection'; readonly phase: 'lost' | 'back' }
  /** Always the last item. */
  | { readonly type: 'end'; readonly status: 'DONE' | 'FAILED' };

/** About ten minutes of a server that does not answer: longer than a restart with an upgrade takes. */
export const WATCH_ATTEMPTS_MAX = 150;
export const RETRY = { firstMs: 100, maxMs: 5_000 } as const;
/** A stream that says nothing for so long is opened anew: its connection may have died without a sign. */
const WATCH_SILENCE_MS_MAX = 60_000;
/** Between two looks at a page that has nothing new. */
export const POLL_INTERVAL_MS = 1_000;

interface WatchDependencies {
  readonly transport: Transport;
  readonly sleep: Sleep;
  readonly random: () => number;
  readonly readPage: (response: Answer, body: unknown) => EventPage;
}

/** Query parameters that choose events. */
type WatchQuery = Readonly<Record<string, string | undefined>>;

export interface WatchTarget {
  readonly path: string;
  readonly query?: WatchQuery;
  readonly signal?: AbortSignal | undefined;
}

/** Position of the reader: `received` events were given, the last one under `lastId` if it came from a stream. */
interface Position {
  lastId: string | null;
  received: number;
}

type Step = WatchItem | { readonly type: 'open' } | { readonly type: 'silent' };

export async function* watchWorkflow(
  dependencies: WatchDependencies,
  target: WatchTarget,
): AsyncGenerator<WatchItem, void, undefined> {
  const { signal } = target;
  const position: Position = { lastId: null, received: 0 };
  let failures = 0;
  for (;;) {
    signal?.throwIfAborted();
    try {
      for await (const step of follow(dependencies, target, position)) {
        if (step.type === 'open') {
          if (failures > 1) yield { type: 'connection', phase: 'back' };
          continue;
        }
        failures = 0;
        if (step.type !== 'silent') yield step;
        if (step.type === 'end') return;
      }
    } catch (error) {
      signal?.throwIfAborted();
      if (!mayComeBack(dependencies.transport, error) || failures >= WATCH_ATTEMPTS_MAX)
        throw error;
    }
    failures += 1;
    // The first failure is the end of one connection. A restart of the server or of a proxy causes it.
    if (failures === 2) yield { type: 'connection', phase: 'lost' };
    await dependencies.sleep(retryDelayMs(failures - 1, RETRY, dependencies.random), signal);
  }
}

/** Whether another try may help. A server that never answered is reported at once: most likely its address is wrong. */
export const mayComeBack = (transport: Transport, error: unknown): boolean =>
  isTransient(error) && transport.hasAnswered();

/** True for an error that may not come at the next try, such as from a restarting or overloaded server. */
export function isTransient(error: unknown): boolean {
  if (isUnreachableError(error)) return true;
  if (!isOrchestratorError(error)) return false;
  return ['ServiceUnavailable', 'TooManyRequests', 'InternalError'].includes(error.reason);
}

/** Follows over one connection; ends without an `end` item when the connection does. */
async function* follow(
  dependencies: WatchDependencies,
  target: WatchTarget,
  position: Position,
): AsyncGenerator<Step, void, undefined> {
  const { path, query = {}, signal } = target;
  const silence = new AbortController();
  const either = signal === undefined ? silence.signal : AbortSignal.any([signal, silence.signal]);
  const watch = watchSilence(WATCH_SILENCE_MS_MAX, () => silence.abort());
  let isOpen = false;
  try {
    const response = await dependencies.transport.send({
      path,
      query,
      headers: {
        accept: 'text/event-stream, application/json;q=0.5',
        ...(position.lastId === null ? {} : { 'last-event-id': position.lastId }),
      },
      signal: either,
      limitTime: false,
    });
    isOpen = true;
    yield { type: 'open' };
    if (response.headers.get('content-type')?.startsWith('text/event-stream') === true) {
      const messages = streamMessages(response, either, watch.heard);
      yield* readStream(response.url, messages, position);
      return;
    }
    watch.end();
    await response.body?.cancel();
    yield* pollPages(dependencies, target, position);
  } catch (error) {
    // Silence ends this connection only; the caller's own signal ends everything.
    if (!silence.signal.aborted || signal?.aborted === true) throw error;
    if (!isOpen) throw new UnreachableError(path, 'connection', 'no answer in time', error);
    yield { type: 'silent' };
  } finally {
    watch.end();
    silence.abort();
  }
}

async function* readStream(
  url: string,
  messages: AsyncIterable<ServerSentEvent>,
  position: Position,
): AsyncGenerator<WatchItem, void, undefined> {
  for await (const message of messages) {
    const item = itemOf(url, message);
    if (message.event === 'event') {
      position.lastId = message.id ?? position.lastId;
      position.received += 1;
    }
    if (item !== null) yield item;
    if (item?.type === 'end') return;
  }
}

/** Null for messages that this client does not know. */
function itemOf(url: string, message: ServerSentEvent): WatchItem | null {
  const data = parseData(url, message.data);
  if (message.event === 'event') {
    const event = parseEvent(data);
    return event === null ? null : { type: 'event', event };
  }
  if (message.event !== 'end') return null;
  const status = typeof data === 'object' && data !== null && 'status' in data ? data.status : null;
  if (status === 'DONE' || status === 'FAILED') return { type: 'end', status };
  throw new UnreachableError(url, 'answer', 'ended the run with an unknown status');
}

function parseData(url: string, data: string): unknown {
  try {
    return JSON.parse(data);
  } catch (cause) {
    throw new UnreachableError(url, 'answer', 'sent an event that is no JSON document', cause);
  }
}

const PAGE_SIZE = 1_000;

/** Reads pages from the position on, and looks at the last one again until the run has ended. */
async function* pollPages(
  dependencies: WatchDependencies,
  { path, query: selection, signal }: WatchTarget,
  position: Position,
): AsyncGenerator<WatchItem, void, undefined> {
  for (;;) {
    const query = {
      ...selection,
      page: String(Math.floor(position.received / PAGE_SIZE) + 1),
      per_page: String(PAGE_SIZE),
    };
    const { response, body } = await dependencies.transport.json({ path, query, signal });
    const page = dependencies.readPage(response, body);
    const news = page.entries.slice(position.received % PAGE_SIZE);
    for (const event of news) {
      position.received += 1;
      if (event !== null) yield { type: 'event', event };
    }
    if (page.hasNext && news.length > 0) continue;
    if (page.status === 'DONE' || page.status === 'FAILED') {
      yield { type: 'end', status: page.status };
      return;
    }
    await dependencies.sleep(POLL_INTERVAL_MS, signal);
  }
}
