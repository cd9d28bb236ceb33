/** `tutti workflows rerun`, and `tutti run --from-failed`: runs an earlier run again, or its failed part. */
import type { RerunWorkflow } from '@tutti/client';
import { isOrchestratorError, type OrchestratorError, workflowNotFound } from '@tutti/manifests';
import { workflowRef } from '../runs/workflow-ref.ts';
import type { Start } from '../start/send-and-follow.ts';
import { type PlaceOptions, startRun } from '../start/start-run.ts';
import type { Io } from '../terminal/io.ts';
import { UsageError } from '../terminal/problem.ts';

export interface RerunOptions extends PlaceOptions, RerunWorkflow {}

/** `text` is an id, or its beginning; the run that was started last if absent. Resolves with the exit code. */
export async function rerunWorkflow(
  text: string | undefined,
  options: RerunOptions,
  io: Io,
): Promise<number> {
  const { failed = false, jobs } = options;
  if (failed && jobs !== undefined) {
    throw new UsageError(
      '--failed runs what failed or did not run, and --jobs the jobs that it names.',
      'leave one of them out.',
    );
  }
  return await startRun(async () => startOfRerun(text, { failed, jobs }, io), options, io);
}

export function startOfRerun(text: string | undefined, rerun: RerunWorkflow, io: Io): Start {
  return {
    dryRun: false,
    send: async (client, call) => {
      const earlier = await workflowRef(client, text, { what: 'to run again' }, io);
      try {
        return await client.rerunWorkflow(earlier, rerun, call);
      } catch (error) {
        throw isUnknownRoute(error, earlier) ? unknownRoute(error) : error;
      }
    },
  };
}

/** A server that has the route names the missing run in its refusal. */
const isUnknownRoute = (error: unknown, id: string): error is OrchestratorError =>
  isOrchestratorError(error) &&
  (error.reason === 'MethodNotAllowed' ||
    (error.reason === 'NotFound' && error.message !== workflowNotFound(id).message));

const unknownRoute = ({ message }: OrchestratorError): UsageError =>
  new UsageError(
    `The server cannot run a workflow again: ${message}`,
    'use a newer server, or start the workflow anew from its file. "tutti version" shows the version of the server.',
  );
