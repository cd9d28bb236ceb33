/** When and with which run something began. */
import { cleanLine } from '@tutti/run-view/text';
import type { Begin } from '../../data/tests.ts';
import { PathLink, pathOfRun } from '../../parts/path-link.tsx';
import { Moment } from '../../parts/times.tsx';
import styles from './tests.module.css';

export const Version = ({ of }: { readonly of: string | null | undefined }) =>
  of == null ? (
    <>an unknown version</>
  ) : (
    <>
      version <code>{cleanLine(of)}</code>
    </>
  );

export const SinceRun = ({ begin }: { readonly begin: Begin }) => (
  <>
    since <Moment at={begin.at} />, <Version of={begin.version} />
    {begin.workflow_id !== null && (
      <>
        , <RunLink id={begin.workflow_id} />
      </>
    )}
  </>
);

const ID_SHOWN = 8;

/** The end of an id differs more than its beginning, which is a time. */
export const RunLink = ({ id }: { readonly id: string }) => (
  <PathLink path={pathOfRun(id)} title={`Run ${id}`} className={styles.run}>
    run …{id.slice(-ID_SHOWN)}
  </PathLink>
);
