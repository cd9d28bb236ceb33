/** Runs: which one is mine, and how did it go? */
import { useQueries } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { Play } from 'lucide-react';
import { useCallback, useEffect, useMemo, useState } from 'react';
import { holdRuns, useWaitingRuns, useWaitingShown } from '../../data/lists.ts';
import { PAGE_ROWS, type RunSearch, type RunSummary, runsQuery } from '../../data/runs.ts';
import { allows, useSession } from '../../data/session.ts';
import { listOf, useShownPages } from '../../data/shown-pages.ts';
import { PageHead } from '../../parts/band.tsx';
import { Button, buttonClass } from '../../parts/button.tsx';
import { Grid } from '../../parts/grid.tsx';
import { Empty, Placeholder, Problem } from '../../parts/states.tsx';
import { BulkActions } from './bulk-actions.tsx';
import { runColumns } from './columns.tsx';
import { Filters } from './filters.tsx';
import styles from './runs.module.css';

/** Further down, nothing moves by itself. */
const TOP_PX = 120;

const route = getRouteApi('/signed-in/runs');

export function RunsPage() {
  const search = route.useSearch();
  const navigate = useNavigate();
  const session = useSession();
  const { numbers, onRange } = useShownPages(PAGE_ROWS);
  const pages = useQueries({ queries: numbers.map((page) => runsQuery(search, page)) });
  const list = listOf(pages, numbers, PAGE_ROWS);
  const [chosen, setChosen] = useState<ReadonlyMap<string, RunSummary>>(new Map());
  const toggle = useCallback(
    (row: RunSummary) =>
      setChosen((before) => {
        const next = new Map(before);
        if (!next.delete(row.workflow_id)) next.set(row.workflow_id, row);
        return next;
      }),
    [],
  );
  const columns = useMemo(() => runColumns({ chosen, onToggle: toggle }), [chosen, toggle]);
  const change = (next: RunSearch) =>
    void navigate({ to: '/runs', search: next, replace: true, resetScroll: false });
  const { sort = '-started' } = search;
  return (
    <>
      <PageHead title="Runs">
        {allows(session, ['create', 'workflows']) && (
          <Link to="/start" className={buttonClass('main')}>
            <Play aria-hidden size={16} />
            Start a run
          </Link>
        )}
      </PageHead>
      <Filters search={search} onChange={change} />
      {chosen.size > 0 && (
        <BulkActions runs={[...chosen.values()]} onDone={() => setChosen(new Map())} />
      )}
      {list.error !== null && <Problem error={list.error} onAgain={list.again} />}
      {list.total === null && list.error === null && <Placeholder lines={8} />}
      {list.total === 0 && <NoRuns search={search} />}
      {list.total !== null && list.total > 0 && (
        <>
          <NewRuns />
          <p className={styles.total} aria-live="polite">
            {list.total} {list.total === 1 ? 'run' : 'runs'}
          </p>
          <div className={styles.table}>
            <Grid
              label="Runs"
              columns={columns}
              total={list.total}
              rowAt={list.rowAt}
              onRange={onRange}
              keyOf={({ workflow_id }) => workflow_id}
              onOpen={({ workflow_id }) =>
                void navigate({ to: '/runs/$runId', params: { runId: workflow_id } })
              }
              sort={{ by: sort, onSort: (by) => change({ ...search, sort: by }) }}
              selection={{ keys: new Set(chosen.keys()), onToggle: toggle }}
            />
          </div>
        </>
      )}
    </>
  );
}

/** Changes wait while somebody reads further down. */
function NewRuns() {
  const count = useWaitingRuns();
  const show = useWaitingShown();
  useEffect(() => {
    const look = () => {
      const isAtTop = window.scrollY < TOP_PX;
      holdRuns(!isAtTop);
      if (isAtTop) show();
    };
    look();
    addEventListener('scroll', look, { passive: true });
    return () => {
      removeEventListener('scroll', look);
      holdRuns(false);
    };
  }, [show]);
  if (count === 0) return null;
  return (
    <div className={styles.news}>
      <Button kind="main" onPress={() => scrollTo({ top: 0 })}>
        {count} new or changed
      </Button>
    </div>
  );
}

function NoRuns({ search }: { readonly search: RunSearch }) {
  const { sort: _, ...conditions } = search;
  if (Object.keys(conditions).length > 0)
    return (
      <Empty>
        No run fits these filters. <Link to="/runs">Show all runs</Link>
      </Empty>
    );
  return (
    <Empty>
      No run yet. <Link to="/start">Start one here</Link>, or with{' '}
      <code>tutti run workflow.yaml</code>.
    </Empty>
  );
}
