/** One job: its state, why it waited, its environment, needs, steps, outputs and files. */
import { getRouteApi, Link } from '@tanstack/react-router';
import { parseTimestamp } from '@tutti/manifests';
import { formatDuration } from '@tutti/run-view/text';
import { X } from 'lucide-react';
import { JobsBar } from '../../parts/bar.tsx';
import { Button } from '../../parts/button.tsx';
import { Mark } from '../../parts/mark.tsx';
import { WaitReason } from '../../parts/run-link.tsx';
import { Empty } from '../../parts/states.tsx';
import { Moment } from '../../parts/times.tsx';
import { useAddress } from './address.ts';
import { Elapsed } from './elapsed.tsx';
import { FileLinks } from './file-view.tsx';
import styles from './job-drawer.module.css';
import { JobTime } from './job-time.tsx';
import { OutputLines } from './output-lines.tsx';
import { type JobPart, markOfJob, type StepPart, useRun, waitOf } from './run-context.ts';
import { Help } from './waiting.tsx';

const jobsRoute = getRouteApi('/signed-in/runs/$runId/jobs');

export function JobDrawer({ jobKey }: { readonly jobKey: string }) {
  const { doc } = useRun();
  const setAddress = useAddress();
  const job = doc.jobs.find(({ key }) => key === jobKey);
  return (
    <aside className={styles.drawer} aria-label="Job">
      <div className={styles.head}>
        <h2>
          <bdi>{job?.name ?? jobKey}</bdi>
        </h2>
        <Button
          kind="quiet"
          data-press="Escape"
          aria-label="Close the job"
          onPress={() => void setAddress({ job: undefined, step: undefined })}
        >
          <X aria-hidden size={16} />
        </Button>
      </div>
      {job === undefined ? (
        <Empty>The run has no such job at this moment.</Empty>
      ) : (
        <JobContent job={job} />
      )}
    </aside>
  );
}

function JobContent({ job }: { readonly job: JobPart }) {
  const { runId, kept, doc } = useRun();
  const { key } = job;
  return (
    <>
      <p className={styles.state}>
        <Mark
          state={markOfJob(job.status)}
          {...(job.is_forgiven ? { word: 'failed, which its workflow allows' } : {})}
        />
        <JobTime job={job} />
        {job.jobs === null && job.started !== null && (
          <Link to="/runs/$runId/log" params={{ runId }} search={{ ...kept, job: key }}>
            Open its log
          </Link>
        )}
      </p>
      {job.why !== null && <p>{job.why}</p>}
      {job.jobs !== null && <JobsBar jobs={job.jobs} />}
      <Failures jobKey={key} />
      {job.status === 'WAITING' && job.requested === null && <p>{waitOf(job)}</p>}
      {job.status === 'WAITING' && <Help jobKey={key} />}
      <Waits jobKey={key} />
      <Steps jobKey={key} />
      <Facts job={job} />
      <FileLinks files={doc.files.filter((file) => file.job === key)} />
    </>
  );
}

function Failures({ jobKey }: { readonly jobKey: string }) {
  const { doc } = useRun();
  const failures = doc.failures.filter(({ job }) => job === jobKey).slice(0, 3);
  return failures.map(({ message, lines, step, at }) => (
    <div key={`${step} ${at} ${message}`} className={styles.failure}>
      <p>{message}</p>
      {lines.length > 0 && <OutputLines lines={lines.slice(-10)} />}
    </div>
  ));
}

/** Less is not worth a word. */
const SHORT_WAIT_MS = 100;

