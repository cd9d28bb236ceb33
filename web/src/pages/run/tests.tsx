/** Which tests failed, and why? */
import { useQueries } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { formatDuration } from '@tutti/run-view/text';
import { X } from 'lucide-react';
import { useCallback, useEffect, useState } from 'react';
import {
  TEST_ROWS,
  type TestCaseItem,
  type TestExecution,
  testCasesQuery,
} from '../../data/test-cases.ts';
import type { CaseHistory } from '../../data/tests.ts';
import { Button } from '../../parts/button.tsx';
import { Choice, SearchField } from '../../parts/choices.tsx';
import { type Column, Grid } from '../../parts/grid.tsx';
import { Mark } from '../../parts/mark.tsx';
import { Empty, Problem } from '../../parts/states.tsx';
import { Moment } from '../../parts/times.tsx';
import { useAddress } from './address.ts';
import { FileLinks } from './file-view.tsx';
import { type Histories, History, useHistories } from './histories.tsx';
import { useRun } from './run-context.ts';
import { Scrolled } from './scrolled.tsx';
import { messageOf, outcomeMark, Quarantined, testMark, useTestCases } from './test-cases.tsx';
import styles from './tests.module.css';

const OUTCOMES_SHOWN = 20;

const testsRoute = getRouteApi('/signed-in/runs/$runId/tests');

export function TestsPage() {
  const { doc } = useRun();
  const { outcome, job, q, test } = testsRoute.useSearch();
  const setAddress = useAddress();
  const counts = doc.run.tests;
  const failed = (counts?.failure ?? 0) + (counts?.error ?? 0);
  const totals: Readonly<Record<string, number>> = {
    failure: failed,
    success: counts?.success ?? 0,
    skipped: counts?.skipped ?? 0,
  };
  const all = failed + (counts?.success ?? 0) + (counts?.skipped ?? 0);
  if (counts === null || all === 0) return <NoTests />;
  const isCounted = q === undefined && job === undefined;
  return (
    <div className={styles.page}>
      <div className={styles.filters} role="toolbar" aria-label="Filters">
        <Choice
          isChosen={outcome === undefined}
          onChoose={() => void setAddress({ outcome: undefined })}
        >
          All {all}
        </Choice>
        {(['failure', 'success', 'skipped'] as const).map((each) => (
          <Choice
            key={each}
            isChosen={outcome === each}
            onChoose={() => void setAddress({ outcome: each, test: undefined })}
          >
            <Mark
              state={each}
              word={`${each === 'failure' ? 'failed' : each === 'success' ? 'passed' : 'skipped'} ${totals[each]}`}
            />
          </Choice>
        ))}
        <SearchField
          label="Part of a test's name"
          value={q ?? ''}
          onSearch={(text) => void setAddress({ q: text || undefined, test: undefined })}
        />
        {job !== undefined && (
          <Button onPress={() => void setAddress({ job: undefined })}>
            Job: {job}
            <X aria-hidden size={14} />
          </Button>
        )}
      </div>
      <div className={styles.both} data-open={test !== undefined || undefined}>
        <TestGrid
          key={`${outcome} ${job} ${q}`}
          total={isCounted ? (outcome === undefined ? all : (totals[outcome] ?? 0)) : null}
        />
        {test !== undefined && <TestPanel id={test} />}
      </div>
    </div>
  );
}

function NoTests() {
  const { doc, isPast } = useRun();
  if (isPast) return <Empty>No test case had a result at this moment.</Empty>;
  return (
    <Empty>
      {doc.run.ended === null ? 'No test case has a result yet.' : 'This run has no test cases.'}{' '}
      They come from reports that steps attach, such as those of JUnit or pytest.
    </Empty>
  );
}

