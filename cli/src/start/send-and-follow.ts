/** Starts a workflow and, if asked, follows it to its end. */
import { type Client, IgnoredParameterError } from '@tutti/client';
import type { OrchestratorError } from '@tutti/manifests';
import { cleanOutput } from '@tutti/run-view/text';
import { checkEndOptions, type EndOptions } from '../options/end-options.ts';
import { progressOf, type ViewOptions } from '../options/view-options.ts';
import { complainOf } from '../runs/report-warnings.ts';
import { asCalled } from '../terminal/command-name.ts';
import { EXIT_CODES } from '../terminal/exit-codes.ts';
import type { Io } from '../terminal/io.ts';
import { problemOf, UsageError } from '../terminal/problem.ts';
import type { GitlabPlace } from '../verdict/gitlab-place.ts';
import type { FollowRunOptions } from './follow-run.ts';

export interface FollowOptions extends FollowRunOptions, EndOptions {
  readonly wait?: boolean | undefined;
}

/** The input of a new run. */
export interface Start {
  /** Only checks, and starts nothing. */
  readonly dryRun: boolean;
  /** Resolves with the id of the run. */
  send(client: Client, call: StartCall): Promise<string>;
}

type StartCall = Parameters<Client['startWorkflow']>[1];

/** Starts a run and follows it. Resolves with the exit code. */
export async function sendAndFollow(
  client: Client,
  start: Start,
  options: FollowOptions,
  io: Io,
): Promise<number> {
  const { dryRun } = start;
  // Wrong options are refused before the run starts.
  const progress = options.wait === true ? progressOf(options, io) : 'none';
  checkEndOptions(options, options.wait === true);
  const gitlab = await gitlabOf(options, io);
  if (options.gate !== undefined || options.report !== undefined) {
    const { refuseUnknownNames } = await import('./refuse-unknown-names.ts');
    await refuseUnknownNames(client, options);
  }
  // Followers of the run read the warnings in its log.
  const hasLog = !dryRun && progress !== 'none';
  const workflowId = await send(client, start, hasLog, io);
  await printStarted(workflowId, dryRun, options, io);
  if (dryRun || options.wait !== true) return EXIT_CODES.done;
  // The exit code must be that of the run, even if readers leave.
  io.outliveReaders();
  // Loaded while the run begins.
  const { followRun } = await import('./follow-run.ts');
  const status = await followRun(client, workflowId, options, io);
  if (status === null) return EXIT_CODES.undecided;
  const code = status === 'DONE' ? EXIT_CODES.done : EXIT_CODES.failed;
  if (options.gate === undefined && options.report === undefined) return code;
  const { takeResults } = await import('./take-results.ts');
  return await takeResults({ client, workflowId, code }, { ...options, gitlab }, io);
}

async function gitlabOf({ plugin }: EndOptions, io: Io): Promise<GitlabPlace | null> {
  if (plugin === undefined) return null;
  const { placeFor } = await import('../verdict/gitlab-place.ts');
  return placeFor(plugin, io);
}

async function send(client: Client, start: Start, hasLog: boolean, io: Io): Promise<string> {
  try {
    return await start.send(client, {
      onRefused: (refusal, pauseMs) => io.complain(waitingText(refusal, pauseMs)),
      ...(hasLog ? {} : { onWarnings: (warnings) => complainOf(warnings.map(warningText), io) }),
    });
  } catch (error) {
    throw await explained(error, client, start.dryRun, io);
  }
}

async function printStarted(
  workflowId: string,
  isDryRun: boolean,
  { output }: ViewOptions,
  io: Io,
): Promise<void> {
  if (output === 'json') {
    const { startedRecord } = await import('../run-view/json-presenter.ts');
    io.screen.write(`${JSON.stringify(startedRecord(workflowId, isDryRun))}\n`);
    return;
  }
  // Scripts read the second word as the id.
  const what = isDryRun ? 'is valid; nothing was started' : 'started';
  io.screen.write(`Workflow ${workflowId} ${what}.\n`);
}

const warningText = (warning: string): string => `warning: ${warning}`;

/** On standard error: standard output begins with the line that scripts read. */
const waitingText = ({ message }: OrchestratorError, pauseMs: number): string =>
  `tutti: ${cleanOutput(message, false)}\n  Nothing was started. Trying again in ${Math.ceil(pauseMs / 1000)} s.\n`;

/**
 * Chooses the error to throw for a failed start. A server may not know a parameter and start the run anyway: that run is
 * canceled.
 */
async function explained(
  error: unknown,
  client: Client,
  isDryRun: boolean,
  io: Io,
): Promise<unknown> {
  if (!(error instanceof IgnoredParameterError)) return error;
  const { parameter, workflowId } = error;
  const ignored = `The server does not know "${parameter}"`;
  const { what, next: hint } = parameter === 'strict' ? OF_STRICT : OF_PART;
  if (isDryRun) {
    return new UsageError(`${ignored}, and would run ${what}. Nothing was started.`, hint);
  }
  const begun = `${ignored}, and began to run ${what}, as ${workflowId}`;
  const failure = await cancel(client, error);
  if (failure === null) return new UsageError(`${begun}. It is being canceled.`, hint);
  const next = `end it with "tutti cancel ${workflowId}". ${capital(hint)}`;
  return new UsageError(`${begun}. It cannot be canceled: ${failure}`, asCalled(next, io.command));
}

const OF_PART = {
  what: 'the whole workflow',
  next: 'use a newer server, or run the workflow as a whole: this server cannot run a part of it. "tutti version" shows the version of the server.',
} as const;
const OF_STRICT = {
  what: 'the workflow with its warnings',
  next: 'use a newer server, or check the workflow with "tutti validate --strict" before. "tutti version" shows the version of the server.',
} as const;

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Cancels the run. Null if the server accepted that, else the reason why not. */
async function cancel(
  client: Client,
  { parameter, workflowId }: IgnoredParameterError,
): Promise<string | null> {
  const reason = `The server does not know "${parameter}".`;
  try {
    await client.cancel(workflowId, { reason, source: 'tutti run' });
    return null;
  } catch (error) {
    const { what, why } = problemOf(error);
    return [what, ...why].join(' ');
  }
}
