/** `tutti run`: starts a workflow and, if asked, follows it to its end. */
import type { OrchestratorError } from '@tutti/manifests';
import { type ConnectionOptions, connect } from '../connection.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import type { Io } from '../io.ts';
import { cleanOutput } from '../run-view/style.ts';
import { readWorkflowText } from '../workflow-source.ts';

export interface RunOptions extends ConnectionOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: Readonly<Record<string, string>>;
  /** Each `name=path`. */
  readonly file?: readonly string[];
  readonly namespace?: string | undefined;
  readonly wait?: boolean;
  readonly dryRun?: boolean;
  /** False with `--no-hints`. */
  readonly hints?: boolean;
}

/** `path` is a file, or `-` for standard input. Resolves with the exit code. */
export async function runWorkflow(path: string, options: RunOptions, io: Io): Promise<number> {
  const manifestText = await readWorkflowText(path, io);
  const { env, input, file = [], namespace, dryRun = false } = options;
  const files = await readFiles(manifestText, file);
  const client = await connect(options, io);
  const start = {
    manifestText,
    files,
    ...(env && { variables: env }),
    ...(input && { inputs: input }),
    namespace,
    dryRun,
  };
  const workflowId = await client.startWorkflow(start, {
    onRefused: (refusal, pauseMs) => io.complain(waitingText(refusal, pauseMs)),
  });
  // Scripts take the second word as the id.
  io.screen.write(
    `Workflow ${workflowId} ${dryRun ? 'is valid; nothing was started' : 'started'}.\n`,
  );
  if (dryRun || options.wait !== true) return EXIT_CODES.done;
  // The exit code must be that of the run, whoever reads along.
  io.outliveReaders();
  // Loaded while the run begins.
  const { followRun } = await import('./follow-run.ts');
  const status = await followRun(client, workflowId, io, options.hints);
  return status === 'DONE' ? EXIT_CODES.done : EXIT_CODES.failed;
}

/** Most workflows have none, and need not wait for what reads YAML. */
async function readFiles(manifestText: string, pairs: readonly string[]) {
  if (pairs.length === 0) return {};
  const { openResourceFiles } = await import('./resource-files.ts');
  return await openResourceFiles(manifestText, pairs);
}

/** On standard error: standard output begins with the line that scripts read. */
const waitingText = ({ message }: OrchestratorError, pauseMs: number): string =>
  `tutti: ${cleanOutput(message, false)}\n  Nothing was started. Trying again in ${Math.ceil(pauseMs / 1000)} s.\n`;
