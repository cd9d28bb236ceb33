/** Which tests failed, and why? */
import { useQueries } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useVirtualizer } from '@tanstack/react-virtual';
import { formatDuration } from '@tutti/run-view/text';
import { X } from 'lucide-react';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { Mark } from '../../parts/mark.tsx';
import { Empty, Problem } from '../../parts/states.tsx';
import { Moment } from '../../parts/times.tsx';
import { useAddress } from './address.ts';
import { FileLinks } from './file-view.tsx';
import { useRun } from './run-context.ts';
import {
  messageOf,
  outcomeMark,
  type TestCaseItem,
  type TestExecution,
  testCasesQuery,
  useTestCases,
} from './test-cases.tsx';
import styles from './tests.module.css';

const testsRoute = getRouteApi('/signed-in/runs/$runId/tests');

const PAGE_SIZE = 200;
const ROW_HEIGHT = 40;

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

interface ChoiceProps {
  readonly isChosen: boolean;
  readonly onChoose: () => void;
  readonly children: React.ReactNode;
}

/** One of several choices. */
export const Choice = ({ isChosen, onChoose, children }: ChoiceProps) => (
  <button type="button" className={styles.choice} aria-pressed={isChosen} onClick={onChoose}>
    {children}
  </button>
);

interface SearchFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onSearch: (text: string) => void;
}

const TYPING_PAUSE_MS = 250;

