/** What can be done with a run. Each action appears only if the token allows it, and says before what it will do. */
import { Link, useNavigate } from '@tanstack/react-router';
import { Ban, Columns2, RotateCcw, SquareTerminal } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { Dialog, DialogTrigger } from 'react-aria-components/Dialog';
import { Heading } from 'react-aria-components/Heading';
import { Modal, ModalOverlay } from 'react-aria-components/Modal';
import { ask, runPath } from '../../data/api.ts';
import { allows, useSession } from '../../data/session.ts';
import { Button, buttonClass } from '../../parts/button.tsx';
import { Problem } from '../../parts/states.tsx';
import styles from './actions.module.css';
import { useRun } from './run-context.ts';

export function RunActions() {
  const { runId, doc, isPast } = useRun();
  const session = useSession();
  const { namespace, name, ended, jobs } = doc.run;
  const may = (verb: string) => !isPast && allows(session, [verb, 'workflows'], namespace);
  const unsuccessful = jobs.failed + jobs.canceled + jobs.skipped;
  const rerun = useRerun(runId);
  return (
    <div className={styles.actions}>
      {ended !== null && unsuccessful > 0 && may('create') && (
        <Asked
          label="Rerun failed"
          icon={<RotateCcw aria-hidden size={16} />}
          kind="main"
          title="Run again what failed?"
          yes="Rerun failed jobs"
          action={() => rerun({ failed: 'true' })}
        >
          Starts a new run of “{name}” with the same inputs. Jobs that failed or did not run do so
          again; the results of the others are taken over.
        </Asked>
      )}
      {ended !== null && may('create') && (
        <Asked
          label="Rerun"
          icon={<RotateCcw aria-hidden size={16} />}
          title="Run all of it again?"
          yes="Rerun all jobs"
          action={() => rerun({})}
        >
          Starts a new run of “{name}” with the same inputs, variables and files. All jobs run
          again.
        </Asked>
      )}
      {ended === null && may('delete') && (
        <Asked
          label="Cancel"
          icon={<Ban aria-hidden size={16} />}
          kind="danger"
          title="Cancel this run?"
          yes="Cancel the run"
          action={async () => {
            await ask({ method: 'DELETE', path: runPath(runId), query: { source: 'web page' } });
          }}
        >
          Stops the running steps of “{name}” and skips all that waits. This cannot be undone.
        </Asked>
      )}
      <Link to="/compare" search={{ b: runId }} className={buttonClass()}>
        <Columns2 aria-hidden size={16} />
        Compare
      </Link>
      <CopyCommand runId={runId} />
    </div>
  );
}

/** Starts a new run, and shows it. */
function useRerun(runId: string) {
  const navigate = useNavigate();
  return async (query: Readonly<Record<string, string>>) => {
    const path = runPath(runId, '/rerun');
    const started = await ask<{ readonly workflow_id: string }>({ method: 'POST', path, query });
    await navigate({ to: '/runs/$runId', params: { runId: started.workflow_id } });
  };
}

function CopyCommand({ runId }: { readonly runId: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(`tutti status ${runId}`);
    setCopied(true);
    setTimeout(() => setCopied(false), 2_000);
  };
  return (
    <Button onPress={() => void copy()}>
      <SquareTerminal aria-hidden size={16} />
      {isCopied ? 'Copied' : 'Copy as command'}
    </Button>
  );
}

interface AskedProps {
  readonly label: string;
  readonly icon: ReactNode;
  readonly kind?: 'plain' | 'main' | 'danger';
  readonly title: string;
  readonly yes: string;
  readonly action: () => Promise<void>;
  readonly children: ReactNode;
}

/** A button that asks once before it acts. */
function Asked({ label, icon, kind = 'plain', title, yes, action, children }: AskedProps) {
  const [error, setError] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const act = async (close: () => void) => {
    setBusy(true);
    setError(null);
    try {
      await action();
      close();
    } catch (problem) {
      setError(problem);
    } finally {
      setBusy(false);
    }
  };
  return (
    <DialogTrigger>
      <Button kind={kind}>
        {icon}
        {label}
      </Button>
      <ModalOverlay className={styles.overlay ?? ''} isDismissable>
        <Modal className={styles.modal ?? ''}>
          <Dialog role="alertdialog" className={styles.dialog ?? ''}>
            {({ close }) => (
              <>
                <Heading slot="title" level={2}>
                  {title}
                </Heading>
                <p>{children}</p>
                {error !== null && <Problem error={error} />}
                <div className={styles.answers}>
                  <Button onPress={close}>No</Button>
                  <Button
                    kind={kind === 'danger' ? 'danger' : 'main'}
                    isDisabled={isBusy}
                    onPress={() => void act(close)}
                  >
                    {yes}
                  </Button>
                </div>
              </>
            )}
          </Dialog>
        </Modal>
      </ModalOverlay>
    </DialogTrigger>
  );
}
