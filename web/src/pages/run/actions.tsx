/** Actions on a run. Each appears only if the token allows it, and says before what it will do. */
import { Link, useNavigate } from '@tanstack/react-router';
import { Ban, Columns2, RotateCcw } from 'lucide-react';
import { cancelRun, rerunRun } from '../../data/actions.ts';
import { allows, useSession } from '../../data/session.ts';
import { buttonClass } from '../../parts/button.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { CopyCommand } from '../../parts/copy-command.tsx';
import styles from './run.module.css';
import { useRun } from './run-context.ts';

export function RunActions() {
  const { runId, doc, isPast } = useRun();
  const session = useSession();
  const navigate = useNavigate();
  const { namespace, name, ended, jobs } = doc.run;
  const may = (verb: string) => !isPast && allows(session, [verb, 'workflows'], namespace);
  const isOver = ended !== null;
  const rerun = async (choice: { readonly failed: boolean }) => {
    const started = await rerunRun(runId, choice);
    await navigate({ to: '/runs/$runId', params: { runId: started } });
  };
  return (
    <div className={styles.actions}>
      {isOver && jobs.failed + jobs.canceled > 0 && may('create') && (
        <Confirm
          kind="main"
          pressedBy="r"
          label={<Named icon={RotateCcw} name="Rerun failed" />}
          title="Run again what failed?"
          act="Rerun failed jobs"
          onAct={() => rerun({ failed: true })}
        >
          Starts a new run of “{name}” with the same inputs. Jobs that failed or did not run do so
          again. The results of the others are taken over.
        </Confirm>
      )}
      {isOver && may('create') && (
        <Confirm
          pressedBy="r"
          label={<Named icon={RotateCcw} name="Rerun" />}
          title="Run all of it again?"
          act="Rerun all jobs"
          onAct={() => rerun({ failed: false })}
        >
          Starts a new run of “{name}” with the same inputs, variables and files. All jobs run
          again.
        </Confirm>
      )}
      {!isOver && may('delete') && (
        <Confirm
          kind="danger"
          label={<Named icon={Ban} name="Cancel" />}
          title="Cancel this run?"
          act="Cancel the run"
          isDanger
          onAct={() => cancelRun(runId)}
        >
          Stops the running steps of “{name}”, and skips all that waits.
        </Confirm>
      )}
      <Link data-press="c" to="/compare" search={{ b: runId }} className={buttonClass()}>
        <Named icon={Columns2} name="Compare" />
      </Link>
      <CopyCommand command={`tutti status ${runId}`} />
    </div>
  );
}

const Named = ({ icon: Icon, name }: { readonly icon: typeof Ban; readonly name: string }) => (
  <>
    <Icon aria-hidden size={16} />
    {name}
  </>
);
