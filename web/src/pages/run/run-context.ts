/** The run that its pages show: at a moment, as a document. */
import { keepPreviousData, queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { type JobId, type LoggedEvent, parseTimestamp } from '@tutti/manifests';
import { type Mark, type RunDocument, type RunStory, runDocument } from '@tutti/run-view';
import { createContext, useContext, useEffect, useMemo, useRef, useSyncExternalStore } from 'react';
import { ask, runPath } from '../../data/api.ts';
import { type RunLink, RunStream } from '../../data/run-stream.ts';
import { isLarge, viewQuery } from '../../data/run-view.ts';

export type JobPart = RunDocument['jobs'][number];
export type FailurePart = RunDocument['failures'][number];
export type FilePart = RunDocument['files'][number];
export type StepPart = RunDocument['steps'][number];

export interface RunAt {
  readonly runId: string;
  /** The part of addresses that all pages of the run keep. */
  readonly kept: { readonly at?: string };
  readonly doc: RunDocument;
  /** The number of the last event that is shown, and of all. */
  readonly seq: number;
  readonly total: number;
  readonly isPast: boolean;
  /** Only the server folds it: the page has none of its events. */
  readonly isLong: boolean;
  readonly link: RunLink;
  readonly marks: readonly Mark[];
  /** Events behind one number, up to another; empty where only the server has them. */
  readonly events: (from: number, to: number) => readonly LoggedEvent[];
  /** The run after some events; null where only the server folds. */
  readonly storyAt: (seq: number) => RunStory | null;
  /** Null where only the server folds. */
  readonly story: RunStory | null;
  /** The line of the log at which the first failure is, if one is known. */
  readonly failureLine: number | null;
}

export const RunContext = createContext<RunAt | null>(null);

/** The run of this page. */
export function useRun(): RunAt {
  const run = useContext(RunContext);
  if (run === null) throw new Error('This part belongs into the page of a run.');
  return run;
}

const MARKS_INTERVAL_MS = 10_000;
const NEXT_MOMENT_MS = 20;

type MarkRow = readonly [seq: number, at: string, kind: Mark['kind'], job: string];

/** Marks of a run whose events only the server has. */
const marksQuery = (runId: string, isOver: boolean) =>
  queryOptions({
    queryKey: ['marks', runId],
    queryFn: async ({ signal }) => {
      const { items } = await ask<{ readonly items: readonly MarkRow[] }>({
        path: runPath(runId, '/marks'),
        signal,
      });
      return items.map(
        ([seq, at, kind, job]): Mark => ({ seq, at: parseTimestamp(at) ?? 0, kind, job }),
      );
    },
    refetchInterval: isOver ? false : MARKS_INTERVAL_MS,
  });

const NO_EVENTS = () => [];
const NO_MARKS: readonly Mark[] = [];

/** Counts as the server has them. */
function testsOf(story: RunStory) {
  const jobs = [...story.view.jobs.values()];
  return new Map(
    jobs.map(({ key, tests: { passed, failed, skipped } }) => [
      (story.jobs.get(key)?.jobId ?? key) as JobId,
      { success: passed, failure: failed, error: 0, skipped },
    ]),
  );
}

/** The run at a moment; null while nothing is known of it. `at` is the number of an event, or null for the newest. */
export function useRunAt(
  runId: string,
  at: number | null,
): { readonly run: RunAt | null; readonly error: unknown; readonly again: () => void } {
  const first = useQuery({ ...viewQuery(runId, at), placeholderData: keepPreviousData });
  const stream = useMemo(() => new RunStream(runId), [runId]);
  const news = useSyncExternalStore(stream.subscribe, stream.news);
  const isLong = first.data !== undefined && isLarge(first.data);
  const isOver = first.data?.run.ended != null;
  useNextMoment(runId, isLong ? at : null);
  const { data: marks = NO_MARKS } = useQuery({ ...marksQuery(runId, isOver), enabled: isLong });
  const served = first.data;
  // Until another moment is here, the one before is shown as it was.
  const before = useRef(at);
  const shownAt = isLong && first.isPlaceholderData ? before.current : at;
  before.current = shownAt;
  // While another run is asked for, the one before is still there.
  const isKnown = served?.run.workflow_id === runId;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a stream that goes on has later events anyway
  useEffect(
    () => (isKnown && !isLong ? stream.start(served.total) : undefined),
    [stream, isKnown, isLong],
  );
  // Until the events are here, the server's view is shown.
  const isFolded = !isLong && news.isCaughtUp && news.total >= (shownAt ?? 0);
  const seq = isFolded ? Math.min(shownAt ?? news.total, news.total) : (served?.seq ?? 0);
  const run = useMemo((): RunAt | null => {
    const kept = shownAt === null ? {} : { at: String(shownAt) };
    const failureLine = served?.failure_line ?? null;
    const common = { runId, kept, seq, isLong, link: news.link, failureLine };
    if (isFolded) {
      const story = stream.at(seq);
      return {
        ...common,
        doc: runDocument(story, { tests: testsOf(story) }),
        total: news.total,
        isPast: shownAt !== null && seq < news.total,
        marks: stream.marks,
        events: (from, to) => stream.events(from, to),
        storyAt: (wanted) => stream.at(wanted),
        story,
      };
    }
    if (served === undefined) return null;
    const total = Math.max(served.total, news.total);
    return {
      ...common,
      link: isLong ? { phase: served.run.ended === null ? 'live' : 'ended' } : news.link,
      doc: served,
      total,
      isPast: shownAt !== null && served.seq < total,
      marks,
      events: NO_EVENTS,
      storyAt: () => null,
      story: null,
    };
  }, [runId, shownAt, seq, isFolded, isLong, marks, news, served, stream]);
  const error = run === null ? first.error : news.link.phase === 'failed' ? news.link.error : null;
  return { run, error, again: () => void first.refetch() };
}

/** Asks for the moment behind the next key, once the reader steps from one moment to the one beside it. */
function useNextMoment(runId: string, at: number | null): void {
  const queries = useQueryClient();
  const last = useRef(at);
  useEffect(() => {
    const step = at === null ? 0 : last.current === null ? -1 : at - last.current;
    last.current = at;
    if (at === null || Math.abs(step) !== 1 || at + step < 1) return;
    const ask = () => void queries.prefetchQuery(viewQuery(runId, at + step));
    // This moment is on the screen first.
    const timer = setTimeout(ask, NEXT_MOMENT_MS);
    return () => clearTimeout(timer);
  }, [queries, runId, at]);
}

/** The mark of a job or a step. */
export const markOfJob = (status: JobPart['status'] | StepPart['status']) =>
  (
    ({
      WAITING: 'waiting',
      RUNNING: 'running',
      SUCCEEDED: 'success',
      FAILED: 'failure',
      FORGIVEN: 'failure',
      CANCELED: 'canceled',
      STOPPED: 'canceled',
      SKIPPED: 'skipped',
    }) as const
  )[status];

/** Why a job waits, without its name, which stands beside it. */
export const waitOf = ({ waiting }: JobPart): string =>
  (waiting ?? 'waits').replace(/^Job ".*" waits: /s, 'waits: ');
