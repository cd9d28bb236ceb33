/** In place of the bands that the token may not read: what is missing, and who can help. */
import { Link } from '@tanstack/react-router';
import { Band, EmptyBand } from '../../parts/band.tsx';
import styles from './now.module.css';

interface NoRightsProps {
  readonly runs: boolean;
  readonly environments: boolean;
}

export function NoRights({ runs, environments }: NoRightsProps) {
  if (!runs)
    return environments ? (
      <EmptyBand title="Environments">Your token may not read them.</EmptyBand>
    ) : null;
  return (
    <Band title={`Your token may not read runs${environments ? ' and environments' : ''}`}>
      <ol className={styles.steps}>
        <li>
          <Link to="/settings">See what it allows</Link>, and sign out there to use another one.
        </li>
        <li>
          Ask those who run this server for a token that may read:{' '}
          <code>tutti tokens create --subject NAME --verbs get,list</code>
        </li>
      </ol>
    </Band>
  );
}
