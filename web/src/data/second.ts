/** The time of day in whole seconds, for everything that counts on. One timer serves all readers. */
import { useSyncExternalStore } from 'react';

const readers = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;
let now = wholeSecond();

function wholeSecond(): number {
  return Math.floor(Date.now() / 1000) * 1000;
}

function subscribe(reader: () => void): () => void {
  readers.add(reader);
  timer ??= setInterval(() => {
    now = wholeSecond();
    for (const each of readers) each();
  }, 1000);
  return () => {
    readers.delete(reader);
    if (readers.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** Milliseconds since 1970, to the second. The caller is drawn again each second. */
export const useSecond = (): number =>
  useSyncExternalStore(subscribe, () => (timer === undefined ? wholeSecond() : now));
