/** The execution log of a run, of one job or of one step. */
import { getRouteApi } from '@tanstack/react-router';
import { parseTimestamp } from '@tutti/manifests';
import { formatDuration } from '@tutti/run-view/text';
import { ArrowDownToLine, ChevronDown, ChevronUp, Download } from 'lucide-react';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { askBlob, runPath } from '../../data/api.ts';
import { useKeys } from '../../frame/keys.ts';
import { Button } from '../../parts/button.tsx';
import { SearchField } from '../../parts/choices.tsx';
import { CopyCommand } from '../../parts/copy-command.tsx';
import { Empty, Placeholder, Problem } from '../../parts/states.tsx';
import { useAddress } from './address.ts';
import styles from './log.module.css';
import { type LogFolds, useLogFolds } from './log-folds.ts';
import { type LogLines, type LogRow, useAllLines, useLinesOf } from './log-lines.ts';
import { type LogSearch, useLogSearch } from './log-search.ts';
import { LogView, type LogViewHandle } from './log-view.tsx';
import { useRun } from './run-context.ts';
import { saveContent } from './save-content.ts';

const logRoute = getRouteApi('/signed-in/runs/$runId/log');
const NUMBERS = new Intl.NumberFormat();
const CLOCK = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });

export function LogPage() {
  const { job } = logRoute.useSearch();
  return job === undefined ? <WholeLog /> : <LogOfJob key={job} />;
}

/** Jobs print at the same time, so only the log of one job has groups. */
const NO_ROWS: readonly LogRow[] = [];

function WholeLog() {
  return <Log lines={useAllLines()} rows={NO_ROWS} jobId={undefined} />;
}

function LogOfJob() {
  const { doc } = useRun();
  const { job, step } = logRoute.useSearch();
  const jobId = doc.jobs.find(({ key }) => key === job)?.job_id ?? undefined;
  const lines = useLinesOf(jobId, step);
  if (jobId === undefined) {
    return (
      <>
        <Choices />
        <Empty>This job has printed nothing: it has not begun. Choose another one.</Empty>
      </>
    );
  }
  return <Log lines={lines} rows={lines.rows} jobId={jobId} />;
}

interface LogProps {
  readonly lines: LogLines;
  /** The lines that may have groups. */
  readonly rows: readonly LogRow[];
  readonly jobId: string | undefined;
}

function Log({ lines: all, rows, jobId }: LogProps) {
  const { doc, isPast } = useRun();
  const { q, regex, step, line } = logRoute.useSearch();
  const setAddress = useAddress();
  const handle = useRef<LogViewHandle>(null);
  const search = useLogSearch({ q, isPattern: regex !== undefined, job: jobId, step });
  const marked = useMemo(() => markedOf(line), [line]);
  const kept = useMemo(
    () => [...search.hits.map(([number]) => number), ...(marked ?? [])],
    [search.hits, marked],
  );
  const { lines, ...folds } = useLogFolds(all, rows, kept);
  const [isFollowing, setFollowing] = useState(true);
  const left = useRef(0);
  if (isFollowing) left.current = lines.count;
  useBegin(lines, handle, marked);
  const names = useMemo(() => new Map(doc.jobs.map((job) => [job.job_id, job.name])), [doc]);
  const started = parseTimestamp(doc.run.started ?? '') ?? 0;
  const [clock, setClock] = useState<Clock>('day');
  const onMark = (number: number, isRange: boolean) => {
    const from = isRange && marked !== null ? Math.min(marked[0], number) : number;
    const to = isRange && marked !== null ? Math.max(marked[0], number) : number;
    void setAddress({ line: from === to ? String(from) : `${from}-${to}` });
  };
  const hits = useMemo(() => new Set(search.hits.map(([number]) => number)), [search]);
  return (
    <div className={styles.page}>
      <div className={styles.bar}>
        <Choices />
        <SearchBar search={search} handle={handle} />
      </div>
      {lines.error !== null && <Problem error={lines.error} onAgain={lines.again} />}
      {lines.count === 0 ? (
        lines.error === null && <Nothing isPending={lines.isPending} />
      ) : (
        <LogView
          handle={handle}
          lines={lines}
          marked={marked}
          hits={hits}
          timeOf={(row) => timeText(row, clock, started)}
          nameOf={([, , id]) => (jobId === undefined ? (names.get(id) ?? '') : '')}
          isLater={([, time]) => isPast && time !== null && doc.at !== null && time > doc.at}
          onMark={onMark}
          groupOf={folds.groupOf}
          onFold={folds.onFold}
          onFollow={setFollowing}
        >
          <Ticks buckets={search.buckets} />
        </LogView>
      )}
      <div className={styles.foot}>
        <span>{!all.isPending && `${NUMBERS.format(all.count)} lines`}</span>
        <FoldAll folds={folds} />
        {!isFollowing && lines.count > left.current && (
          <Button onPress={() => handle.current?.showEnd()}>
            <ArrowDownToLine aria-hidden size={14} />
            {NUMBERS.format(lines.count - left.current)} new lines
          </Button>
        )}
        <ClockChoice clock={clock} onChoose={setClock} />
        <SaveLog />
      </div>
    </div>
  );
}

