/** The run that a command is about: by its id, by as much of it as is unique, or the one that was started last. */
import type { Client } from '@tutti/client';
import { resolveId } from '../resources/resolve-id.ts';
import type { Io } from '../terminal/io.ts';
import { newestRun } from './newest-run.ts';
import { checkWorkflowId, isLikeId } from './workflow-id.ts';

interface Reference {
  /** For what it is wanted where none is named and none is there: "to judge". */
  readonly what: string;
  /** What to write where the text was meant for something else: see `checkWorkflowId`. */
  readonly otherwise?: string | undefined;
}

/** Its whole id. Throws `UsageError` where the text names no run, or several. */
export async function workflowRef(
  client: Client,
  text: string | undefined,
  { what, otherwise }: Reference,
  io: Io,
): Promise<string> {
  if (text === undefined) return await newestRun(client, what, io);
  return await resolveWorkflowId(client, text, otherwise);
}

/** The same where a run has to be named. */
export async function resolveWorkflowId(
  client: Client,
  text: string,
  otherwise?: string,
): Promise<string> {
  if (!isLikeId(text)) checkWorkflowId(text, otherwise);
  return await resolveId(text, {
    noun: 'workflow',
    listCommand: 'tutti workflows',
    ids: () => workflowIds(client),
    otherwise,
  });
}

/** Servers that list manifests where ids are asked for have the ids as keys. */
async function workflowIds(client: Client): Promise<readonly string[]> {
  const { details } = await client.ask({ path: '/workflows' });
  const items: unknown =
    typeof details === 'object' && details !== null && 'items' in details ? details.items : null;
  if (Array.isArray(items)) return items.filter((item) => typeof item === 'string');
  return typeof items === 'object' && items !== null ? Object.keys(items) : [];
}
