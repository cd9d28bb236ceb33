/** Did the run pass? If not, what failed first, and why? If it goes on, what runs, and what waits for what? */
import { Link } from '@tanstack/react-router';
import { Mark } from '../../parts/mark.tsx';
import { Guarded } from '../../parts/states.tsx';
import { Elapsed } from './elapsed.tsx';
import { Picture } from './file-view.tsx';
import { GateVerdict } from './gate-verdict.tsx';
import { JobList } from './job-list.tsx';
import { OutputLines } from './output-lines.tsx';
import { Part } from './part.tsx';
import { type FailurePart, type JobPart, type RunAt, useRun } from './run-context.ts';
import styles from './summary.module.css';
import { FailedTests, useTestCases } from './test-cases.tsx';
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
    `${jobs.succeeded} of ${jobs.total} jobs succeeded`,
    ...(jobs.failed > 0 ? [`${jobs.failed} failed`] : []),
    ...(jobs.running > 0 ? [`${jobs.running} running`] : []),
    ...(jobs.waiting > 0 ? [`${jobs.waiting} waiting`] : []),
    ...(jobs.skipped > 0 ? [`${jobs.skipped} skipped`] : []),
    ...(jobs.canceled > 0 ? [`${jobs.canceled} canceled`] : []),
  ];
  const all = tests === null ? 0 : tests.success + tests.failure + tests.error + tests.skipped;
  const failed = tests === null ? 0 : tests.failure + tests.error;
  const cases = all === 0 ? '' : ` ${all} test cases${failed > 0 ? `, ${failed} failed` : ' '}.`;
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

/** The first screen of a failed run: what failed first, where, its lines and its picture. */
function FirstFailure({ failure }: { readonly failure: FailurePart }) {
  const { runId, kept, doc, isPast } = useRun();
  const { place, message, job, step, lines } = failure;
  const found = useTestCases(
    { outcome: 'failure', job: nameOf(doc.jobs, job), perPage: 1 },
    !isPast,
  );
  const [test] = found.items;
  const picture =
    doc.files.find(
      ({ job: own, step: at, type }) => own === job && at === step && isPicture(type),
    ) ?? doc.files.find(({ job: own, type }) => own === job && isPicture(type));
  return (
    <section className={styles.first} aria-labelledby="first-failure">
      <h2 id="first-failure">
        <Mark state="failure" hasWord={false} />
        {place === '' ? 'The run failed' : 'Failed first'}
      </h2>
      <div className={styles.evidence} data-pictured={picture !== undefined || undefined}>
        <div>
          {place !== '' && (
            <p className={styles.place}>
              {job === null ? (
                <bdi>{place}</bdi>
              ) : (
                <Link to="/runs/$runId/jobs" params={{ runId }} search={{ ...kept, job }}>
                  <bdi>{place}</bdi>
                </Link>
              )}
            </p>
          )}
          <p className={styles.message}>{message}</p>
          {test !== undefined && (
            <div className={styles.test}>
              <p className={styles.place}>
                <Link
                  to="/runs/$runId/tests"
                  params={{ runId }}
                  search={{ ...kept, test: test.metadata.id }}
                >
                  <bdi>{test.metadata.name}</bdi>
                </Link>
              </p>
              <pre className={styles.message}>{failureText(test)}</pre>
            </div>
          )}
          {lines.length > 0 && <OutputLines lines={lines.slice(-10)} />}
          {job !== null && (
            <p>
              <Link
                to="/runs/$runId/log"
                params={{ runId }}
                search={{ ...kept, job, ...(step === null ? {} : { step }) }}
              >
                Open its log
              </Link>
            </p>
          )}
        </div>
        {picture !== undefined && <Picture file={picture} />}
      </div>
    </section>
  );
}

function failureText({
  execution,
}: Parameters<typeof import('./test-cases.tsx').messageOf>[0]): string {
  const { message = '', text = '' } = execution?.failureDetails ?? execution?.errorDetails ?? {};
  const lines = text.split('\n').slice(0, 6).join('\n');
  return message === '' || lines.includes(message) ? lines : `${message}\n${lines}`.trim();
}

const nameOf = (jobs: readonly JobPart[], key: string | null): string | undefined =>
  jobs.find((job) => job.key === key)?.name;

const isPicture = (type: string | null): boolean => /^image\/(png|jpeg|gif|webp)/.test(type ?? '');

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