const Nothing = ({ isPending }: { readonly isPending: boolean }) =>
  isPending ? <Placeholder lines={8} /> : <Empty>Nothing was printed yet.</Empty>;

const FoldAll = ({ folds }: { readonly folds: Pick<LogFolds, 'onFoldAll' | 'isFolded'> }) =>
  folds.onFoldAll === null ? null : (
    <Button kind="quiet" onPress={folds.onFoldAll}>
      {folds.isFolded ? 'Unfold all groups' : 'Fold all groups'}
    </Button>
  );

type Clock = 'day' | 'run' | 'none';

interface ClockChoiceProps {
  readonly clock: Clock;
  readonly onChoose: (clock: Clock) => void;
}

const ClockChoice = ({ clock, onChoose }: ClockChoiceProps) => (
  <label className={styles.clock}>
    Time{' '}
    <select value={clock} onChange={({ target }) => onChoose(target.value as Clock)}>
      <option value="day">of day</option>
      <option value="run">since the start</option>
      <option value="none">none</option>
    </select>
  </label>
);

function timeText([, time]: LogRow, clock: Clock, started: number): string {
  const at = clock === 'none' || time === null ? null : parseTimestamp(time);
  if (at === null) return '';
  return clock === 'day' ? CLOCK.format(at) : formatDuration(Math.max(0, at - started)).padStart(8);
}

function markedOf(line: string | undefined): readonly [number, number] | null {
  const [, from, to = from] = /^(\d{1,9})(?:-(\d{1,9}))?$/.exec(line ?? '') ?? [];
  return from === undefined || to === undefined ? null : [Number(from), Number(to)];
}

/** Opens the log at the marked line, at the first failure, or at the end while it grows. */
function useBegin(
  lines: LogLines,
  handle: { readonly current: LogViewHandle | null },
  marked: readonly [number, number] | null,
): void {
  const { doc, failureLine } = useRun();
  const isPlaced = useRef(false);
  const isThere = lines.count > 0;
  useEffect(() => {
    if (isPlaced.current || !isThere || handle.current === null) return;
    isPlaced.current = true;
    if (marked !== null) handle.current.show(marked[0]);
    else if (failureLine !== null) handle.current.show(failureLine);
    else if (doc.run.ended === null) handle.current.showEnd();
    else handle.current.show(1);
  }, [isThere, handle, marked, failureLine, doc]);
}

/** Lines of all jobs, of one, or of one step. */
function Choices() {
  const { doc } = useRun();
  const { job, step } = logRoute.useSearch();
  const setAddress = useAddress();
  const jobs = doc.jobs.filter(({ jobs: inside, started }) => inside === null && started !== null);
  const steps = doc.steps.filter(
    (each) => each.job === job && each.origin.length === 0 && each.status !== 'SKIPPED',
  );
  return (
    <div className={styles.choices}>
      <label>
        Job{' '}
        <select
          value={job ?? ''}
          onChange={({ target }) =>
            void setAddress({ job: target.value || undefined, step: undefined, line: undefined })
          }
        >
          <option value="">All jobs</option>
          {job !== undefined && !jobs.some(({ key }) => key === job) && (
            <option value={job}>{job}</option>
          )}
          {jobs.map(({ key, name, status }) => (
            <option key={key} value={key}>
              {status === 'FAILED' ? '✗ ' : ''}
              {name}
            </option>
          ))}
        </select>
      </label>
      {job !== undefined && steps.length > 0 && (
        <label>
          Step{' '}
          <select
            value={step ?? ''}
            onChange={({ target }) =>
              void setAddress({ step: target.value || undefined, line: undefined })
            }
          >
            <option value="">All steps</option>
            {steps.map(({ id, label, status }) => (
              <option key={id} value={id}>
                {status === 'FAILED' ? '✗ ' : ''}
                {label}
              </option>
            ))}
          </select>
        </label>
      )}
    </div>
  );
}

