/** In place of the bands while there is no run. */
import { Link } from '@tanstack/react-router';
import { Band } from '../../parts/band.tsx';
import styles from './now.module.css';

export const FirstSteps = ({ hasEnvironments }: { readonly hasEnvironments: boolean }) => (
  <Band title="No run yet">
    <ol className={styles.steps}>
      {!hasEnvironments && (
        <li>
          Start an environment, in another terminal: <code>tutti agent --tags linux</code>
        </li>
      )}
      <li>
        Write a workflow for the tests of a folder: <code>tutti init</code>
      </li>
      <li>
        Start it: <code>tutti run workflow.yaml</code>, or <Link to="/start">here</Link>.
      </li>
    </ol>
  </Band>
);
