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
  const [choices, setChoices] = useState<ReadonlyMap<string, boolean>>(new Map());
  const isOpen = (job: JobPart) =>
    choices.get(job.key) ??
    (job.status !== 'SUCCEEDED' ||
      (job.jobs?.total ?? 0) <= QUIET_MAX ||
      selected?.startsWith(`${job.key}/`) === true);
  const visible = visibleJobs(jobs, isOpen);
  const shown = visible.slice(0, rowsMax);
  const place = useRef<HTMLDivElement>(null);
  const [focused, setFocused] = useState<string | undefined>(undefined);
  const current = focused ?? selected ?? shown[0]?.key;
  const set = (key: string, isOpened: boolean) => setChoices(new Map(choices).set(key, isOpened));
  const press = (event: KeyboardEvent) => {
    const at = shown.findIndex(({ key }) => key === current);
    const job = shown[at];
    if (job === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    const parentKey = job.parent;
    const focus = (index: number) => {
      const key = shown[Math.max(0, Math.min(index, shown.length - 1))]?.key;
      if (key === undefined) return;
      setFocused(key);
      place.current?.querySelector<HTMLElement>(`[data-key="${CSS.escape(key)}"]`)?.focus();
    };
    switch (event.key) {
      case 'ArrowDown':
      case 'j':
        focus(at + 1);
        break;
      case 'ArrowUp':
      case 'k':
        focus(at - 1);
        break;
      case 'Home':
        focus(0);
        break;
      case 'End':
        focus(shown.length - 1);
        break;
      case 'ArrowRight':
        if (job.jobs === null) return;
        if (isOpen(job)) focus(at + 1);
        else set(job.key, true);
        break;
      case 'ArrowLeft':
        if (job.jobs !== null && isOpen(job)) set(job.key, false);
        else if (parentKey !== null) focus(shown.findIndex(({ key }) => key === parentKey));
        break;
      case ' ':
        if (job.jobs === null) return;
        set(job.key, !isOpen(job));
        break;
      default:
        return;
    }
    event.preventDefault();
    event.stopPropagation();
  };
  if (jobs.length === 0) return <Empty>No job is known yet.</Empty>;
  return (
    <div className={styles.frame}>
      <div ref={place} role="treegrid" aria-label="Jobs" className={styles.list} onKeyDown={press}>
        {shown.map((job) => {
          const depth = job.key.split('/').length;
          return (
            <div
              key={job.key}
              role="row"
              aria-level={depth}
              aria-selected={job.key === selected}
              {...(job.jobs === null ? {} : { 'aria-expanded': isOpen(job) })}
              className={styles.row}
              style={{ '--depth': depth - 1 }}
            >
              <div role="gridcell" className={styles.name}>
                {job.jobs === null ? (
                  <span className={styles.fold} />
                ) : (
                  <button
                    type="button"
                    tabIndex={-1}
                    className={styles.fold}
                    aria-label={`${isOpen(job) ? 'Fold' : 'Open'} ${job.name}`}
                    onClick={() => set(job.key, !isOpen(job))}
                  >
                    {isOpen(job) ? (
                      <ChevronDown aria-hidden size={16} />
                    ) : (
                      <ChevronRight aria-hidden size={16} />
                    )}
                  </button>
                )}
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
                  tabIndex={job.key === current ? 0 : -1}
                  onFocus={() => setFocused(job.key)}
                  resetScroll={false}
                  replace={selected !== undefined}
                >
                  <bdi>{shortName(job)}</bdi>
                </Link>
              </div>
              <div role="gridcell" className={styles.what}>
                <What job={job} />
              </div>
              <div role="gridcell" className={styles.time}>
                <JobTime job={job} />
              </div>
            </div>
          );
        })}
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

/** What a job does, or why it does nothing. */
function What({ job }: { readonly job: JobPart }) {
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
