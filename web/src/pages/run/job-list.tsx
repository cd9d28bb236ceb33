/** The jobs of a run as a tree. A bundle can be folded, and shows counts of its jobs then. */
import { Link } from '@tanstack/react-router';
import { ChevronDown, ChevronRight } from 'lucide-react';
import { type KeyboardEvent, useRef, useState } from 'react';
import { JobsBar } from '../../parts/bar.tsx';
import { Mark } from '../../parts/mark.tsx';
import { Empty } from '../../parts/states.tsx';
import styles from './job-list.module.css';
import { JobTime } from './job-time.tsx';
import { type JobPart, markOfJob, useRun, waitOf } from './run-context.ts';

/** A bundle that succeeded with more jobs is folded until somebody opens it. */
const QUIET_MAX = 12;

interface JobListProps {
  readonly jobs: readonly JobPart[];
  readonly rowsMax?: number;
  readonly selected?: string | undefined;
}

export function JobList({ jobs, rowsMax = Number.POSITIVE_INFINITY, selected }: JobListProps) {
  const { runId, kept } = useRun();
  const { isOpen, setOpen } = useFolding(selected);
  const visible = visibleJobs(jobs, isOpen);
  const shown = visible.slice(0, rowsMax);
  const place = useRef<HTMLDivElement>(null);
  const [focused, setFocused] = useState<string | undefined>(undefined);
  const current = focused ?? selected ?? shown[0]?.key;
  const focus = (key: string) => {
    setFocused(key);
    place.current?.querySelector<HTMLElement>(`[data-key="${CSS.escape(key)}"]`)?.focus();
  };
  if (jobs.length === 0) return <Empty>No job is known yet.</Empty>;
  return (
    <div className={styles.frame}>
      <div
        ref={place}
        role="treegrid"
        aria-label="Jobs"
        className={styles.list}
        onKeyDown={pressIn({ shown, current, isOpen, setOpen, focus })}
      >
        {shown.map((job) => (
          <JobRow
            key={job.key}
            job={job}
            isSelected={job.key === selected}
            isCurrent={job.key === current}
            isOpen={isOpen(job)}
            onOpen={setOpen}
            onFocus={setFocused}
          />
        ))}
      </div>
      {visible.length > shown.length && (
        <p className={styles.more}>
          <Link to="/runs/$runId/jobs" params={{ runId }} search={kept}>
            All {jobs.length} jobs
          </Link>
        </p>
      )}
    </div>
  );
}

/** Which bundles are open: those that the reader opened, and those with something to see. */
function useFolding(selected: string | undefined) {
  const [choices, setChoices] = useState<ReadonlyMap<string, boolean>>(new Map());
  const isOpen = ({ key, status, jobs }: JobPart): boolean =>
    choices.get(key) ??
    (status !== 'SUCCEEDED' ||
      (jobs?.total ?? 0) <= QUIET_MAX ||
      selected?.startsWith(`${key}/`) === true);
  const setOpen = (key: string, isOpened: boolean) =>
    setChoices(new Map(choices).set(key, isOpened));
  return { isOpen, setOpen };
}

interface Walk {
  readonly shown: readonly JobPart[];
  readonly current: string | undefined;
  readonly isOpen: (job: JobPart) => boolean;
  readonly setOpen: (key: string, isOpened: boolean) => void;
  readonly focus: (key: string) => void;
}

