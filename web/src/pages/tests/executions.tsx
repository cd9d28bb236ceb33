/** Executions of a test, the newest first: as a strip, and as a table. */
import { useQueries } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { cleanLine } from '@tutti/run-view/text';
import { X } from 'lucide-react';
import { searchText } from '../../data/search.ts';
import { listOf, useShownPages } from '../../data/shown-pages.ts';
import {
  EXECUTIONS_ROWS,
  type Execution,
  type ExecutionSearch,
  executionsQuery,
  jobOf,
  type OneTest,
} from '../../data/tests.ts';
import { Button } from '../../parts/button.tsx';
import { Choice } from '../../parts/choices.tsx';
import { type Column, Grid } from '../../parts/grid.tsx';
import { Mark } from '../../parts/mark.tsx';
import { PathLink, pathOfRun } from '../../parts/path-link.tsx';
import strip from '../../parts/run-strip.module.css';
import { Empty, Placeholder, Problem } from '../../parts/states.tsx';
import { Moment } from '../../parts/times.tsx';
import { useGo } from '../../parts/use-go.ts';
import { testDuration } from './numbers.tsx';
import styles from './tests.module.css';

const route = getRouteApi('/signed-in/tests/$testId');

const BOXES = 40;
/** A part of a longer name finds the test, too. */
const NAME_MAX = 200;

export function Executions({ test }: { readonly test: OneTest }) {
  const { id } = test.metadata;
  const search = route.useSearch();
  const go = useGo();
  const { numbers, onRange } = useShownPages(EXECUTIONS_ROWS);
  const pages = useQueries({ queries: numbers.map((page) => executionsQuery(id, search, page)) });
  const { total, error, again, rowAt } = listOf(pages, numbers, EXECUTIONS_ROWS);
  const pathOf = pathIn(test);
  const count = total === null ? null : <span className={styles.muted}>{total}</span>;
  return (
    <section className={styles.executions} aria-label="Executions">
      <div className={styles.head}>
        <h2>Executions {count}</h2>
        <Conditions search={search} test={test} />
      </div>
      {error !== null && <Problem error={error} onAgain={again} />}
      {total === null && error === null && <Placeholder lines={6} />}
      {total === 0 && <Empty>No execution that is still kept fits these filters.</Empty>}
      {total !== null && total > 0 && (
        <>
          {numbers[0] === 0 && <Boxes executions={pages[0]?.data?.items ?? []} pathOf={pathOf} />}
          <div className={styles.runs}>
            <Grid
              label="Executions"
              columns={columnsOf(pathOf)}
              total={total}
              rowAt={rowAt}
              onRange={onRange}
              keyOf={keyOf}
              onOpen={(row) => go(pathOf(row))}
            />
          </div>
        </>
      )}
    </section>
  );
}

const keyOf = ({ workflow_id: run, variant_id: variant, attempt }: Execution): string =>
  `${run} ${variant} ${attempt}`;

type PathOf = (execution: Execution) => string;

/** The test in the run. */
const pathIn =
  ({ spec }: OneTest): PathOf =>
  ({ workflow_id: run, outcome }) => {
    const q = [...spec.testCaseName].slice(0, NAME_MAX).join('');
    const isFailed = outcome === 'failure' || outcome === 'error';
    const search = searchText({ q, ...(isFailed && { outcome: 'failure' }) });
    return `${pathOfRun(run)}/tests${search}`;
  };

