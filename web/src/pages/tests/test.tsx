/** One test: how it behaves over time, and what its state rests on. */
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { cleanLine } from '@tutti/run-view/text';
import type { ReactNode } from 'react';
import { type OneTest, testQuery } from '../../data/tests.ts';
import { Band, PageHead } from '../../parts/band.tsx';
import { CopyCommand } from '../../parts/copy-command.tsx';
import { QuarantineMark } from '../../parts/quarantine-mark.tsx';
import { Placeholder, Problem } from '../../parts/states.tsx';
import { TestMark } from '../../parts/test-mark.tsx';
import { Ago, Moment } from '../../parts/times.tsx';
import { Version } from './begin.tsx';
import { Evidence } from './evidence.tsx';
import { Executions } from './executions.tsx';
import { Journal } from './journal.tsx';
import { Quarantines, Quarantining } from './quarantine.tsx';
import { TestCauses } from './test-causes.tsx';
import styles from './tests.module.css';
import { Warnings } from './warnings.tsx';

const route = getRouteApi('/signed-in/tests/$testId');

/** Further variants are named, and shown when they are chosen. */
const VARIANTS_SHOWN = 5;

export function TestPage() {
  const { testId } = route.useParams();
  const { data: test, error, refetch } = useQuery(testQuery(testId));
  if (test === undefined && error !== null)
    return (
      <>
        <PageHead title="Test" />
        <Problem error={error} onAgain={() => void refetch()} />
        <p>
          <Link to="/tests">All tests</Link>
        </p>
      </>
    );
  if (test === undefined) return <Placeholder lines={8} />;
  return (
    <>
      <PageHead title={cleanLine(test.spec.testCaseName)}>
        <TestMark state={test.status.state} />
        {test.quarantines.length > 0 && <QuarantineMark />}
        <Quarantining test={test} />
        <CopyCommand command={`tutti tests show ${testId}`} />
      </PageHead>
      <Facts test={test} />
      <Warnings texts={test.warnings ?? []} />
      <Quarantines test={test} />
      <Variants test={test} />
      <TestCauses testId={testId} />
      <Executions test={test} />
      <Journal test={test} />
    </>
  );
}

function Facts({ test: { metadata, spec, status } }: { readonly test: OneTest }) {
  const { project, namespace, firstSeen, lastSeen, lastVersion } = metadata;
  const { runs } = status.impact;
  return (
    <dl className={styles.facts}>
      <Fact title="Suite">{cleanLine(spec.suiteName) || '–'}</Fact>
      <Fact title="Project">
        <Link to="/tests" search={{ project, namespace }}>
          {cleanLine(project)}
        </Link>{' '}
        in namespace {cleanLine(namespace)}
      </Fact>
      <Fact title="Technology">{cleanLine(spec.technology) || '–'}</Fact>
      {firstSeen !== null && (
        <Fact title="First run">
          <Ago at={firstSeen} />
        </Fact>
      )}
      {lastSeen !== null && (
        <Fact title="Newest run">
          <Moment at={lastSeen} /> on <Version of={lastVersion} />
        </Fact>
      )}
      <Fact title="Runs lost">
        {runs === 0
          ? 'none: in no run was it the only test that failed'
          : `${runs}, in which no other test failed`}
      </Fact>
    </dl>
  );
}

const Fact = ({ title, children }: { readonly title: string; readonly children: ReactNode }) => (
  <div>
    <dt>{title}</dt>
    <dd>{children}</dd>
  </div>
);

/** The worst first. */
function Variants({ test }: { readonly test: OneTest }) {
  const { variant: chosen } = route.useSearch();
  const { variants } = test.status;
  const first = variants.filter(({ id }) => chosen === undefined || id === chosen);
  const shown = first.slice(0, VARIANTS_SHOWN);
  const rest = variants.filter((variant) => !shown.includes(variant));
  return (
    <>
      {shown.map((variant) => (
        <Evidence key={variant.id} test={test} variant={variant} />
      ))}
      {rest.length > 0 && (
        <Band title={shown.length === 0 ? 'Variants' : 'Other variants'} count={rest.length}>
          <ul className={styles.variants}>
            {rest.map(({ id, state }) => {
              const place = test.spec.variants.find((each) => each.id === id);
              return (
                <li key={id}>
                  <TestMark state={state} />
                  <Link
                    to="/tests/$testId"
                    params={{ testId: test.metadata.id }}
                    search={{ variant: id }}
                  >
                    Job {cleanLine(place?.job ?? '')}
                  </Link>
                  {place?.uses != null && (
                    <span className={styles.muted}>{cleanLine(place.uses)}</span>
                  )}
                </li>
              );
            })}
          </ul>
        </Band>
      )}
    </>
  );
}