/** A field that searches a moment after the last key. */
export function SearchField({ label, value, onSearch }: SearchFieldProps) {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  const latest = useRef(onSearch);
  latest.current = onSearch;
  useEffect(() => {
    if (text === value) return;
    const timer = setTimeout(() => latest.current(text), TYPING_PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text, value]);
  return (
    <input
      type="search"
      className={styles.search}
      aria-label={label}
      placeholder={label}
      value={text}
      maxLength={500}
      onChange={({ target }) => setText(target.value)}
    />
  );
}

/** Rows of the filter. `total` is null where nobody has counted: it grows with the pages. */
function TestGrid({ total }: { readonly total: number | null }) {
  const { runId } = useRun();
  const { outcome, job, q, test } = testsRoute.useSearch();
  const setAddress = useAddress();
  const place = useRef<HTMLDivElement>(null);
  const [known, setKnown] = useState(PAGE_SIZE);
  const count = total ?? known;
  const rows = useVirtualizer({
    count,
    getScrollElement: () => place.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 10,
  });
  const shown = rows.getVirtualItems();
  const first = Math.floor((shown[0]?.index ?? 0) / PAGE_SIZE) + 1;
  const last = Math.floor((shown.at(-1)?.index ?? 0) / PAGE_SIZE) + 1;
  const numbers = Array.from({ length: last - first + 1 }, (_, at) => first + at);
  const pages = useQueries({
    queries: numbers.map((page) =>
      testCasesQuery(runId, { outcome, job, q, page, perPage: PAGE_SIZE }),
    ),
  });
  const itemAt = (index: number): TestCaseItem | undefined =>
    pages[Math.floor(index / PAGE_SIZE) + 1 - first]?.data?.items?.[index % PAGE_SIZE];
  const lastItems = pages.at(-1)?.data?.items;
  useEffect(() => {
    if (total !== null || lastItems === undefined) return;
    const end = (last - 1) * PAGE_SIZE + lastItems.length;
    setKnown(lastItems.length === PAGE_SIZE ? end + PAGE_SIZE : end);
  }, [total, last, lastItems]);
  const warnings = new Set(pages.flatMap(({ data }) => data?.warnings ?? []));
  const error = pages.find((page) => page.error !== null)?.error ?? null;
  const open = (item: TestCaseItem | undefined) =>
    void setAddress({ test: item?.metadata.id }, { replace: false });
  const press = (event: KeyboardEvent<HTMLDivElement>) => {
    const index = Number((event.target as HTMLElement).dataset.index ?? 0);
    const to = { ArrowDown: index + 1, ArrowUp: index - 1, Home: 0, End: count - 1 }[event.key];
    if (event.key === 'Enter' || event.key === ' ') open(itemAt(index));
    else if (to === undefined || to < 0 || to >= count) return;
    else focusRow(to);
    event.preventDefault();
  };
  const [focused, setFocused] = useState(0);
  const focusRow = (index: number) => {
    setFocused(index);
    rows.scrollToIndex(index);
    requestAnimationFrame(() =>
      place.current?.querySelector<HTMLElement>(`[data-index="${index}"]`)?.focus(),
    );
  };
  if (error !== null) return <Problem error={error} />;
  if (count === 0) return <Empty>No test case matches. Remove a filter to see more.</Empty>;
  return (
    <div className={styles.frame}>
      {[...warnings].map((warning) => (
        <p key={warning} className={styles.warning}>
          {warning}
        </p>
      ))}
      <div
        ref={place}
        className={styles.grid}
        role="grid"
        aria-label="Test cases"
        aria-rowcount={count}
        onKeyDown={press}
      >
        <div className={styles.rows} style={{ height: rows.getTotalSize() }} role="rowgroup">
          {shown.map(({ index, start }) => {
            const item = itemAt(index);
            return (
              // biome-ignore lint/a11y/useKeyWithClickEvents: the grid handles keys
              <div
                key={index}
                role="row"
                aria-rowindex={index + 1}
                aria-selected={item !== undefined && item.metadata.id === test}
                data-index={index}
                tabIndex={index === focused ? 0 : -1}
                className={styles.row}
                style={{ transform: `translateY(${start}px)` }}
                onClick={() => open(item)}
                onFocus={() => setFocused(index)}
              >
                {item === undefined ? <div role="gridcell">…</div> : <Cells item={item} />}
              </div>
            );
          })}
        </div>
      </div>
    </div>
  );
}

function Cells({ item }: { readonly item: TestCaseItem }) {
  const { test, execution } = item;
  return (
    <>
      <div role="gridcell" className={styles.outcome}>
        <Mark state={outcomeMark(test.outcome)} hasWord={false} />
      </div>
      <div role="gridcell" className={styles.name} title={item.metadata.name}>
        <bdi>{test.testCaseName}</bdi> <span className={styles.suite}>{test.suiteName}</span>
      </div>
      <div role="gridcell" className={styles.job} title={test.job}>
        <bdi>{test.job}</bdi>
      </div>
      <div role="gridcell" className={styles.time}>
        {execution?.duration === undefined ? '' : formatDuration(execution.duration)}
      </div>
    </>
  );
}

function TestPanel({ id }: { readonly id: string }) {
  const { runId, kept, doc } = useRun();
  const setAddress = useAddress();
  const { items, error, isPending, again } = useTestCases({ id, perPage: 1 });
  const [item] = items;
  const job = doc.jobs.find(({ job_id: own }) => own === item?.metadata.job_id);
  return (
    <aside className={styles.panel} aria-label="Test case">
      <div className={styles.panelHead}>
        <h2>
          <bdi>{item?.test.testCaseName ?? 'Test case'}</bdi>
        </h2>
        <Button
          kind="quiet"
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
      {item !== undefined && (
        <>
          <p>
            <Mark state={outcomeMark(item.test.outcome)} />
            {item.execution?.duration !== undefined &&
              ` after ${formatDuration(item.execution.duration)}`}
          </p>
          <dl className={styles.facts}>
            <dt>Suite</dt>
            <dd>
              <bdi>{item.test.suiteName || '–'}</bdi>
            </dd>
            <dt>Job</dt>
            <dd>
              {job === undefined ? (
                <bdi>{item.test.job}</bdi>
              ) : (
                <Link to="/runs/$runId/jobs" params={{ runId }} search={{ ...kept, job: job.key }}>
                  <bdi>{job.name}</bdi>
                </Link>
              )}
            </dd>
            <dt>Technology</dt>
            <dd>{item.test.technology || '–'}</dd>
          </dl>
          <Execution execution={item.execution} />
          <History items={item.executionHistory ?? []} />
          {job !== undefined && (
            <>
              <p>
                <Link
                  to="/runs/$runId/log"
                  params={{ runId }}
                  search={{ ...kept, job: job.key, q: item.test.testCaseName }}
                >
                  Find it in the log
                </Link>
              </p>
              <FileLinks files={doc.files.filter((file) => file.job === job.key)} />
            </>
          )}
        </>
      )}
    </aside>
  );
}

function Execution({ execution }: { readonly execution: TestExecution | undefined }) {
  const details = execution?.failureDetails ?? execution?.errorDetails ?? execution?.warningDetails;
  const message = messageOf({ execution: execution ?? {} });
  const text = details?.text ?? '';
  return (
    <>
      {message !== '' && <p className={styles.message}>{message}</p>}
      {text !== '' && text !== message && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must have the focus
        <pre className={styles.stack} tabIndex={0} aria-label="Stack">
          {text}
        </pre>
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
function History({ items }: { readonly items: readonly TestExecution[] }) {
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
