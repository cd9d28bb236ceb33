/** The first screen of a failed run: what failed first, where, its lines, its picture and its report. */
import { Link } from '@tanstack/react-router';
import { failureMessage, failurePlace, pictureOf } from '@tutti/run-view/failure';
import type { TestCaseItem } from '../../data/test-cases.ts';
import { Mark } from '../../parts/mark.tsx';
import { kindOf } from './file-kinds.ts';
import { Picture } from './file-view.tsx';
import { OpenReport } from './open-report.tsx';
import { OutputLines } from './output-lines.tsx';
import { type FailurePart, type FilePart, useRun } from './run-context.ts';
import styles from './summary.module.css';
import { failureOf, Quarantined, useTestCases } from './test-cases.tsx';

const LINES_SHOWN = 10;

export function FirstFailure({ failure }: { readonly failure: FailurePart }) {
  const { runId, kept, doc, isPast } = useRun();
  const { place, message, job, step, lines } = failure;
  const name = doc.jobs.find(({ key }) => key === job)?.name;
  const found = useTestCases(
    { outcome: 'failure', job: name, perPage: 1 },
    !isPast && name !== undefined,
  );
  const [test] = found.items;
  const files = doc.files.filter((file) => file.job === job);
  const picture = pictureOf(files.filter(isPicture), test === undefined ? null : aboutOf(test));
  const report = files.findLast((file) => kindOf(file) === 'report');
  return (
    <section className={styles.first} aria-labelledby="first-failure">
      <h2 id="first-failure">
        <Mark state="failure" hasWord={false} />
        {place === '' ? 'The run failed' : 'Failed first'}
      </h2>
      <div className={styles.evidence} data-pictured={picture !== undefined || undefined}>
        <div>
          <p>
            <Place failure={failure} /> <span className={styles.message}>{message}</span>
          </p>
          {test !== undefined && <FailedTest test={test} />}
          {lines.length > 0 && <OutputLines lines={lines.slice(-LINES_SHOWN)} />}
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
          {report !== undefined && <OpenReport key={report.id} file={report} />}
        </div>
        {picture !== undefined && <Picture key={picture.id} file={picture} />}
      </div>
    </section>
  );
}

function Place({ failure: { place, job } }: { readonly failure: FailurePart }) {
  const { runId, kept } = useRun();
  if (place === '') return null;
  return (
    <strong>
      {job === null ? (
        <bdi>{place}</bdi>
      ) : (
        <Link to="/runs/$runId/jobs" params={{ runId }} search={{ ...kept, job }}>
          <bdi>{place}</bdi>
        </Link>
      )}
    </strong>
  );
}

/** The first failed test of the job: its name, its place in the sources, and what was wrong. */
function FailedTest({ test }: { readonly test: TestCaseItem }) {
  const { runId, kept } = useRun();
  const details = failureOf(test);
  const place = failurePlace(details);
  return (
    <section className={styles.test} aria-label="Failed test">
      <p>
        <Link
          to="/runs/$runId/tests"
          params={{ runId }}
          search={{ ...kept, test: test.metadata.id }}
          className={styles.name ?? ''}
        >
          <bdi>{test.metadata.name}</bdi>
        </Link>
        {place !== null && (
          <>
            {' at '}
            <code className={styles.source}>
              <bdi>{place}</bdi>
            </code>
          </>
        )}{' '}
        <Quarantined test={test.test} />
      </p>
      <pre className={styles.message}>{failureMessage(details).join('\n')}</pre>
    </section>
  );
}

const aboutOf = (item: TestCaseItem) => {
  const { message = '', text = '' } = failureOf(item);
  return {
    suite: item.test.suiteName,
    name: item.test.testCaseName,
    text: `${message}\n${text}`,
  };
};

const isPicture = (file: FilePart): boolean =>
  kindOf(file) === 'picture' || /^image\/(png|jpeg|gif|webp)/.test(file.type ?? '');
