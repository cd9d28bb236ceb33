/** The evidence for the state of a variant. Its words are those of the state alone: a broken test is not called flaky. */
import { cleanLine, formatShare } from '@tutti/run-view/text';
import type { ReactNode } from 'react';
import {
  type Contradiction,
  FLAKY_DOCS,
  type OneTest,
  type TestState,
  type TestVariant,
} from '../../data/tests.ts';
import { Band } from '../../parts/band.tsx';
import { OutcomeStrip } from '../../parts/outcome-strip.tsx';
import { RunLink } from '../../parts/run-link.tsx';
import { TestMark } from '../../parts/test-mark.tsx';
import { Moment } from '../../parts/times.tsx';
import { SinceRun } from './begin.tsx';
import { intervalOf, testDuration } from './numbers.tsx';
import styles from './tests.module.css';

const MEANINGS: Readonly<Record<TestState, string>> = {
  broken:
    'It fails since some version, so somebody has to repair it. Running it again will not help.',
  flaky: 'It fails now and then, whatever the version. Run again, it will probably pass.',
  unsure: 'It failed now and then, and too seldom for a judgement.',
  new: 'It has fewer than five executions, which are too few for a judgement.',
  stable: 'Nothing speaks against it.',
};

const OUTCOMES_SHOWN = 100;

interface EvidenceProps {
  readonly test: OneTest;
  readonly variant: TestVariant;
}

export function Evidence({ test, variant }: EvidenceProps) {
  const place = test.spec.variants.find(({ id }) => id === variant.id);
  const uses = place?.uses == null ? '' : `, ${cleanLine(place.uses)}`;
  return (
    <Band
      title={`Job ${cleanLine(place?.job ?? '')}${uses}`}
      more={<TestMark state={variant.state} />}
    >
      {variant.strip === '' ? (
        <p className={styles.text}>
          No run on a main branch yet, so nothing counted for its state.{' '}
          <a href={`${FLAKY_DOCS}#states`}>Which branches count</a>
        </p>
      ) : (
        <>
          <p className={styles.text}>{MEANINGS[variant.state]}</p>
          <Facts variant={variant} />
          <Contradictions of={variant.contradictions} />
        </>
      )}
    </Band>
  );
}

function Facts({ variant }: { readonly variant: TestVariant }) {
  const { state, since, brokenSince, failures, duration, strip } = variant;
  const certainty = certaintyOf(variant);
  const needed = state === 'flaky' ? variant.passesToRecover : null;
  return (
    <dl className={styles.evidence}>
      {since !== null && (
        <Fact title="State">
          {state} <SinceRun begin={since} />
        </Fact>
      )}
      {brokenSince !== null && (
        <Fact title="Fails">
          <SinceRun begin={brokenSince} />
        </Fact>
      )}
      {certainty !== null && <Fact title="Certainty">{certainty}</Fact>}
      {failures !== null && (
        <Fact title="Failures">
          {failures.count} of {failures.of} first attempts: {formatShare(failures.rate)}, 95 %
          interval {intervalOf(failures)}
        </Fact>
      )}
      {needed !== null && (
        <Fact title="Recovery">
          {variant.passesInRow ?? 0} of {needed} passes in a row
        </Fact>
      )}
      {duration !== null && (
        <Fact title="Duration">
          {testDuration(duration.p50)} in half of the executions, up to {testDuration(duration.p90)}{' '}
          in 90 %, up to {testDuration(duration.p95)} in 95 %
        </Fact>
      )}
      <Fact title="Outcomes">
        <OutcomeStrip letters={strip} max={OUTCOMES_SHOWN} />
      </Fact>
    </dl>
  );
}

const Fact = ({ title, children }: { readonly title: string; readonly children: ReactNode }) => (
  <>
    <dt>{title}</dt>
    <dd>{children}</dd>
  </>
);

/** Null where the state is no matter of probability. */
function certaintyOf({ state, probability, brokenProbability, flakeRate }: TestVariant) {
  if (state === 'broken' && brokenProbability !== null)
    return `broken with a probability of ${formatShare(brokenProbability)}`;
  if ((state === 'flaky' || state === 'unsure') && probability !== null)
    return `flaky with a probability of ${formatShare(probability)}; it then fails in ${formatShare(flakeRate)} of its executions`;
  return null;
}

/** The newest first. */
function Contradictions({ of }: { readonly of: readonly Contradiction[] }) {
  if (of.length === 0) return null;
  return (
    <table className={styles.contradictions}>
      <caption>Failed and passed on one version</caption>
      <thead>
        <tr>
          <th scope="col">Version</th>
          <th scope="col">When</th>
          <th scope="col">Runs</th>
        </tr>
      </thead>
      <tbody>
        {of.map(({ version, at, workflow_ids: runs }) => (
          <tr key={`${version} ${at}`}>
            <td>{version === null ? 'unknown' : <code>{cleanLine(version)}</code>}</td>
            <td>
              <Moment at={at} />
            </td>
            <td>
              {runs.length === 0 ? (
                <span className={styles.muted}>no longer stored</span>
              ) : (
                <span className={styles.contradicting}>
                  {runs.map((id) => (
                    <RunLink key={id} id={id} />
                  ))}
                </span>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
