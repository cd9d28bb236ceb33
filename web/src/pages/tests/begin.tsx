/** When and with which run something began. */
import { cleanLine } from '@tutti/run-view/text';
import type { Begin } from '../../data/tests.ts';
import { RunLink } from '../../parts/run-link.tsx';
import { Moment } from '../../parts/times.tsx';

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
