/** One workflow: is it getting better or worse? */

import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { cleanLine } from '@tutti/run-view/text';
import { Play } from 'lucide-react';
import { type RunSummary, runsQuery } from '../../data/runs.ts';
import { allows, useSession } from '../../data/session.ts';
import { Band, PageHead } from '../../parts/band.tsx';
import { buttonClass } from '../../parts/button.tsx';
import { FailureText } from '../../parts/failure-text.tsx';
import { Mark, markOfRun } from '../../parts/mark.tsx';
import { RunStrip } from '../../parts/run-strip.tsx';
import { Empty, Placeholder, Problem } from '../../parts/states.tsx';
import { Ago, Duration } from '../../parts/times.tsx';
import styles from './workflows.module.css';

const route = getRouteApi('/signed-in/workflows/$namespace/$name');
const LOOKED_AT = 100;
const CAUSES_SHOWN = 5;

export function WorkflowPage() {
  const { namespace, name } = route.useParams();
  const session = useSession();
  const { data, error, refetch } = useQuery(runsQuery({ namespace, name }, 0, LOOKED_AT));
  const [newest] = data?.items ?? [];
  return (
    <>
      <PageHead title={cleanLine(name)}>
        {newest !== undefined && allows(session, ['create', 'workflows'], namespace) && (
          <Link to="/start" search={{ from: newest.workflow_id }} className={buttonClass('main')}>
            <Play aria-hidden size={16} />
            Start again with changes
          </Link>
        )}
      </PageHead>
      {error !== null && data === undefined && (
        <Problem error={error} onAgain={() => void refetch()} />
      )}
      {data === undefined && error === null && <Placeholder lines={6} />}
      {data?.total === 0 && (
        <Empty>
          No run of this name is stored in namespace {namespace}. <Link to="/runs">All runs</Link>
        </Empty>
      )}
      {data !== undefined && data.items.length > 0 && <Trends runs={data.items} />}
    </>
  );
}

/** `runs` begin with the newest. */
function Trends({ runs }: { readonly runs: readonly RunSummary[] }) {
  const [newest] = runs;
  const ended = runs.filter(
    ({ status, canceled }) => !canceled && (status === 'DONE' || status === 'FAILED'),
  );
  const half = Math.ceil(ended.length / 2);
  return (
    <>
      <Band
        title={runs.length === 1 ? 'The last run' : `The last ${runs.length} runs`}
        more={
          newest !== undefined && (
            <Link to="/runs" search={{ name: newest.name, namespace: newest.namespace }}>
              As a list
            </Link>
          )
        }
      >
        <div className={styles.strip}>
          <RunStrip runs={runs.toReversed()} />
        </div>
      </Band>
      <Band title="Better or worse">
        <table className={styles.trend}>
          <thead>
            <tr>
              <th scope="col">Runs</th>
              <th scope="col">Failed</th>
              <th scope="col">Median duration</th>
              <th scope="col">95 % end within</th>
            </tr>
          </thead>
          <tbody>
            <TrendRow title={`Newest ${half}`} runs={ended.slice(0, half)} />
            {ended.length > 1 && (
              <TrendRow title={`The ${ended.length - half} before`} runs={ended.slice(half)} />
            )}
          </tbody>
        </table>
      </Band>
      <Causes runs={ended} />
    </>
  );
}

function TrendRow({
  title,
  runs,
}: {
  readonly title: string;
  readonly runs: readonly RunSummary[];
}) {
  const failed = runs.filter(({ status }) => status === 'FAILED').length;
  const times = runs.flatMap(({ duration }) => duration ?? []).toSorted((a, b) => a - b);
  const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))];
  return (
    <tr>
      <th scope="row">{title}</th>
      <td>
        {failed} of {runs.length}
      </td>
      {[at(0.5), at(0.95)].map((ms, index) => (
        <td key={index === 0 ? 'p50' : 'p95'}>
          {ms === undefined ? 'none' : <Duration ms={ms} />}
        </td>
      ))}
    </tr>
  );
}

/** The most frequent first failures. */
function Causes({ runs }: { readonly runs: readonly RunSummary[] }) {
  const failed = runs.filter(({ first_failure }) => first_failure !== null);
  const groups = [
    ...Map.groupBy(failed, ({ first_failure: failure }) => causeKey(failure)).values(),
  ].toSorted((one, other) => other.length - one.length);
  if (groups.length === 0) return null;
  return (
    <Band title="Most frequent first failures" count={groups.length}>
      <ul className={styles.rows}>
        {groups.slice(0, CAUSES_SHOWN).map(([newest, ...others]) =>
          newest === undefined ? null : (
            <li key={newest.workflow_id} className={styles.cause}>
              <Mark
                state={markOfRun('FAILED', false)}
                word={`${others.length + 1} ${others.length === 0 ? 'run' : 'runs'}`}
              />
              <FailureText failure={newest.first_failure} />
              <Link to="/runs/$runId" params={{ runId: newest.workflow_id }}>
                newest <Ago at={newest.created} />
              </Link>
            </li>
          ),
        )}
      </ul>
    </Band>
  );
}

const causeKey = (failure: RunSummary['first_failure']): string =>
  JSON.stringify([failure?.job, failure?.step, failure?.message]);
