/** Actions on the selected runs. */

import { Link } from '@tanstack/react-router';
import { cleanLine } from '@tutti/run-view/text';
import { cancelRun, forgetRun, rerunRun, useRenewal } from '../../data/actions.ts';
import type { RunSummary } from '../../data/runs.ts';
import { allows, useSession } from '../../data/session.ts';
import { Button, buttonClass } from '../../parts/button.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import styles from './runs.module.css';

interface BulkProps {
  readonly runs: readonly RunSummary[];
  readonly onDone: () => void;
}

const NAMES_MAX = 5;

export function BulkActions({ runs, onDone }: BulkProps) {
  const session = useSession();
  const renew = useRenewal();
  const may = (verb: string) => (run: RunSummary) =>
    allows(session, [verb, 'workflows'], run.namespace);
  const isOver = ({ status }: RunSummary) => status === 'DONE' || status === 'FAILED';
  const open = runs.filter((run) => !isOver(run) && may('delete')(run));
  const over = runs.filter((run) => isOver(run));
  const again = over.filter(may('create'));
  const failed = again.filter(({ status }) => status === 'FAILED');
  const gone = over.filter(may('delete'));
  // One after another: a refusal keeps the rest as it is.
  const each =
    (chosen: readonly RunSummary[], act: (id: string) => Promise<unknown>) => async () => {
      for (const { workflow_id } of chosen) await act(workflow_id);
      await renew();
      onDone();
    };
  const actions = [
    {
      name: 'Cancel',
      chosen: open,
      act: cancelRun,
      isDanger: true,
      what: 'Their jobs are stopped.',
    },
    { name: 'Rerun', chosen: again, act: (id: string) => rerunRun(id), what: 'Each starts anew.' },
    {
      name: 'Rerun failed jobs',
      chosen: failed,
      act: (id: string) => rerunRun(id, { failed: true }),
      what: 'Jobs that failed, and jobs that need them, run in a new run.',
    },
    {
      name: 'Forget',
      chosen: gone,
      act: forgetRun,
      isDanger: true,
      what: 'The server removes them with their logs, files and test results. Nobody gets them back.',
    },
  ];
  const [one, two, ...more] = runs;
  return (
    <section aria-label="Actions on the selected runs" className={styles.bulk}>
      <strong>{runs.length} selected</strong>
      {actions
        .filter(({ chosen }) => chosen.length > 0)
        .map(({ name, chosen, act, what, isDanger = false }) => (
          <Confirm
            key={name}
            label={`${name} ${chosen.length}`}
            title={`${name}: ${chosen.length} ${chosen.length === 1 ? 'run' : 'runs'}?`}
            act={name}
            isDanger={isDanger}
            onAct={each(chosen, act)}
          >
            <p>{what}</p>
            <ul>
              {chosen.slice(0, NAMES_MAX).map((run) => (
                <li key={run.workflow_id}>{cleanLine(run.name)}</li>
              ))}
              {chosen.length > NAMES_MAX && <li>and {chosen.length - NAMES_MAX} more</li>}
            </ul>
          </Confirm>
        ))}
      {one !== undefined && two !== undefined && more.length === 0 && (
        <Link
          to={'/compare' as '/'}
          search={{ a: one.workflow_id, b: two.workflow_id } as object}
          className={buttonClass()}
        >
          Compare
        </Link>
      )}
      <Button kind="quiet" onPress={onDone}>
        Select none
      </Button>
    </section>
  );
}
