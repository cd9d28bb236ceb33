/** Changes of the state of a test, the newest first. */
import { cleanLine } from '@tutti/run-view/text';
import { type OneTest, TEST_STATES, type TestState } from '../../data/tests.ts';
import { Band } from '../../parts/band.tsx';
import { RunLink } from '../../parts/run-link.tsx';
import { TestMark } from '../../parts/test-mark.tsx';
import { Moment } from '../../parts/times.tsx';
import { Version } from './begin.tsx';
import styles from './tests.module.css';

export function Changes({ test: { journal, spec } }: { readonly test: OneTest }) {
  const changes = journal.filter(({ kind }) => kind === 'state');
  if (changes.length === 0) return null;
  return (
    <Band title="Changes of its state">
      <ol className={styles.changes}>
        {changes.map(({ at, variant_id: variant, change }) => (
          <li key={`${at} ${variant} ${change.to}`}>
            <Moment at={at} />
            <span className={styles.change}>
              <State of={change.from} /> to <State of={change.to} />
            </span>
            <span>
              <Version of={change.version} />
              {change.workflow_id != null && (
                <>
                  , <RunLink id={change.workflow_id} />
                </>
              )}
              {spec.variants.length > 1 && (
                <>
                  {', job '}
                  {cleanLine(spec.variants.find(({ id }) => id === variant)?.job ?? 'unknown')}
                </>
              )}
            </span>
          </li>
        ))}
      </ol>
    </Band>
  );
}

const isState = (text: string | null | undefined): text is TestState =>
  TEST_STATES.some((state) => state === text);

const State = ({ of }: { readonly of: string | null | undefined }) =>
  isState(of) ? <TestMark state={of} /> : cleanLine(of ?? 'unknown');