function Conditions({
  search,
  test,
}: {
  readonly search: ExecutionSearch;
  readonly test: OneTest;
}) {
  const navigate = useNavigate();
  const { id } = test.metadata;
  const change = (next: ExecutionSearch) =>
    void navigate({
      to: '/tests/$testId',
      params: { testId: id },
      search: { ...search, ...next },
      replace: true,
      resetScroll: false,
    });
  return (
    <div className={styles.filters} role="toolbar" aria-label="Filters">
      <Choice isChosen={search.outcome === undefined} onChoose={() => change({ outcome: '' })}>
        All
      </Choice>
      {(['failure', 'success'] as const).map((outcome) => (
        <Choice
          key={outcome}
          isChosen={search.outcome === outcome}
          onChoose={() => change({ outcome })}
        >
          <Mark state={outcome} />
        </Choice>
      ))}
      {(['variant', 'version', 'branch'] as const).map((key) => {
        const value = search[key];
        return value === undefined ? null : (
          <Button key={key} onPress={() => change({ [key]: '' })}>
            <span className={styles.chip}>
              {key === 'variant' ? 'job' : key}:{' '}
              <bdi>{key === 'variant' ? jobOf(test, value) : value}</bdi>
            </span>
            <X aria-label="Remove" size={14} />
          </Button>
        );
      })}
      {test.status.variants.length > 1 && search.variant === undefined && (
        <select
          aria-label="Job"
          value=""
          className={styles.select}
          onChange={({ target }) => change({ variant: target.value })}
        >
          <option value="">All jobs</option>
          {test.spec.variants.map(({ id: variant, job }) => (
            <option key={variant} value={variant}>
              {cleanLine(job)}
            </option>
          ))}
        </select>
      )}
    </div>
  );
}

interface BoxesProps {
  readonly executions: readonly Execution[];
  readonly pathOf: PathOf;
}

const Boxes = ({ executions, pathOf }: BoxesProps) => (
  <ol className={`${strip.strip} ${styles.boxes}`}>
    {executions.slice(0, BOXES).map((execution) => {
      const { outcome, version } = execution;
      const word = { success: 'passed', failure: 'failed', error: 'error', skipped: 'skipped' };
      const text = `${word[outcome]}, ${version === null ? 'version unknown' : cleanLine(version)}`;
      const box = { success: strip.success, skipped: strip.canceled };
      const style = outcome === 'success' || outcome === 'skipped' ? box[outcome] : strip.failure;
      return (
        <li key={keyOf(execution)}>
          <PathLink path={pathOf(execution)} title={text} className={style}>
            <span className="hidden">{text}</span>
          </PathLink>
        </li>
      );
    })}
  </ol>
);

const columnsOf = (pathOf: PathOf): readonly Column<Execution>[] => [
  {
    key: 'outcome',
    title: 'Outcome',
    width: '6rem',
    cell: ({ outcome }) => <Mark state={outcome} />,
  },
  {
    key: 'started',
    title: 'Begun',
    width: '10rem',
    cell: (execution) => (
      <PathLink path={pathOf(execution)} tabIndex={-1}>
        <Moment at={execution.started} />
      </PathLink>
    ),
  },
  {
    key: 'version',
    title: 'Version',
    width: 'minmax(5rem, 2fr)',
    cell: ({ version }) =>
      version === null ? (
        <span className={styles.muted}>unknown</span>
      ) : (
        <code title={cleanLine(version)}>{cleanLine(version)}</code>
      ),
  },
  {
    key: 'branch',
    title: 'Branch',
    width: 'minmax(5rem, 2fr)',
    cell: ({ branch, isMain }) => (
      <>
        {branch === null ? <span className={styles.muted}>unknown</span> : cleanLine(branch)}
        {!isMain && <span className={styles.muted}> does not count</span>}
      </>
    ),
  },
  {
    key: 'job',
    title: 'Job',
    isExtra: true,
    width: 'minmax(4rem, 2fr)',
    cell: ({ job }) => cleanLine(job ?? ''),
  },
  {
    key: 'agent',
    title: 'Agent',
    width: 'minmax(4rem, 2fr)',
    cell: ({ agent }) => cleanLine(agent ?? ''),
  },
  {
    key: 'attempt',
    title: 'Attempt',
    isExtra: true,
    width: '4.5rem',
    isNumber: true,
    cell: ({ attempt }) => attempt,
  },
  {
    key: 'duration',
    title: 'Duration',
    width: '5.5rem',
    isNumber: true,
    cell: ({ duration }) => testDuration(duration),
  },
];
