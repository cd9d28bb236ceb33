/** Actions on the selected runs. */

import { Link } from '@tanstack/react-router';
import { countOf } from '@tutti/manifests';
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

interface BulkAction {
  readonly name: string;
  /** The runs that it concerns. */
  readonly chosen: readonly RunSummary[];
  readonly act: (runId: string) => Promise<unknown>;
  /** A sentence. */
  readonly effect: string;
  readonly isDanger?: boolean;
}

const isOver = ({ status }: RunSummary): boolean => status === 'DONE' || status === 'FAILED';

/** The actions that the token allows, each with the runs that it concerns. */
function actionsOn(
  runs: readonly RunSummary[],
  may: (verb: string, run: RunSummary) => boolean,
): readonly BulkAction[] {
  const removable = runs.filter((run) => may('delete', run));
  const again = runs.filter((run) => isOver(run) && may('create', run));
  return [
    {
      name: 'Cancel',
      chosen: removable.filter((run) => !isOver(run)),
      act: cancelRun,
      effect: 'Their jobs are stopped.',
      isDanger: true,
    },
    {
      name: 'Rerun',
      chosen: again,
      act: (id: string) => rerunRun(id),
      effect: 'Each starts anew.',
    },
    {
      name: 'Rerun failed jobs',
      chosen: again.filter(({ status }) => status === 'FAILED'),
      act: (id: string) => rerunRun(id, { failed: true }),
      effect: 'Jobs that failed, and jobs that need them, run in a new run.',
    },
    {
      name: 'Forget',
      chosen: removable.filter(isOver),
      act: forgetRun,
      effect:
        'The server removes them with their logs, files and test results. Nobody gets them back.',
      isDanger: true,
    },
  ].filter(({ chosen }) => chosen.length > 0);
}

export function BulkActions({ runs, onDone }: BulkProps) {
  const session = useSession();
  const renew = useRenewal();
  // One after another: a refusal keeps the rest as it is.
  const onAct = async ({ chosen, act }: BulkAction) => {
    for (const { workflow_id } of chosen) await act(workflow_id);
    await renew();
    onDone();
  };
  const actions = actionsOn(runs, (verb, { namespace }) =>
    allows(session, [verb, 'workflows'], namespace),
  );
  const [one, two, ...more] = runs;
  return (
    <section aria-label="Actions on the selected runs" className={styles.bulk}>
      <strong>{runs.length} selected</strong>
      {actions.map((action) => (
        <BulkButton key={action.name} action={action} onAct={() => onAct(action)} />
      ))}
      {one !== undefined && two !== undefined && more.length === 0 && (
        <Link
          to="/compare"
          search={{ a: one.workflow_id, b: two.workflow_id }}
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

interface BulkButtonProps {
  readonly action: BulkAction;
  readonly onAct: () => Promise<void>;
}

function BulkButton({ action, onAct }: BulkButtonProps) {
  const { name, chosen, effect, isDanger = false } = action;
  const runs = countOf(chosen.length, 'run');
  const what = name.endsWith('jobs') ? `${name} of ${runs}` : `${name} ${runs}`;
  return (
    <Confirm
      label={`${name} ${chosen.length}`}
      title={`${what}?`}
      act={what}
      isDanger={isDanger}
      onAct={onAct}
    >
      <p>{effect}</p>
      <ul>
        {chosen.slice(0, NAMES_MAX).map((run) => (
          <li key={run.workflow_id}>{cleanLine(run.name)}</li>
        ))}
        {chosen.length > NAMES_MAX && <li>and {chosen.length - NAMES_MAX} more</li>}
      </ul>
    </Confirm>
  );
}
