/** How the page stays up to date: it asks again, and knows since when it got no answer. */
import type { QueryCache } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';

const RENEWAL_MS = 3_000;

/** Options of queries whose answers change by themselves. */
export const LIVE = { refetchInterval: RENEWAL_MS } as const;

/** Null while the server answers; else the time of the last answer. */
let lostAt: number | null = null;
const readers = new Set<() => void>();

function setLost(at: number | null): void {
  if ((at === null) === (lostAt === null)) return;
  lostAt = at;
  for (const reader of readers) reader();
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
