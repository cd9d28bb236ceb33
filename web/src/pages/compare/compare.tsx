/** The page that shows two runs side by side. */
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { isUuid } from '@tutti/manifests';
import { ArrowRight } from 'lucide-react';
import { useState } from 'react';
import { viewQuery } from '../../data/run-view.ts';
import { runsQuery } from '../../data/runs.ts';
import { Button } from '../../parts/button.tsx';
import { Field } from '../../parts/field.tsx';
import { Mark, markOfRun } from '../../parts/mark.tsx';
import { Empty, Guarded, Placeholder, Problem } from '../../parts/states.tsx';
import { Moment } from '../../parts/times.tsx';
import styles from './compare.module.css';
import { EnvironmentDifferences } from './environment-differences.tsx';
import { JobDifferences } from './job-differences.tsx';
import { ManifestDifferences } from './manifest-differences.tsx';
import { TestDifferences } from './test-differences.tsx';
import { ValueDifferences } from './value-differences.tsx';

const route = getRouteApi('/signed-in/compare');

export function ComparePage() {
  const { a, b } = route.useSearch();
  return (
    <>
      <h1>Compare two runs</h1>
      <div className={styles.sides}>
        <Side side="a" title="Before" />
        <ArrowRight aria-hidden className={styles.arrow} size={20} />
        <Side side="b" title="After" />
      </div>
      {a !== undefined && b !== undefined ? (
        <Differences a={a} b={b} />
      ) : (
        <Empty>
          {a === undefined && b === undefined
            ? 'Choose two runs, best of the same workflow.'
            : 'Choose the other run, best of the same workflow.'}
        </Empty>
      )}
    </>
  );
}

/** Sets one or both runs of the address. */
function useChoice() {
  const navigate = useNavigate();
  return (choice: { readonly a?: string; readonly b?: string }) =>
    navigate({ to: '/compare', search: (before) => ({ ...before, ...choice }) });
}

function Side({ side, title }: { readonly side: 'a' | 'b'; readonly title: string }) {
  const chosen = route.useSearch()[side];
  return (
    <section aria-label={title} className={styles.side}>
      <h2>{title}</h2>
      {chosen === undefined ? <NoRun side={side} /> : <ChosenRun side={side} runId={chosen} />}
    </section>
  );
}

function NoRun({ side }: { readonly side: 'a' | 'b' }) {
  const other = route.useSearch()[side === 'a' ? 'b' : 'a'];
  return (
    <>
      {other !== undefined && <RunsOfName side={side} other={other} />}
      <RunIdField side={side} />
    </>
  );
}

function ChosenRun({ side, runId }: { readonly side: 'a' | 'b'; readonly runId: string }) {
  const { data, error, refetch } = useQuery(viewQuery(runId, null));
  const navigate = useNavigate();
  const clear = () =>
    void navigate({
      to: '/compare',
      search: ({ a, b }) =>
        side === 'a' ? (b === undefined ? {} : { b }) : a === undefined ? {} : { a },
    });
  if (error !== null) return <Problem error={error} onAgain={() => void refetch()} />;
  if (data === undefined) return <Placeholder />;
  const { name, status, started } = data.run;
  return (
    <div className={styles.chosen}>
      <p>
        <Mark state={markOfRun(status, status === 'CANCELED')} />
      </p>
      <p>
        <Link to="/runs/$runId" params={{ runId }}>
          <bdi>{name}</bdi>
        </Link>
      </p>
      {started !== null && <Moment at={started} />}
      <Button kind="quiet" onPress={clear}>
        Choose another
      </Button>
    </div>
  );
}

const RUNS_SHOWN = 20;

/** Runs of the same workflow, the newest first. */
function RunsOfName({ side, other }: { readonly side: 'a' | 'b'; readonly other: string }) {
  const choose = useChoice();
  const { data: known } = useQuery(viewQuery(other, null));
  const { data } = useQuery({
    ...runsQuery({ name: known?.run.name ?? '' }, 0, RUNS_SHOWN),
    enabled: known !== undefined,
  });
  const runs = (data?.items ?? []).filter(({ workflow_id: id }) => id !== other);
  const begun = known?.run.started ?? '';
  const passed = runs.find(({ status, created }) => status === 'DONE' && created < begun);
  if (runs.length === 0) return null;
  return (
    <>
      {passed !== undefined && (
        <div>
          <Button kind="main" onPress={() => void choose({ [side]: passed.workflow_id })}>
            The last that passed before it
          </Button>
        </div>
      )}
      <ul className={styles.runs} aria-label="Runs of the same workflow">
        {runs.map(({ workflow_id: id, status, canceled, created }) => (
          <li key={id}>
            <Mark state={markOfRun(status, canceled)} />
            <Moment at={created} />
            <Button
              kind="quiet"
              aria-label={`Choose the run of ${created}`}
              onPress={() => void choose({ [side]: id })}
            >
              Choose
            </Button>
          </li>
        ))}
      </ul>
    </>
  );
}

function RunIdField({ side }: { readonly side: 'a' | 'b' }) {
  const [id, setId] = useState('');
  const choose = useChoice();
  const take = (text: string) => {
    const [found] = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/i.exec(text) ?? [];
    if (found !== undefined && isUuid(found)) void choose({ [side]: found.toLowerCase() });
    else setId(text);
  };
  return <Field label="Id or address of a run" value={id} onChange={take} />;
}

function Differences({ a, b }: { readonly a: string; readonly b: string }) {
  const before = useQuery(viewQuery(a, null)).data;
  const after = useQuery(viewQuery(b, null)).data;
  if (before === undefined || after === undefined) return null;
  return (
    <div className={styles.differences}>
      <JobDifferences a={a} b={b} before={before} after={after} />
      <Guarded>
        <TestDifferences a={a} b={b} />
      </Guarded>
      <EnvironmentDifferences a={a} b={b} before={before} after={after} />
      <Guarded>
        <ValueDifferences a={a} b={b} />
      </Guarded>
      <Guarded>
        <ManifestDifferences a={a} b={b} />
      </Guarded>
    </div>
  );
}
