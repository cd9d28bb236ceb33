/** Starts a workflow and, if asked, follows it to its end. */
import type { Client, StartWorkflow } from '@tutti/client';
import type { OrchestratorError } from '@tutti/manifests';
import { EXIT_CODES } from '../exit-codes.ts';
import type { Io } from '../io.ts';
import { cleanOutput } from '../run-view/style.ts';

export interface FollowOptions {
  readonly wait?: boolean | undefined;
  /** False with `--no-hints`. */
  readonly hints?: boolean | undefined;
}

/** Resolves with the exit code. */
export async function startAndFollow(
  client: Client,
  start: StartWorkflow,
  { wait, hints }: FollowOptions,
  io: Io,
): Promise<number> {
  const { dryRun = false } = start;
  const workflowId = await client.startWorkflow(start, {
    onRefused: (refusal, pauseMs) => io.complain(waitingText(refusal, pauseMs)),
  });
  // Scripts take the second word as the id.
  io.screen.write(
    `Workflow ${workflowId} ${dryRun ? 'is valid; nothing was started' : 'started'}.\n`,
  );
  if (dryRun || wait !== true) return EXIT_CODES.done;
  // The exit code must be that of the run, whoever reads along.
  io.outliveReaders();
  // Loaded while the run begins.
  const { followRun } = await import('./follow-run.ts');
  const status = await followRun(client, workflowId, io, hints);
  return status === 'DONE' ? EXIT_CODES.done : EXIT_CODES.failed;
}

/** On standard error: standard output begins with the line that scripts read. */
const waitingText = ({ message }: OrchestratorError, pauseMs: number): string =>
  `tutti: ${cleanOutput(message, false)}\n  Nothing was started. Trying again in ${Math.ceil(pauseMs / 1000)} s.\n`;
