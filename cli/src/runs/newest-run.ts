/** Without an id, commands about one run take the newest. */
import type { Client } from '@tutti/client';
import { asCalled } from '../terminal/command-name.ts';
import type { Io } from '../terminal/io.ts';
import { UsageError } from '../terminal/problem.ts';

/** Id of the newest run. Throws `UsageError` if there is none; `what` gives the purpose, as in "to judge". */
export async function newestRun(client: Client, what: string, io: Io): Promise<string> {
  const runs = await client.workflows();
  const newest = runs.toSorted((a, b) => b.createdAt.localeCompare(a.createdAt))[0];
  if (newest !== undefined) return newest.workflowId;
  const next = asCalled('start one with: tutti run FILE', io.command);
  throw new UsageError(`There are no workflows ${what}.`, next);
}