const columnsOf = (histories: Histories): readonly Column<TestCaseItem>[] => [
  {
    key: 'outcome',
    title: 'Outcome',
    width: '6rem',
    cell: ({ test }) => <Mark state={testMark(test)} />,
  },
  {
    key: 'name',
    title: 'Test',
    width: 'minmax(0, 3fr)',
    cell: ({ test }) => (
      <span className={styles.name}>
        <bdi title={test.testCaseName}>{test.testCaseName}</bdi>
        <Quarantined test={test} />
      </span>
    ),
  },
  {
    key: 'suite',
    title: 'Suite',
    isExtra: true,
    width: 'minmax(0, 2fr)',
    cell: ({ test }) => <bdi title={test.suiteName}>{test.suiteName}</bdi>,
  },
  {
    key: 'job',
    title: 'Job',
    width: 'minmax(0, 2fr)',
    cell: ({ test }) => <bdi title={test.job}>{test.job}</bdi>,
  },
  {
    key: 'history',
    title: 'History',
    width: 'minmax(0, 13rem)',
    cell: ({ metadata }) => (
      <History of={histories.get(metadata.id)} max={OUTCOMES_SHOWN} tabIndex={-1} />
    ),
  },
  {
    key: 'time',
    title: 'Duration',
    width: '6rem',
    isNumber: true,
    cell: ({ execution }) =>
      execution?.duration === undefined ? '' : formatDuration(execution.duration),
  },
];

/** Rows of the filter. `total` is null where nobody has counted: it grows with the pages. */
function TestGrid({ total }: { readonly total: number | null }) {
  const { runId } = useRun();
  const { outcome, job, q } = testsRoute.useSearch();
  const setAddress = useAddress();
  const [known, setKnown] = useState(TEST_ROWS);
  const [[from, to], setRange] = useState([0, 1]);
  const onRange = useCallback((next: number, end: number) => setRange([next, end]), []);
  const [first, last] = [pageOf(from), pageOf(Math.max(from, to - 1))];
  const pages = useQueries({
    queries: Array.from({ length: last - first + 1 }, (_, at) =>
      testCasesQuery(runId, { outcome, job, q, page: first + at, perPage: TEST_ROWS }),
    ),
  });
  const rowAt = (index: number) => pages[pageOf(index) - first]?.data?.items?.[index % TEST_ROWS];
  const histories = useHistories(failedIn(from, to, rowAt));
  const lastItems = pages.at(-1)?.data?.items;
  useEffect(() => {
    if (total !== null || lastItems === undefined) return;
    const end = (last - 1) * TEST_ROWS + lastItems.length;
    setKnown(lastItems.length === TEST_ROWS ? end + TEST_ROWS : end);
  }, [total, last, lastItems]);
  const warnings = new Set(pages.flatMap(({ data }) => data?.warnings ?? []));
  const failed = pages.find((page) => page.error !== null);
  const count = total ?? known;
  if (failed !== undefined)
    return <Problem error={failed.error} onAgain={() => void failed.refetch()} />;
  if (count === 0) return <Empty>No test case matches. Remove a filter to see more.</Empty>;
  return (
    <div className={styles.frame}>
      {[...warnings].map((warning) => (
        <p key={warning} className={styles.warning}>
          {warning}
        </p>
      ))}
      <Grid
        label="Test cases"
        columns={columnsOf(histories)}
        total={count}
        rowAt={rowAt}
        onRange={onRange}
        keyOf={({ metadata }) => metadata.id}
        onOpen={({ metadata }) => void setAddress({ test: metadata.id }, { replace: false })}
      />
    </div>
  );
}

const pageOf = (index: number): number => Math.floor(index / TEST_ROWS) + 1;

/** Ids of the failed test cases among these rows. */
function failedIn(
  from: number,
  to: number,
  rowAt: (index: number) => TestCaseItem | undefined,
): readonly string[] {
  const rows = Array.from({ length: Math.max(0, to - from) }, (_, at) => rowAt(from + at));
  return rows.flatMap((row) =>
    row?.test.outcome === 'failure' || row?.test.outcome === 'error' ? [row.metadata.id] : [],
  );
}