/** Arrows move through the tree, and open and fold its bundles. */
function pressIn({ shown, current, isOpen, setOpen, focus }: Walk) {
  const at = shown.findIndex(({ key }) => key === current);
  const job = shown[at];
  const focusAt = (index: number) => {
    const target = shown[Math.max(0, Math.min(index, shown.length - 1))];
    if (target !== undefined) focus(target.key);
  };
  const isBundle = job !== undefined && job.jobs !== null;
  const open = () => {
    if (job === undefined || !isBundle) return;
    if (isOpen(job)) focusAt(at + 1);
    else setOpen(job.key, true);
  };
  const fold = () => {
    if (job !== undefined && isBundle && isOpen(job)) setOpen(job.key, false);
    else if (job !== undefined && job.parent !== null) focus(job.parent);
  };
  const actions = new Map<string, () => void>([
    ['ArrowDown', () => focusAt(at + 1)],
    ['j', () => focusAt(at + 1)],
    ['ArrowUp', () => focusAt(at - 1)],
    ['k', () => focusAt(at - 1)],
    ['Home', () => focusAt(0)],
    ['End', () => focusAt(shown.length - 1)],
    ['ArrowRight', open],
    ['ArrowLeft', fold],
  ]);
  return (event: KeyboardEvent) => {
    const action = actions.get(event.key);
    if (action === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    action();
    event.preventDefault();
    event.stopPropagation();
  };
}

interface JobRowProps {
  readonly job: JobPart;
  readonly isSelected: boolean;
  /** The row that the key for the next field reaches. */
  readonly isCurrent: boolean;
  readonly isOpen: boolean;
  readonly onOpen: (key: string, isOpened: boolean) => void;
  readonly onFocus: (key: string) => void;
}

function JobRow({ job, isSelected, isCurrent, isOpen, onOpen, onFocus }: JobRowProps) {
  const { runId, kept } = useRun();
  const depth = job.key.split('/').length;
  return (
    <div
      role="row"
      aria-level={depth}
      aria-selected={isSelected}
      {...(job.jobs === null ? {} : { 'aria-expanded': isOpen })}
      className={styles.row}
      style={{ '--depth': depth - 1 }}
    >
      <div role="gridcell" className={styles.name}>
        <FoldButton job={job} isOpen={isOpen} onOpen={onOpen} />
        <Mark
          state={markOfJob(job.status)}
          hasWord={false}
          {...(job.is_forgiven ? { word: 'failed (allowed)' } : {})}
        />
        <Link
          to="/runs/$runId/jobs"
          params={{ runId }}
          search={{ ...kept, job: job.key }}
          data-key={job.key}
          tabIndex={isCurrent ? 0 : -1}
          onFocus={() => onFocus(job.key)}
          resetScroll={false}
        >
          <bdi>{shortName(job)}</bdi>
        </Link>
      </div>
      <div role="gridcell" className={styles.what}>
        <Work job={job} />
      </div>
      <div role="gridcell" className={styles.time}>
        <JobTime job={job} />
      </div>
    </div>
  );
}

type FoldButtonProps = Pick<JobRowProps, 'job' | 'isOpen' | 'onOpen'>;

function FoldButton({ job: { key, name, jobs }, isOpen, onOpen }: FoldButtonProps) {
  if (jobs === null) return <span className={styles.fold} />;
  const Sign = isOpen ? ChevronDown : ChevronRight;
  return (
    <button
      type="button"
      tabIndex={-1}
      className={styles.fold}
      aria-label={`${isOpen ? 'Fold' : 'Open'} ${name}`}
      onClick={() => onOpen(key, !isOpen)}
    >
      <Sign aria-hidden size={16} />
    </button>
  );
}

/** The name without those of the bundles around it. */
export const shortName = ({ name, parent }: JobPart): string =>
  parent === null ? name : (name.split('/').at(-1) ?? name);

function visibleJobs(
  jobs: readonly JobPart[],
  isOpen: (job: JobPart) => boolean,
): readonly JobPart[] {
  const folded = new Set<string>();
  return jobs.filter((job) => {
    const isHidden = job.parent !== null && folded.has(job.parent);
    if (isHidden || (job.jobs !== null && !isOpen(job))) folded.add(job.key);
    return !isHidden;
  });
}

/** The work of a job, or the reason why it does nothing. */
function Work({ job }: { readonly job: JobPart }) {
  const { tests } = job;
  if (job.jobs !== null) return <JobsBar jobs={job.jobs} />;
  if (job.status === 'WAITING') return <span>{waitOf(job)}</span>;
  if (job.step !== null) return <bdi>{job.step.label}</bdi>;
  if (job.status === 'SKIPPED') return <span>skipped</span>;
  if (job.why !== null) return <span>{job.why}</span>;
  const count = tests === null ? 0 : tests.success + tests.failure + tests.error + tests.skipped;
  if (tests === null || count === 0) return null;
  const failed = tests.failure + tests.error;
  return (
    <span>
      {count} tests{failed > 0 && <strong className={styles.failed}>, {failed} failed</strong>}
    </span>
  );
}
