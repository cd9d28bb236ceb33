/** Did the run pass? If not, what failed first, and why? If it goes on, what runs, and what waits for what? */
import { Link } from '@tanstack/react-router';
import { Mark } from '../../parts/mark.tsx';
import { Guarded } from '../../parts/states.tsx';
import { Causes } from './causes.tsx';
import { Elapsed } from './elapsed.tsx';
import { FirstFailure } from './first-failure.tsx';
import { GateVerdict } from './gate-verdict.tsx';
import { JobList } from './job-list.tsx';
import { OutputLines } from './output-lines.tsx';
import { Part } from './part.tsx';
import { type FailurePart, type JobPart, type RunAt, useRun } from './run-context.ts';
import styles from './summary.module.css';
import { FailedTests } from './test-cases.tsx';
import { Waiting } from './waiting.tsx';

const FAILURES_SHOWN = 20;
const JOBS_SHOWN = 40;
const RUNNING_SHOWN = 20;

export function SummaryPage() {
  const run = useRun();
  const { doc } = run;
  const failures = causesOf(run);
  const [first, ...others] = failures;
  const running = doc.jobs.filter(({ status, jobs }) => status === 'RUNNING' && jobs === null);
  const waiting = doc.jobs.filter(({ status, jobs }) => status === 'WAITING' && jobs === null);
  const isOver = doc.run.ended !== null;
  const tests = doc.run.tests;
  return (
    <div className={styles.summary}>
      <Verdict run={run} />
      {first !== undefined && <FirstFailure failure={first} />}
      {!isOver && running.length > 0 && <Running jobs={running} />}
      {!isOver && waiting.length > 0 && <Waiting jobs={waiting} />}
      {others.length > 0 && <OtherFailures failures={others} total={doc.failures_total - 1} />}
      {tests !== null && tests.failure + tests.error > 1 && isOver && !run.isPast && <Causes />}
      {tests !== null && tests.failure + tests.error > 0 && !run.isPast && (
        <Part title="Failed tests">
          <FailedTests />
        </Part>
      )}
      {isOver && !run.isPast && (
        <Guarded>
          <GateVerdict />
        </Guarded>
      )}
      <Part title="Jobs">
        <JobList jobs={doc.jobs} rowsMax={JOBS_SHOWN} />
      </Part>
    </div>
  );
}

/** Steps that were stopped with the run explain nothing, as long as something else does. */
function causesOf({ doc: { failures } }: RunAt): readonly FailurePart[] {
  const causes = failures.filter(({ is_stopped: isStopped }) => !isStopped);
  return causes.length === 0 ? failures : causes;
}

/** The answer in one sentence. */
function Verdict({ run }: { readonly run: RunAt }) {
  const { run: facts, failures_total: failures } = run.doc;
  const { jobs, tests } = facts;
  const parts = [
    `${jobs.succeeded} of ${jobs.total} ${jobs.total === 1 ? 'job' : 'jobs'} succeeded`,
    ...(jobs.failed > 0 ? [`${jobs.failed} failed`] : []),
    ...(jobs.running > 0 ? [`${jobs.running} running`] : []),
    ...(jobs.waiting > 0 ? [`${jobs.waiting} waiting`] : []),
    ...(jobs.skipped > 0 ? [`${jobs.skipped} skipped`] : []),
    ...(jobs.canceled > 0 ? [`${jobs.canceled} canceled`] : []),
  ];
  const all = tests === null ? 0 : tests.success + tests.failure + tests.error + tests.skipped;
  const failed = tests === null ? 0 : tests.failure + tests.error;
  const cases =
    all === 0
      ? ''
      : ` ${all} test ${all === 1 ? 'case' : 'cases'}${failed > 0 ? `, ${failed} failed` : ' '}.`;
  const by = facts.canceled_by === null ? '' : ` Canceled by ${facts.canceled_by}.`;
  const reason = facts.reason === null || failures > 0 ? '' : ` ${facts.reason}`;
  return (
    <p className={styles.verdict}>
      {parts.join(', ')}.{cases.replace(/ \.$/, ', all passed or skipped.')}
      {by}
      {reason}
    </p>
  );
}

function OtherFailures({
  failures,
  total,
}: {
  readonly failures: readonly FailurePart[];
  readonly total: number;
}) {
  const { runId, kept } = useRun();
  const shown = failures.slice(0, FAILURES_SHOWN);
  return (
    <Part title="Failed after it">
      <ul className={styles.failures}>
        {shown.map(({ job, place, message, at, step }) => (
          <li key={`${job} ${step} ${at} ${message}`}>
            <Mark state="failure" hasWord={false} />
            <span>
              {job === null ? (
                <bdi>{place}</bdi>
              ) : (
                <Link to="/runs/$runId/jobs" params={{ runId }} search={{ ...kept, job }}>
                  <bdi>{place === '' ? job : place}</bdi>
                </Link>
              )}{' '}
              {message}
            </span>
          </li>
        ))}
      </ul>
      {total > shown.length && <p>{total - shown.length} more</p>}
    </Part>
  );
}

function Running({ jobs }: { readonly jobs: readonly JobPart[] }) {
  const { runId, kept } = useRun();
  return (
    <Part title="Running">
      <ul className={styles.running}>
        {jobs.slice(0, RUNNING_SHOWN).map((job) => (
          <li key={job.key}>
            <Mark state="running" hasWord={false} />
            <div>
              <p>
                <Link to="/runs/$runId/jobs" params={{ runId }} search={{ ...kept, job: job.key }}>
                  <bdi>{job.name}</bdi>
                </Link>
                {job.step !== null && (
                  <>
                    {' ▸ '}
                    <bdi>{job.step.label}</bdi>
                  </>
                )}{' '}
                <Elapsed since={job.started} />
              </p>
              {job.last_line !== null && <OutputLines lines={[job.last_line]} />}
            </div>
          </li>
        ))}
      </ul>
      {jobs.length > RUNNING_SHOWN && <p>{jobs.length - RUNNING_SHOWN} more</p>}
    </Part>
  );
}
