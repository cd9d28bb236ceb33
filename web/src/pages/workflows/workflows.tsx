/** Workflows: each name of the newest runs, with how they went. */

import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { cleanLine } from '@tutti/run-view/text';
import { type RunSummary, runsQuery } from '../../data/runs.ts';
import { Band, PageHead } from '../../parts/band.tsx';
import { Mark, markOfRun } from '../../parts/mark.tsx';
import { RunStrip } from '../../parts/run-strip.tsx';
import { Empty, Placeholder, Problem } from '../../parts/states.tsx';
import { Ago } from '../../parts/times.tsx';
import styles from './workflows.module.css';

/** Workflows that ran before all of these are not listed. */
const LOOKED_AT = 1_000;
const STRIP = 12;

export function WorkflowsPage() {
  const { data, error, refetch } = useQuery(runsQuery({}, 0, LOOKED_AT));
  const groups =
    data === undefined
      ? []
      : [...Map.groupBy(data.items, ({ namespace, name }) => `${namespace}/${name}`).values()];
  return (
    <>
      <PageHead title="Workflows" />
      {error !== null && data === undefined && (
        <Problem error={error} onAgain={() => void refetch()} />
      )}
      {data === undefined && error === null && <Placeholder lines={6} />}
      {data?.total === 0 && (
        <Empty>
          No workflow has run yet. <Link to="/start">Start one</Link>
        </Empty>
      )}
      {groups.length > 0 && (
        <Band
          title={
            data?.items.length === 1 ? 'Of the last run' : `Of the last ${data?.items.length} runs`
          }
          count={groups.length}
        >
          <ul className={styles.rows}>
            {groups.map((runs) => (
              <WorkflowRow key={`${runs[0]?.namespace}/${runs[0]?.name}`} runs={runs} />
            ))}
          </ul>
        </Band>
      )}
    </>
  );
}

/** `runs` begin with the newest. */
function WorkflowRow({ runs }: { readonly runs: readonly RunSummary[] }) {
  const [newest] = runs;
  if (newest === undefined) return null;
  const { namespace, name, status, canceled, created } = newest;
  return (
    <li className={styles.row}>
      <Mark state={markOfRun(status, canceled)} />
      <Link to="/workflows/$namespace/$name" params={{ namespace, name }} className={styles.title}>
        {cleanLine(name)}
      </Link>
      <span className={styles.muted}>{namespace}</span>
      <RunStrip runs={runs.slice(0, STRIP).toReversed()} />
      <span className={styles.when}>
        <Ago at={created} />
      </span>
    </li>
  );
}
