/** The journal of a test: changes of its state and of its quarantine, the newest first. */
import { cleanLine } from '@tutti/run-view/text';
import type { ReactNode } from 'react';
import {
  jobOf,
  type OneTest,
  TEST_STATES,
  type TestChange,
  type TestState,
} from '../../data/tests.ts';
import { Band } from '../../parts/band.tsx';
import { QuarantineMark } from '../../parts/quarantine-mark.tsx';
import { RunLink } from '../../parts/run-link.tsx';
import { TestMark } from '../../parts/test-mark.tsx';
import { Moment } from '../../parts/times.tsx';
import { Version } from './begin.tsx';
import styles from './tests.module.css';

export function Journal({ test }: { readonly test: OneTest }) {
  const { journal, spec } = test;
  if (journal.length === 0) return null;
  return (
    <Band title="Journal">
      <ol className={styles.changes}>
        {journal.map((entry) => {
          const { at, kind, variant_id: variant } = entry;
          return (
            <li key={`${at} ${kind} ${variant}`}>
              <Moment at={at} />
              <Entry of={entry} />
              {variant !== null && spec.variants.length > 1 && (
                <span>job {cleanLine(jobOf(test, variant))}</span>
              )}
            </li>
          );
        })}
      </ol>
    </Band>
  );
}

/** Names of kinds that later servers add are shown as they are. */
function Entry({ of: { kind, change } }: { readonly of: TestChange }) {
  if (kind === 'state')
    return (
      <>
        <span className={styles.change}>
          <State of={change.from} /> to <State of={change.to} />
        </span>
        <Origin of={change} />
      </>
    );
  if (kind === 'recovered')
    return (
      <>
        <strong>recovered, so its quarantine ended</strong>
        <Origin of={change} />
      </>
    );
  return (
    <>
      {kind === 'quarantined' ? <QuarantineMark /> : <strong>{cleanLine(kind)}</strong>}
      <span>
        by <bdi>{cleanLine(change.by ?? 'unknown')}</bdi>
        {change.until != null && (
          <>
            {' '}
            until <Moment at={change.until} />
          </>
        )}
        <Said text={change.reason} />
      </span>
    </>
  );
}

const Said = ({ text }: { readonly text: string | null | undefined }): ReactNode =>
  text == null ? null : (
    <>
      : <bdi>{cleanLine(text)}</bdi>
    </>
  );

/** The run that changed the state. */
const Origin = ({ of: { version, workflow_id: run } }: { readonly of: TestChange['change'] }) => (
  <span>
    <Version of={version} />
    {run != null && (
      <>
        , <RunLink id={run} />
      </>
    )}
  </span>
);

const isState = (text: string | null | undefined): text is TestState =>
  TEST_STATES.some((state) => state === text);

const State = ({ of }: { readonly of: string | null | undefined }) =>
  isState(of) ? <TestMark state={of} /> : cleanLine(of ?? 'unknown');
