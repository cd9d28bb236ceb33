/** Search in the whole log: the server answers while it searches. */
import { useEffect, useState } from 'react';
import { pageFetch, runPath, SERVER } from '../../data/api.ts';
import { useRun } from './run-context.ts';

/** Line number, column and text. */
export type LogHit = readonly [number: number, column: number, text: string];

export interface LogSearch {
  readonly hits: readonly LogHit[];
  /** All hits; null while it searches. */
  readonly count: number | null;
  /** Hits in each of many equal parts of the log. */
  readonly buckets: readonly number[];
  readonly error: unknown;
}

interface SearchQuestion {
  readonly q: string | undefined;
  readonly isPattern: boolean;
  readonly job: string | undefined;
  readonly step: string | undefined;
}

type Answer =
  | { readonly hits: readonly LogHit[] }
  | { readonly count: number; readonly buckets: readonly number[] };

const NOTHING: LogSearch = { hits: [], count: null, buckets: [], error: null };

/** The time between two looks at the hits so far: each draws the log. */
const NEWS_INTERVAL_MS = 250;

/** Hits so far. */
export function useLogSearch({ q, isPattern, job, step }: SearchQuestion): LogSearch {
  const { runId } = useRun();
  const [search, setSearch] = useState(NOTHING);
  useEffect(() => {
    setSearch(NOTHING);
    if (q === undefined) return;
    const end = new AbortController();
    const parameters = new URLSearchParams({
      q,
      ignoreCase: 'true',
      ...(isPattern ? { regex: 'true' } : {}),
      ...(job === undefined ? {} : { job }),
      ...(step === undefined ? {} : { step }),
    });
    const path = `${runPath(runId, '/log/search')}?${parameters}`;
    let hits: readonly LogHit[] = [];
    let shownAt = Number.NEGATIVE_INFINITY;
    readSearch(path, end.signal, (answer) => {
      if (!('hits' in answer)) {
        const { count, buckets } = answer;
        setSearch({ ...NOTHING, hits, count, buckets });
        return;
      }
      hits = [...hits, ...answer.hits];
      const now = performance.now();
      if (now - shownAt < NEWS_INTERVAL_MS) return;
      shownAt = now;
      setSearch({ ...NOTHING, hits });
    }).catch((error: unknown) => {
      if (!end.signal.aborted) setSearch({ ...NOTHING, error });
    });
    return () => end.abort();
  }, [runId, q, isPattern, job, step]);
  return search;
}

async function readSearch(
  path: string,
  signal: AbortSignal,
  onAnswer: (answer: Answer) => void,
): Promise<void> {
  const response = await pageFetch(`${SERVER}${path}`, { method: 'GET', headers: {}, signal });
  if (!response.ok) {
    const { message } = JSON.parse(await response.text()) as { readonly message?: string };
    throw new Error(message ?? `The server answered ${response.status}.`);
  }
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  for (;;) {
    const piece = await reader?.read();
    if (piece === undefined || piece.done) return;
    const lines = (rest + decoder.decode(piece.value, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) onAnswer(JSON.parse(line) as Answer);
  }
}
