/** A server that does not know what was asked of a start runs the workflow all the same: such a run is ended, and told. */
import { type Client, IgnoredParameterError } from '@tutti/client';
import { asCalled } from '../terminal/command-name.ts';
import type { Io } from '../terminal/io.ts';
import { problemOf, UsageError } from '../terminal/problem.ts';

/** What is to be thrown for what a start failed by. */
export async function asTold(
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
  next: 'use a newer server, or run the workflow as a whole: this server cannot run a part of it. "tutti version" tells what it is.',
} as const;
const OF_STRICT = {
  what: 'the workflow with its warnings',
  next: 'use a newer server, or check the workflow with "tutti validate --strict" before. "tutti version" tells what the server is.',
} as const;

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Null once the server took it, else why not. */
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
