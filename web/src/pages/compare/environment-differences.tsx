/** Jobs that ran in another environment, or asked for other tags. Without such a job there is nothing to show. */
import { Link } from '@tanstack/react-router';
import { type JobPair, type RunDocument, runDifferences } from '@tutti/run-view';
import { cleanLine } from '@tutti/run-view/text';
import { Tags } from '../../parts/tags.tsx';
import { Part } from '../run/part.tsx';
import type { JobPart } from '../run/run-context.ts';
import { Scrolled } from '../run/scrolled.tsx';
import styles from './compare.module.css';

interface EnvironmentDifferencesProps {
  readonly a: string;
  readonly b: string;
  readonly before: RunDocument;
  readonly after: RunDocument;
}

const SHOWN = 100;

export function EnvironmentDifferences({ a, b, before, after }: EnvironmentDifferencesProps) {
  const { moved } = runDifferences(before, after);
  if (moved.length === 0) return null;
  return (
    <Part title="Environments">
      <Scrolled label="Environments that differ" className={styles.values}>
        <table>
          <thead>
            <tr>
              <th scope="col">Job</th>
              <th scope="col">Before</th>
              <th scope="col">After</th>
            </tr>
          </thead>
          <tbody>
            {moved.slice(0, SHOWN).map((pair) => (
              <Row key={pair.key} runs={[a, b]} pair={pair} />
            ))}
          </tbody>
        </table>
      </Scrolled>
      {moved.length > SHOWN && <p>{moved.length - SHOWN} more</p>}
    </Part>
  );
}

interface RowProps {
  readonly runs: readonly [before: string, after: string];
  readonly pair: JobPair;
}

const Row = ({ runs: [a, b], pair: { name, before, after } }: RowProps) => (
  <tr>
    <th scope="row">
      <bdi>{name}</bdi>
    </th>
    <td>
      <Place runId={a} job={before} />
    </td>
    <td>
      <Place runId={b} job={after} />
    </td>
  </tr>
);

const Place = ({ runId, job }: { readonly runId: string; readonly job: JobPart }) => (
  <>
    <Link to="/runs/$runId/jobs" params={{ runId }} search={{ job: job.key }}>
      <bdi>{cleanLine(job.environment ?? '')}</bdi>
    </Link>{' '}
    <Tags tags={job.tags ?? []} />
  </>
);
