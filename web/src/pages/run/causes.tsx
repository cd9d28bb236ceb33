/** Failed test cases by what made them fail, where several failures look alike. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { parseTimestamp } from '@tutti/manifests';
import { type RunCause, runCausesQuery } from '../../data/causes.ts';
import { PathLink, pathOfCause } from '../../parts/path-link.tsx';
import { Problem } from '../../parts/states.tsx';
import { Ago } from '../../parts/times.tsx';
import styles from './causes.module.css';
import { Part } from './part.tsx';
import { useRun } from './run-context.ts';

const SHOWN = 10;

/** Nothing where each failure has a cause of its own. */
export function Causes() {
  const { runId, doc } = useRun();
  const { ended } = doc.run;
  const { data, error, refetch } = useQuery(
    runCausesQuery(runId, ended === null ? null : parseTimestamp(ended)),
  );
  if (error !== null) return <Problem error={error} onAgain={() => void refetch()} />;
  if (data === undefined || data.items.length >= data.failures) return null;
  const { items, failures } = data;
  return (
    <Part title="Causes">
      <p>
        {failures} failures have {items.length === 1 ? 'one cause' : `${items.length} causes`}.
      </p>
      <ul className={styles.causes}>
        {items.slice(0, SHOWN).map((cause) => (
          <li key={cause.id}>
            <span className={styles.count}>{cause.failures} ×</span>
            <div>
              <p className={styles.title}>
                <bdi>{cause.title}</bdi>
              </p>
              <First cause={cause} />
              <Known cause={cause} />
            </div>
          </li>
        ))}
      </ul>
      {items.length > SHOWN && <p>{items.length - SHOWN} more</p>}
    </Part>
  );
}

function First({ cause: { tests, failures } }: { readonly cause: RunCause }) {
  const { runId, kept } = useRun();
  const [test] = tests;
  if (test === undefined) return null;
  return (
    <p>
      <Link
        to="/runs/$runId/tests"
        params={{ runId }}
        search={{ ...kept, outcome: 'failure', test: test.id }}
      >
        <bdi>
          {test.suite}#{test.name}
        </bdi>
      </Link>
      {failures > 1 && ` and ${failures - 1} more`}
    </p>
  );
}

/** Nothing before the run is in the history. */
function Known({ cause: { known } }: { readonly cause: RunCause }) {
  if (known === null) return null;
  return (
    <p className={styles.known}>
      <PathLink path={pathOfCause(known.cause_id)}>
        {known.isNew ? (
          'new in this run'
        ) : (
          <>
            known since <Ago at={known.since.at} />
          </>
        )}
      </PathLink>
    </p>
  );
}
