/** Lines of a log, as far as they are near the view. */
import { keepPreviousData, queryOptions, useQueries, useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useState } from 'react';
import { ask, runPath } from '../../data/api.ts';
import { useRun } from './run-context.ts';

/** Number from 1, time, id of the job, text; of a long line also the place of its rest. */
export type LogRow = readonly [
  number: number,
  time: string | null,
  jobId: string | null,
  text: string,
  rest?: number,
];

interface LinesAnswer {
  readonly items: readonly LogRow[];
  /** Lines of the whole log. */
  readonly total: number;
  /** Number to go on with; null at the end. */
  readonly next: number | null;
}

/** Lines that can be shown by their place in the list. */
export interface LogLines {
  readonly count: number;
  readonly rowAt: (index: number) => LogRow | undefined;
  /** The place of a line, or of the next one. */
  readonly indexOf: (number: number) => number;
  /** Says which places are shown. */
  readonly onRange: (from: number, to: number) => void;
  readonly error: unknown;
  /** Asks once more, after an error. */
  readonly again: () => void;
  /** Nothing is known yet. */
  readonly isPending: boolean;
}

const WINDOW = 500;

interface LinesQuery {
  readonly from: number;
  readonly count: number;
  readonly job?: string | undefined;
  readonly step?: string | undefined;
  readonly signal?: AbortSignal;
}

const askLines = (runId: string, { from, count, job, step, signal }: LinesQuery) =>
  ask<LinesAnswer>({
    path: runPath(runId, '/log/lines'),
    query: { from: String(from), count: String(count), job, step },
    signal,
  });

/** Number of lines of the log. It is asked for again after each change of the run. */
export function useLogTotal() {
  const { runId, total } = useRun();
  const { data, error, refetch } = useQuery({
    queryKey: ['log', runId, 'total', total],
    queryFn: ({ signal }) => askLines(runId, { from: -1, count: 1, signal }),
    placeholderData: keepPreviousData,
  });
  return { total: data?.total ?? 0, error, again: refetch, isPending: data === undefined };
}

/** `end` is the last line that the window can have now. A window that grows is another one, then. */
const windowQuery = (runId: string, window: number, end: number) =>
  queryOptions({
    queryKey: ['log', runId, window, end],
    queryFn: ({ signal }) => readWindow(runId, window, signal),
    staleTime: Number.POSITIVE_INFINITY,
  });

/** An answer has a limited size, so a window of long lines takes several. */
async function readWindow(
  runId: string,
  window: number,
  signal: AbortSignal,
): Promise<readonly LogRow[]> {
  const rows: LogRow[] = [];
  const first = window * WINDOW + 1;
  for (let from: number | null = first; from !== null && from < first + WINDOW; ) {
    const count = first + WINDOW - from;
    const { items, next }: LinesAnswer = await askLines(runId, { from, count, signal });
    rows.push(...items);
    from = next;
  }
  return rows;
}

/** All lines: any of them can be shown without those before. */
export function useAllLines(): LogLines {
  const { runId } = useRun();
  const { total, error, again, isPending } = useLogTotal();
  const [[first, last], setWindows] = useState([0, 0]);
  const numbers = Array.from({ length: last - first + 1 }, (_, at) => first + at);
  const windows = useQueries({
    queries: numbers.map((window) => ({
      ...windowQuery(runId, window, Math.min(total, (window + 1) * WINDOW)),
      enabled: total > window * WINDOW,
    })),
  });
  // Rows stay until the grown window is there.
  const shown = useRef(new Map<number, readonly LogRow[]>());
  for (const [at, window] of numbers.entries()) {
    const rows = windows[at]?.data;
    if (rows !== undefined) shown.current.set(window, rows);
  }
  for (const window of shown.current.keys()) {
    if (window < first - 1 || window > last + 1) shown.current.delete(window);
  }
  const onRange = useMemo(
    () => (from: number, to: number) => {
      const wanted: [number, number] = [
        Math.floor(from / WINDOW),
        Math.floor(Math.max(from, to - 1) / WINDOW),
      ];
      setWindows((before) => (String(before) === String(wanted) ? before : wanted));
    },
    [],
  );
  return {
    count: total,
    rowAt: (index) => shown.current.get(Math.floor(index / WINDOW))?.[index % WINDOW],
    indexOf: (number) => Math.max(0, Math.min(number, total) - 1),
    onRange,
    error: error ?? windows.find((window) => window.error !== null)?.error ?? null,
    again: () => {
      if (error !== null) void again();
      for (const window of windows) if (window.error !== null) void window.refetch();
    },
    isPending,
  };
}

/** Lines of one job or step, read from the first one on. */
export function useLinesOf(
  job: string | undefined,
  step: string | undefined,
): LogLines & { readonly rows: readonly LogRow[] } {
  const { runId } = useRun();
  const { total, error: noTotal, again } = useLogTotal();
  const [rows, setRows] = useState<readonly LogRow[]>([]);
  const [next, setNext] = useState(1);
  const [isWanted, setWanted] = useState(true);
  const [error, setError] = useState<unknown>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the lines of another job are other lines
  useEffect(() => {
    setRows([]);
    setNext(1);
    setWanted(true);
    setError(null);
  }, [runId, job, step]);
  useEffect(() => {
    if (!isWanted || next > total || job === undefined || error !== null) return;
    const end = new AbortController();
    const { signal } = end;
    askLines(runId, { from: next, count: 2 * WINDOW, job, step, signal }).then(
      (answer) => {
        if (signal.aborted) return;
        setRows((before) => [...before, ...answer.items]);
        setNext(answer.next ?? answer.total + 1);
        // A long way without a line of the job is gone on at once.
        if (answer.items.length > 0) setWanted(false);
      },
      (problem) => {
        if (!signal.aborted) setError(problem);
      },
    );
    return () => end.abort();
  }, [runId, job, step, next, total, isWanted, error]);
  const onRange = useMemo(
    () => (_from: number, to: number) => {
      if (to > rows.length - WINDOW) setWanted(true);
    },
    [rows],
  );
  return {
    rows,
    count: rows.length,
    rowAt: (index) => rows[index],
    indexOf: (number) => {
      const found = rows.findIndex(([own]) => own >= number);
      return found < 0 ? Math.max(0, rows.length - 1) : found;
    },
    onRange,
    error: error ?? noTotal,
    again: () => {
      setError(null);
      if (noTotal !== null) void again();
    },
    isPending: rows.length === 0 && next <= total,
  };
}
