/** Keeps the lists of the page up to date. */
import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useMemo, useSyncExternalStore } from 'react';
import { useTopic } from './live.ts';
import { allows, useSession } from './session.ts';

/** Between two requests for the same list. It is short after a single change, and longer while a busy server goes on with changes. */
const PAUSE_MS = 125;
const PAUSE_MAX_MS = 1_000;

/** Lists of runs that somebody reads are not moved under the pointer. */
let isHeld = false;
let waiting: ReadonlySet<string> = new Set();
const readers = new Set<() => void>();

function setWaiting(ids: ReadonlySet<string>): void {
  waiting = ids;
  for (const reader of readers) reader();
}

/** Lets changes of runs wait, or shows them. */
export function holdRuns(isWanted: boolean): void {
  isHeld = isWanted;
}

function subscribe(reader: () => void): () => void {
  readers.add(reader);
  return () => readers.delete(reader);
}

/** The number of runs that have changed since they are held. */
export const useWaitingRuns = (): number => useSyncExternalStore(subscribe, () => waiting.size);

/** Shows what has waited. */
export function useWaitingShown(): () => void {
  const queries = useQueryClient();
  return useCallback(() => {
    if (waiting.size === 0) return;
    setWaiting(new Set());
    void queries.invalidateQueries({ queryKey: ['runs'] });
  }, [queries]);
}

/** Asks for lists again when they have changed. A page with a stream of its own needs no second one, and shows few lists. */
export function useLiveLists(isWanted: boolean): void {
  const queries = useQueryClient();
  const session = useSession();
  const renewals = useMemo(() => {
    const of = (key: string) => paced(() => void queries.invalidateQueries({ queryKey: [key] }));
    return { runs: of('runs'), queue: of('queue'), environments: of('environments') };
  }, [queries]);
  const runsChanged = useCallback(
    (entry: unknown) => {
      const { ids = null } = (entry ?? {}) as { readonly ids?: readonly string[] | null };
      if (isHeld && ids !== null) setWaiting(new Set([...waiting, ...ids]));
      else renewals.runs();
    },
    [renewals],
  );
  const seesRuns = isWanted && allows(session, ['list', 'workflows']);
  const seesAgents = isWanted && allows(session, ['list', 'channels']);
  useTopic(seesRuns ? 'runs' : null, runsChanged);
  useTopic(seesRuns ? 'queue' : null, renewals.queue);
  useTopic(seesAgents ? 'environments' : null, renewals.environments);
}

/** Acts at once, and at most once in a pause, which grows with each call in it. The last call is never lost. */
function paced(act: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isAsked = false;
  const run = (pauseMs = PAUSE_MS) => {
    isAsked = false;
    act();
    timer = setTimeout(() => {
      timer = undefined;
      if (isAsked) run(Math.min(PAUSE_MAX_MS, 2 * pauseMs));
    }, pauseMs);
  };
  return () => {
    if (timer === undefined) run();
    else isAsked = true;
  };
}