/** The whole story of its waiting, each reason with its time. */
function Waits({ jobKey }: { readonly jobKey: string }) {
  const { doc } = useRun();
  const waits = doc.waits.filter(({ job }) => job === jobKey);
  const spans = waits.map(({ since, until, text, reason }) => {
    const from = parseTimestamp(since ?? '') ?? 0;
    const to = parseTimestamp(until ?? '');
    return { from, ms: to === null ? null : to - from, since, text, reason };
  });
  const total = spans.reduce((sum, { ms }) => sum + (ms ?? 0), 0);
  if (spans.at(-1)?.ms !== null && total < SHORT_WAIT_MS) return null;
  return (
    <section aria-label="Waiting">
      <h3>{spans.at(-1)?.ms === null ? 'Waits' : `Waited ${formatDuration(total)}`}</h3>
      <ul className={styles.waits}>
        {spans.map(({ from, ms, since, text, reason }) => (
          <li key={`${from} ${reason} ${text}`}>
            <span className={styles.span}>
              {ms === null ? <Elapsed since={since} /> : formatDuration(ms)}
            </span>
            <span>
              <WaitReason text={text.replace(/^waits: /, '')} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Steps({ jobKey }: { readonly jobKey: string }) {
  const { runId, kept, doc } = useRun();
  const steps = doc.steps.filter(({ job }) => job === jobKey);
  if (steps.length === 0) return null;
  return (
    <section aria-label="Steps">
      <h3>Steps</h3>
      <ol className={styles.steps}>
        {steps.map((step, at) => (
          // Steps of a job are only added.
          // biome-ignore lint/suspicious/noArrayIndexKey: ids of steps in hooks come again
          <li key={at} style={{ '--depth': step.origin.length }}>
            <Mark state={markOfJob(step.status)} hasWord={false} {...wordOf(step)} />
            <Link
              to="/runs/$runId/log"
              params={{ runId }}
              search={{ ...kept, job: jobKey, step: step.id }}
              className={styles.step ?? ''}
            >
              <bdi>{step.label}</bdi>
            </Link>
            {step.exit_code !== null && step.exit_code !== 0 && (
              <span>exit code {step.exit_code}</span>
            )}
            <StepTime step={step} />
          </li>
        ))}
      </ol>
    </section>
  );
}

const wordOf = ({ status }: StepPart): { readonly word?: string } =>
  status === 'FORGIVEN'
    ? { word: 'failed (allowed)' }
    : status === 'STOPPED'
      ? { word: 'stopped' }
      : {};

function StepTime({ step: { started, ended, status } }: { readonly step: StepPart }) {
  const from = parseTimestamp(started ?? '');
  const to = parseTimestamp(ended ?? '');
  if (status === 'SKIPPED' || from === null) return null;
  return (
    <span className={styles.time}>
      {to === null ? <Elapsed since={started} /> : formatDuration(to - from)}
    </span>
  );
}

function Facts({ job }: { readonly job: JobPart }) {
  const { runId, kept, doc, story } = useRun();
  const { view } = jobsRoute.useSearch();
  const shown = view === undefined ? {} : { view };
  const details = story?.jobs.get(job.key);
  const outputs = Object.entries(details?.outputs ?? {});
  const nameOf = (key: string) => doc.jobs.find((one) => one.key === key)?.name ?? key;
  return (
    <dl className={styles.facts}>
      {details?.environment != null && (
        <>
          <dt>Environment</dt>
          <dd>
            <bdi>{details.environment}</bdi>
          </dd>
        </>
      )}
      {details?.tags != null && (
        <>
          <dt>Asks for</dt>
          <dd>{details.tags.length === 0 ? 'any environment' : details.tags.join(', ')}</dd>
        </>
      )}
      {job.needs.length > 0 && (
        <>
          <dt>Needs</dt>
          <dd className={styles.needs}>
            {job.needs.map((need) => (
              <Link
                key={need}
                to="/runs/$runId/jobs"
                params={{ runId }}
                search={{ ...kept, ...shown, job: need }}
              >
                <bdi>{nameOf(need)}</bdi>
              </Link>
            ))}
          </dd>
        </>
      )}
      {job.started !== null && (
        <>
          <dt>Started</dt>
          <dd>
            <Moment at={job.started} />
          </dd>
        </>
      )}
      {outputs.map(([name, value]) => (
        <div key={name} className={styles.output}>
          <dt>Output {name}</dt>
          <dd>
            <code>{value}</code>
          </dd>
        </div>
      ))}
    </dl>
  );
}
