/** The frame of all pages of one run: its head, its moments and its tabs. */
import { getRouteApi, Link, Outlet, useLocation } from '@tanstack/react-router';
import { isOrchestratorError, parseTimestamp } from '@tutti/manifests';
import { Check, Copy } from 'lucide-react';
import { memo, useEffect, useRef } from 'react';
import { momentOf } from '../../data/run-view.ts';
import { useSecond } from '../../data/second.ts';
import { Button } from '../../parts/button.tsx';
import { Mark, markOfRun } from '../../parts/mark.tsx';
import { Guarded, Placeholder, Problem } from '../../parts/states.tsx';
import { Duration, Moment } from '../../parts/times.tsx';
import { useCopied } from '../../parts/use-copied.ts';
import { RunActions } from './actions.tsx';
import { LiveState } from './live-state.tsx';
import { Moments } from './moments.tsx';
import styles from './run.module.css';
import { type RunAt, RunContext, useRunAt } from './run-context.ts';
import { useRunKeys } from './run-keys.ts';
import { TABS } from './tabs.ts';

const runRoute = getRouteApi('/signed-in/runs/$runId');

export function RunPage() {
  const { runId } = runRoute.useParams();
  const { at: asked } = runRoute.useSearch();
  const { run, error, again } = useRunAt(runId, momentOf(asked));
  useTitle(run);
  if (run === null) {
    return error === null ? <Coming runId={runId} /> : <NoRun error={error} onAgain={again} />;
  }
  return (
    <RunContext value={run}>
      <Keys />
      <Head run={run} />
      {error !== null && <Problem error={error} onAgain={() => location.reload()} />}
      <ShownMoments />
      <RunTabs run={run} />
      <Guarded>
        <ShownPage />
      </Guarded>
    </RunContext>
  );
}

/** Parts that change with the run alone. An address that asks for another moment changes them once that is here. */
const ShownMoments = memo(Moments);
const ShownPage = memo(Outlet);

function useTitle(run: RunAt | null): void {
  const title = run === null ? 'Run' : `${run.doc.run.name}: ${wordOf(run)}`;
  useEffect(() => {
    document.title = `${title} · Tutti`;
  }, [title]);
}

const wordOf = ({ doc: { run } }: RunAt): string =>
  ({
    PENDING: 'waiting',
    RUNNING: 'running',
    DONE: 'passed',
    FAILED: 'failed',
    CANCELED: 'canceled',
  })[run.status];

/** For a run that is gone, what may have happened to it. */
function NoRun({ error, onAgain }: { readonly error: unknown; readonly onAgain: () => void }) {
  const isGone = isOrchestratorError(error) && error.reason === 'NotFound';
  return (
    <>
      <h1>{isGone ? 'There is no such run' : 'This run cannot be shown now'}</h1>
      <Problem error={error} onAgain={onAgain} />
      {isGone && (
        <p>
          It was never here, it is of a namespace that you may not read, or it was removed: servers
          keep finished runs for a limited time. <Link to="/runs">Show all runs</Link>
        </p>
      )}
    </>
  );
}

const Head = memo(function Head({ run }: { readonly run: RunAt }) {
  const { doc } = run;
  const { name, namespace, status, started } = doc.run;
  return (
    <header className={styles.head}>
      <div className={styles.title}>
        <h1>
          <span className={styles.mark}>
            <Mark state={markOfRun(status, status === 'CANCELED')} />
          </span>
          <bdi>{name}</bdi>
        </h1>
        <RunActions />
      </div>
      <dl className={styles.facts}>
        <div>
          <dt>Run</dt>
          <dd>
            <RunId id={run.runId} />
          </dd>
        </div>
        <div>
          <dt>Namespace</dt>
          <dd>{namespace}</dd>
        </div>
        {started !== null && (
          <div>
            <dt>Started</dt>
            <dd>
              <Moment at={started} />
            </dd>
          </div>
        )}
        <div>
          <dt>{doc.run.ended === null ? 'Running for' : 'Took'}</dt>
          <dd>
            <RunTime run={run} />
          </dd>
        </div>
        <div>
          <dt>Page</dt>
          <dd>
            <LiveState link={run.link} />
          </dd>
        </div>
      </dl>
    </header>
  );
});

function Keys() {
  useRunKeys();
  return null;
}

/** The time that the run took, or takes until now, or took until the shown moment. */
function RunTime({ run: { doc, isPast } }: { readonly run: RunAt }) {
  const now = useSecond();
  const started = parseTimestamp(doc.run.started ?? '');
  const end = parseTimestamp(doc.run.ended ?? (isPast ? (doc.at ?? '') : ''));
  return started === null ? '–' : <Duration ms={Math.max(0, (end ?? now) - started)} />;
}

function RunId({ id }: { readonly id: string }) {
  const [isCopied, copy] = useCopied();
  return (
    <span className={styles.id}>
      <code>{id}</code>
      <Button kind="quiet" aria-label="Copy the id of the run" onPress={() => copy(id)}>
        {isCopied ? <Check aria-hidden size={14} /> : <Copy aria-hidden size={14} />}
      </Button>
    </span>
  );
}

/** The frame of the page, until the run is there. */
const Coming = ({ runId }: { readonly runId: string }) => (
  <>
    <h1 className={styles.coming}>Run</h1>
    <Tabs runId={runId} kept={NOTHING} counts={NOTHING} />
    <Placeholder lines={8} />
  </>
);

const NOTHING = {};

const RunTabs = memo(function RunTabs({ run }: { readonly run: RunAt }) {
  const { runId, doc, kept, seq } = run;
  const counts = {
    Jobs: doc.run.jobs.total,
    Tests: Object.values(doc.run.tests ?? {}).reduce((sum, count) => sum + count, 0),
    Files: doc.files_total,
    Events: seq,
  };
  return <Tabs runId={runId} kept={kept} counts={counts} />;
});

interface TabsProps extends Pick<RunAt, 'runId' | 'kept'> {
  readonly counts: Readonly<Record<string, number>>;
}

function Tabs({ runId, kept, counts }: TabsProps) {
  const list = useRef<HTMLElement>(null);
  const path = useLocation({ select: ({ pathname }) => pathname });
  // biome-ignore lint/correctness/useExhaustiveDependencies: each address has another tab
  useEffect(() => {
    const tab = list.current?.querySelector<HTMLElement>('[aria-current]');
    // On a phone the tab may be behind the edge.
    if (tab != null) list.current?.scrollTo({ left: tab.offsetLeft - tab.offsetWidth });
  }, [path]);
  return (
    <nav ref={list} aria-label="Run" className={styles.tabs}>
      {TABS.map(({ to, name, ...tab }) => (
        <Link
          key={to}
          data-press={'key' in tab ? tab.key : undefined}
          to={to}
          params={{ runId }}
          search={kept}
          activeOptions={{ exact: to === '/runs/$runId', includeSearch: false }}
          activeProps={{ 'aria-current': 'page' }}
        >
          {name}
          {(counts[name] ?? 0) > 0 && <span className={styles.count}>{counts[name]}</span>}
        </Link>
      ))}
    </nav>
  );
}
