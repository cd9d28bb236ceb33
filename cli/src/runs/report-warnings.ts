/** Prints warnings of servers, such as about incomplete test reports, on standard error, where programs read no results. */
import type { Client } from '@tutti/client';
import { cleanLine } from '@tutti/run-view/text';
import type { Io } from '../terminal/io.ts';

/** Prints one line for each warning. */
export function complainOf(warnings: readonly string[], io: Pick<Io, 'complain'>): void {
  for (const warning of warnings) io.complain(`tutti: ${cleanLine(warning)}\n`);
}

/** Warnings on one run; none if the server has no test cases. Never rejects: the main output is worth more. */
export async function reportWarningsOf(
  client: Pick<Client, 'testCasePages'>,
  workflowId: string,
): Promise<readonly string[]> {
  try {
    for await (const { warnings } of client.testCasePages(workflowId, { waitMs: 0, pageSize: 1 })) {
      return warnings;
    }
  } catch {
    // The main request reports the same failure.
  }
  return [];
}
