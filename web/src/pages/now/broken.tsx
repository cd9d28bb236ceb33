/** Workflows whose newest run failed. */

import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { cleanLine } from '@tutti/run-view/text';
import { type RunSummary, runsQuery } from '../../data/runs.ts';
import { Band, EmptyBand } from '../../parts/band.tsx';
import { FailureText } from '../../parts/failure-text.tsx';
import { Mark } from '../../parts/mark.tsx';
import { Placeholder, Problem } from '../../parts/states.tsx';
import { Ago } from '../../parts/times.tsx';
import styles from './now.module.css';

/** The runs that are looked at. A workflow that ran before all of them is not shown. */
const LOOKED_AT = 200;
const SHOWN = 8;

export function Broken() {
  const { data, error, refetch } = useQuery(runsQuery({}, 0, LOOKED_AT));
  if (error !== null && data === undefined)
    return <Problem error={error} onAgain={() => void refetch()} />;
  if (data === undefined) return <Placeholder lines={4} />;
  const broken = brokenIn(data.items);
  if (broken.length === 0)
    return (
      <EmptyBand title="Broken now">Nothing: the newest run of each workflow passed.</EmptyBand>
    );
  return (
    <Band
      title="Broken now"
      count={broken.length}
      more={
        <Link to="/runs" search={{ status: 'FAILED' }}>
          All failed runs
        </Link>
      }
    >
      <ul className={styles.rows}>
        {broken.slice(0, SHOWN).map(({ newest, since }) => (
          <li key={newest.workflow_id} className={styles.broken}>
            <Mark state="failure" hasWord={false} />
            <div className={styles.main}>
              <Link
                to="/runs/$runId"
                params={{ runId: newest.workflow_id }}
                className={styles.title}
              >
                {cleanLine(newest.name)}
              </Link>
              <FailureText failure={newest.first_failure} />
            </div>
            <div className={styles.side}>
              <Ago at={newest.created} />
              {since.workflow_id === newest.workflow_id ? (
                <span>new failure</span>
              ) : (
                <Link to="/runs/$runId" params={{ runId: since.workflow_id }}>
                  since <Ago at={since.created} />
                </Link>
              )}
            </div>
          </li>
        ))}
      </ul>
      {broken.length > SHOWN && (
        <p className={styles.rest}>
          <Link to="/runs" search={{ status: 'FAILED' }}>
            and {broken.length - SHOWN} more
          </Link>
        </p>
      )}
    </Band>
  );
}

interface BrokenWorkflow {
  readonly newest: RunSummary;
  /** The first of the failed runs since the last one that passed, as far as they are known. */
  readonly since: RunSummary;
}

/** `runs` begin with the newest. Runs that go on, and those that somebody canceled, say nothing. */
function brokenIn(runs: readonly RunSummary[]): readonly BrokenWorkflow[] {
  const ended = runs.filter(
    ({ status, canceled }) => !canceled && (status === 'DONE' || status === 'FAILED'),
  );
  const byName = Map.groupBy(ended, ({ namespace, name }) => `${namespace}/${name}`);
  return [...byName.values()].flatMap((own) => {
    const passed = own.findIndex(({ status }) => status === 'DONE');
    const failed = own.slice(0, passed === -1 ? undefined : passed);
    const [newest, since] = [failed[0], failed.at(-1)];
    return newest === undefined || since === undefined ? [] : [{ newest, since }];
  });
}
