/**
 * Renewal. One stream of a tab says what has changed (`GET /changes`), and the page asks for that again. Where there is no stream, the page
 * asks again every few seconds.
 */
import type { QueryCache } from '@tanstack/react-query';
import { useEffect, useSyncExternalStore } from 'react';
import { SERVER } from './api.ts';
import { whileSeen } from './seen.ts';

const RENEWAL_MS = 3_000;
/** Before another try, after a stream that broke off, and after one that was refused. */
const RETRY_MS = 2_000;
const REFUSED_RETRY_MS = 30_000;

/** Called with the entry of a topic that changed; with null if any part may have changed. */
type Handler = (entry: unknown) => void;

const handlers = new Map<string, Set<Handler>>();
let source: EventSource | null = null;
let isStreaming = false;
let position = '';
let retry: ReturnType<typeof setTimeout> | undefined;

/** Options of queries whose answers change by themselves. */
export const LIVE = { refetchInterval: () => (isStreaming ? false : RENEWAL_MS) } as const;

/** Calls the handler for each change of a topic, as long as the part is shown. */
export function useTopic(topic: string | null, handler: Handler): void {
  useEffect(() => {
    if (topic === null) return;
    const own = handlers.get(topic) ?? new Set();
    handlers.set(topic, own.add(handler));
    if (own.size === 1) reopen(0);
    return () => {
      own.delete(handler);
      if (own.size > 0) return;
      handlers.delete(topic);
      reopen(0);
    };
  }, [topic, handler]);
}

/** Opens the stream anew, for the topics of now. Several calls of a moment are one. */
function reopen(afterMs: number): void {
  clearTimeout(retry);
  retry = setTimeout(open, afterMs);
}

function close(): void {
  source?.close();
  source = null;
  isStreaming = false;
}

function open(): void {
  close();
  const topics = [...handlers.keys()].join(',');
  if (topics === '') return;
  const query = new URLSearchParams({ topics, ...(position !== '' && { after: position }) });
  const own = new EventSource(`${SERVER}/changes?${query}`);
  source = own;
  own.addEventListener('changes', ({ lastEventId, data }: MessageEvent<string>) => {
    isStreaming = true;
    position = lastEventId;
    for (const [topic, entry] of Object.entries(JSON.parse(data) as object)) notify(topic, entry);
  });
  own.addEventListener('reset', ({ lastEventId }: MessageEvent<string>) => {
    isStreaming = true;
    position = lastEventId;
    notifyAll();
  });
  own.addEventListener('error', () => {
    if (own !== source) return;
    const wasStreaming = isStreaming;
    close();
    // The first answers that fail begin the renewal without a stream.
    if (wasStreaming) notifyAll();
    reopen(wasStreaming ? RETRY_MS : REFUSED_RETRY_MS);
  });
}

function notify(topic: string, entry: unknown): void {
  for (const handler of handlers.get(topic) ?? []) handler(entry);
}

function notifyAll(): void {
  for (const topic of handlers.keys()) notify(topic, null);
}

whileSeen({
  open: () => {
    if (source === null) reopen(0);
  },
  close,
});

/** Null while the server answers; else the time since which it does not. */
let lostAt: number | null = null;
const readers = new Set<() => void>();

function setLost(at: number | null): void {
  if ((at === null) === (lostAt === null)) return;
  lostAt = at;
  for (const reader of readers) reader();
  // The server is there again: so is its stream.
  if (at === null && !isStreaming) reopen(0);
}

/** Watches whether the server answers. A refusal is an answer. */
export function watchAnswers(cache: QueryCache, isAnswer: (error: unknown) => boolean): void {
  cache.subscribe((event) => {
    if (event.type !== 'updated') return;
    const { action } = event;
    if (action.type === 'success') setLost(null);
    // The first of several tries tells as much as the last.
    else if (action.type === 'failed' || action.type === 'error')
      setLost(isAnswer(action.error) ? null : Date.now());
  });
}

function subscribe(reader: () => void): () => void {
  readers.add(reader);
  return () => readers.delete(reader);
}

/** The time since which the page is not live; null if it is. */
export const useLostSince = (): number | null => useSyncExternalStore(subscribe, () => lostAt);