interface SearchBarProps {
  readonly search: LogSearch;
  readonly handle: { readonly current: LogViewHandle | null };
}

function SearchBar({ search, handle }: SearchBarProps) {
  const { q, regex } = logRoute.useSearch();
  const setAddress = useAddress();
  const [at, setAt] = useState(-1);
  const { hits, count, error } = search;
  // biome-ignore lint/correctness/useExhaustiveDependencies: another search begins at its first hit
  useEffect(() => setAt(-1), [q, regex]);
  const go = useCallback(
    (step: number) => {
      if (hits.length === 0) return;
      const next = (at + step + hits.length) % hits.length;
      setAt(next);
      const number = hits[next]?.[0];
      if (number !== undefined) handle.current?.show(number);
    },
    [at, hits, handle],
  );
  useSearchKeys(go);
  const isFound = hits.length > 0;
  useEffect(() => {
    if (isFound && at === -1) go(1);
  }, [isFound, at, go]);
  return (
    <search className={styles.search}>
      <SearchField
        label="Search in the log"
        value={q ?? ''}
        onSearch={(text) => void setAddress({ q: text || undefined })}
      />
      <label className={styles.pattern}>
        <input
          type="checkbox"
          checked={regex !== undefined}
          onChange={({ target }) => void setAddress({ regex: target.checked ? 'true' : undefined })}
        />
        Pattern
      </label>
      {q !== undefined && (
        <>
          <span role="status">
            {count === null
              ? `${NUMBERS.format(hits.length)} so far`
              : `${isFound ? `${NUMBERS.format(at + 1)} of ` : ''}${NUMBERS.format(count)} ${count === 1 ? 'line' : 'lines'}`}
          </span>
          <Button
            kind="quiet"
            aria-label="Previous hit"
            isDisabled={!isFound}
            onPress={() => go(-1)}
          >
            <ChevronUp aria-hidden size={16} />
          </Button>
          <Button kind="quiet" aria-label="Next hit" isDisabled={!isFound} onPress={() => go(1)}>
            <ChevronDown aria-hidden size={16} />
          </Button>
        </>
      )}
      {error !== null && q !== undefined && <Problem error={error} />}
    </search>
  );
}

/** `n` and `N` go through the hits; `Ctrl F` opens this search, and in it the one of the browser. */
function useSearchKeys(go: (step: number) => void): void {
  useKeys({
    n: () => go(1),
    // biome-ignore lint/correctness/noComponentHookFactories: the name of a key, not of a component
    N: () => go(-1),
  });
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const field = document.querySelector<HTMLInputElement>('search input[type=search]');
      const isSearch = (event.ctrlKey || event.metaKey) && event.key === 'f';
      if (!isSearch || document.activeElement === field) return;
      field?.focus();
      field?.select();
      event.preventDefault();
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, []);
}

/** Where the hits are, beside the scroll bar. */
function Ticks({ buckets }: { readonly buckets: readonly number[] }) {
  const path = buckets.map((count, at) => (count === 0 ? '' : `M0 ${at + 0.5}H6`)).join('');
  if (path === '') return null;
  return (
    <svg
      aria-hidden
      className={styles.ticks}
      viewBox={`0 0 6 ${buckets.length}`}
      preserveAspectRatio="none"
    >
      <path d={path} />
    </svg>
  );
}

function SaveLog() {
  const { runId } = useRun();
  const [error, setError] = useState<unknown>(null);
  const save = async () => {
    try {
      saveContent(await askBlob({ path: runPath(runId, '/logs') }), `${runId}.log`);
      setError(null);
    } catch (problem) {
      setError(problem);
    }
  };
  return (
    <>
      <Button kind="quiet" onPress={() => void save()}>
        <Download aria-hidden size={16} />
        Download
      </Button>
      <CopyCommand command={`tutti logs ${runId}`} />
      {error !== null && <Problem error={error} />}
    </>
  );
}
