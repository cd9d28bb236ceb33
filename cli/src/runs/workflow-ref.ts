/** The run of a command: by its id, by a unique beginning, or the newest. */
import type { Client } from '@tutti/client';
import { resolveId } from '../resources/resolve-id.ts';
import type { Io } from '../terminal/io.ts';
import { newestRun } from './newest-run.ts';
import { checkWorkflowId, isLikeId } from './workflow-id.ts';

interface Reference {
  /** The purpose, for the message if there is no run: "to judge". */
  readonly what: string;
  /** Suggestion for text that was no id: see `checkWorkflowId`. */
  readonly otherwise?: string | undefined;
}

/** The whole id. Throws `UsageError` if the text matches no run, or several. */
export async function workflowRef(
  client: Client,
  text: string | undefined,
  { what, otherwise }: Reference,
  io: Io,
): Promise<string> {
  if (text === undefined) return await newestRun(client, what, io);
  return await resolveWorkflowId(client, text, otherwise);
}

/** Completes the id of a run, for commands that require one. */
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

/** Some servers list manifests instead of ids, with ids as keys. */
async function workflowIds(client: Client): Promise<readonly string[]> {
  const { details } = await client.ask({ path: '/workflows' });
  const items: unknown =
    typeof details === 'object' && details !== null && 'items' in details ? details.items : null;
  if (Array.isArray(items)) return items.filter((item) => typeof item === 'string');
  return typeof items === 'object' && items !== null ? Object.keys(items) : [];
}
