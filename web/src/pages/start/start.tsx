/** Start: is this workflow valid, and what will it run? */
import { useMutation } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { Play } from 'lucide-react';
import { useState } from 'react';
import { useRenewal } from '../../data/actions.ts';
import { allows, useSession } from '../../data/session.ts';
import { Band, PageHead } from '../../parts/band.tsx';
import { Button } from '../../parts/button.tsx';
import { Field } from '../../parts/field.tsx';
import { Empty, Placeholder, Problem } from '../../parts/states.tsx';
import type { Checked } from './check-protocol.ts';
import { FilesForm } from './files-form.tsx';
import { InputsForm } from './inputs-form.tsx';
import { PlanTree } from './plan-tree.tsx';
import { Problems } from './problems.tsx';
import { Source } from './source.tsx';
import styles from './start.module.css';
import { startRun } from './start-run.ts';
import { useCheck } from './use-check.ts';
import { useEarlier } from './use-earlier.ts';

const route = getRouteApi('/signed-in/start');

export function StartPage() {
  const { from } = route.useSearch();
  const earlier = useEarlier(from);
  if (earlier.error !== null)
    return (
      <>
        <PageHead title="Start a run" />
        <Problem error={earlier.error} onAgain={earlier.again} />
      </>
    );
  if (earlier.text === null)
    return (
      <>
        <PageHead title="Start a run" />
        <Placeholder lines={10} />
      </>
    );
  return <StartForm key={from ?? ''} text={earlier.text} namespace={earlier.namespace} />;
}

interface FormProps {
  readonly text: string;
  readonly namespace: string | null;
}

function StartForm({ text: first, namespace: known }: FormProps) {
  const usual = useUsualNamespace();
  const [text, setText] = useState(first);
  const [inputs, setInputs] = useState<Readonly<Record<string, string>>>({});
  const [files, setFiles] = useState<Readonly<Record<string, Blob>>>({});
  const [namespace, setNamespace] = useState(known ?? usual);
  const mayStart = allows(useSession(), ['create', 'workflows'], namespace);
  const checked = useCheck({ text, inputs, namespace });
  const start = useStart({ text, inputs, files, namespace });
  const isReady = checked !== null && isStartable(checked, files);
  return (
    <>
      <PageHead title="Start a run">
        {mayStart && (
          <>
            <Button isDisabled={!isReady || start.isPending} onPress={() => start.mutate(true)}>
              Dry run
            </Button>
            <Button
              kind="main"
              isDisabled={!isReady || start.isPending}
              onPress={() => start.mutate(false)}
            >
              <Play aria-hidden size={16} />
              Start
            </Button>
          </>
        )}
      </PageHead>
      {!mayStart && (
        <Empty>
          Your token may not create workflows in this namespace, so you can only check one.{' '}
          <Link to="/settings">See what it allows</Link>
        </Empty>
      )}
      {start.isError && <Problem error={start.error} />}
      {start.data === null && (
        <p role="status" className={styles.sound}>
          The server would start this run. Nothing was started.
        </p>
      )}
      <div className={styles.columns}>
        <Source text={text} onChange={setText} />
        <div className={styles.side}>
          <Problems checked={checked} />
          <Band title="What it gets">
            <div className={styles.form}>
              <Field label="Namespace" value={namespace} onChange={setNamespace} />
              <InputsForm checked={checked} values={inputs} onChange={setInputs} />
              <FilesForm names={checked?.files ?? []} files={files} onChange={setFiles} />
            </div>
          </Band>
          {checked?.plan != null ? (
            <PlanTree plan={checked.plan} />
          ) : (
            <Empty>The plan follows once the workflow is valid.</Empty>
          )}
        </div>
      </div>
    </>
  );
}

/** Large workflows are left to the server. */
const isStartable = (
  { isValid, failure, inputProblems, files: needed }: Checked,
  files: Readonly<Record<string, Blob>>,
): boolean =>
  (isValid || failure !== null) &&
  Object.keys(inputProblems).length === 0 &&
  needed.every((name) => Object.hasOwn(files, name));

function useUsualNamespace(): string {
  const rights = useSession()?.rights.workflows?.create ?? [];
  const [first = 'default'] = rights.filter((name) => name !== '*');
  return rights.includes('*') ? 'default' : first;
}

/** Starts the run, or only asks whether the server would: the result of that is null. */
function useStart(run: Parameters<typeof startRun>[0]) {
  const navigate = useNavigate();
  const renew = useRenewal();
  return useMutation({
    mutationFn: async (isDry: boolean) => {
      const runId = await startRun(run, isDry);
      return isDry ? null : runId;
    },
    onSuccess: async (runId) => {
      if (runId === null) return;
      void renew();
      await navigate({ to: '/runs/$runId', params: { runId } });
    },
  });
}
