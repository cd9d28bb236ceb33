/** Links to runs by their ids, also within sentences. */
import { Fragment } from 'react';
import { searchText } from '../data/search.ts';
import { PathLink, pathOfRun } from './path-link.tsx';
import styles from './run-link.module.css';

const ID_SHOWN = 8;
const ID = '([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})';
/** As in the reasons that the server gives for a wait. */
const OTHER_RUN = new RegExp(`(?:job ${ID} of )?workflow ${ID}`);

interface RunLinkProps {
  readonly id: string;
  readonly job?: string | undefined;
}

/** The end of an id differs more than its beginning, which is a time. */
export const RunLink = ({ id, job }: RunLinkProps) => (
  <PathLink
    path={job === undefined ? pathOfRun(id) : `${pathOfRun(id)}/jobs${searchText({ job })}`}
    title={`Run ${id}`}
    className={styles.run}
  >
    run …{id.slice(-ID_SHOWN)}
  </PathLink>
);

/** A reason to wait. The runs that it names are links. */
export function WaitReason({ text }: { readonly text: string }) {
  const [before = '', ...rest] = text.split(OTHER_RUN);
  const parts = Array.from({ length: rest.length / 3 }, (_, at) => rest.slice(3 * at, 3 * at + 3));
  return (
    <>
      {before}
      {parts.map(([job, id = '', after], at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: parts of a text have no other name
        <Fragment key={at}>
          <RunLink id={id} job={job} />
          {after}
        </Fragment>
      ))}
    </>
  );
}