function TestPanel({ id }: { readonly id: string }) {
  const setAddress = useAddress();
  const { items, error, isPending, again } = useTestCases({ id, perPage: 1 });
  const histories = useHistories([id]);
  const [item] = items;
  return (
    <aside className={styles.panel} aria-label="Test case">
      <div className={styles.panelHead}>
        <h2>
          <bdi>{item?.test.testCaseName ?? 'Test case'}</bdi>
        </h2>
        <Button
          kind="quiet"
          data-press="Escape"
          aria-label="Close the test case"
          onPress={() => void setAddress({ test: undefined })}
        >
          <X aria-hidden size={16} />
        </Button>
      </div>
      {error !== null && <Problem error={error} onAgain={again} />}
      {item === undefined && !isPending && error === null && (
        <Empty>This test case is not in this run.</Empty>
      )}
      {item !== undefined && <TestContent item={item} history={histories.get(id)} />}
    </aside>
  );
}

interface ContentProps {
  readonly item: TestCaseItem;
  readonly history: CaseHistory | undefined;
}

function TestContent({ item, history }: ContentProps) {
  const { runId, kept, doc } = useRun();
  const { test, execution, executionHistory = [], metadata } = item;
  const job = doc.jobs.find(({ job_id: own }) => own === metadata.job_id);
  const search = { ...kept, ...(job === undefined ? {} : { job: job.key }) };
  return (
    <>
      <p>
        <Mark state={testMark(test)} />
        {execution?.duration !== undefined && ` after ${formatDuration(execution.duration)}`}{' '}
        <Quarantined test={test} />
      </p>
      <dl className={styles.facts}>
        <dt>Suite</dt>
        <dd>
          <bdi>{test.suiteName || '–'}</bdi>
        </dd>
        <dt>Job</dt>
        <dd>
          <Link to="/runs/$runId/jobs" params={{ runId }} search={search}>
            <bdi>{job?.name ?? test.job}</bdi>
          </Link>
        </dd>
        <dt>Technology</dt>
        <dd>{test.technology || '–'}</dd>
        {history !== undefined && (
          <>
            <dt>History</dt>
            <dd>
              <History of={history} max={OUTCOMES_SHOWN} />
            </dd>
          </>
        )}
      </dl>
      <Execution execution={execution} />
      <Earlier items={executionHistory} />
      <p>
        <Link
          to="/runs/$runId/log"
          params={{ runId }}
          search={{ ...search, q: test.testCaseName.slice(0, SEARCH_MAX) }}
        >
          Find it in the log
        </Link>
      </p>
      <FileLinks files={doc.files.filter((file) => file.job === job?.key)} />
    </>
  );
}

/** Longer texts are not searched for in a log. */
const SEARCH_MAX = 256;

function Execution({ execution }: { readonly execution: TestExecution | undefined }) {
  const details = execution?.failureDetails ?? execution?.errorDetails ?? execution?.warningDetails;
  const message = messageOf({ execution: execution ?? {} });
  const text = details?.text ?? '';
  return (
    <>
      {message !== '' && <p className={styles.message}>{message}</p>}
      {text !== '' && text !== message && (
        <Scrolled label="Stack" className={styles.stack}>
          <pre>{text}</pre>
        </Scrolled>
      )}
      {(execution?.errorsList ?? []).map(({ message: error = '' }) => (
        <p key={error} className={styles.message}>
          {error}
        </p>
      ))}
    </>
  );
}

/** Earlier executions, the newest last. */
function Earlier({ items }: { readonly items: readonly TestExecution[] }) {
  if (items.length === 0) return null;
  return (
    <section aria-label="Earlier executions">
      <h3>Earlier executions</h3>
      <ul className={styles.history}>
        {items.map(({ startTime = '', outcome = '', duration }, at) => (
          // Executions may have begun at the same time.
          // biome-ignore lint/suspicious/noArrayIndexKey: see above
          <li key={at}>
            <Mark state={outcomeMark(outcome)} />
            <Moment at={startTime} />
            {duration !== undefined && <span>{formatDuration(duration)}</span>}
          </li>
        ))}
      </ul>
    </section>
  );
}
